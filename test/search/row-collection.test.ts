import t, { type Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import type { Concept, Evidence, Graph } from "../../src/knowledge/model/graph.js";
import type { ScoreExplanation, SearchRequest } from "../../src/search/ranking/search-outcome.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { createCountingEmbedder, PAYMENTS, sampleConcept, sampleGraph } from "./sample-graph.js";

type Asked = Partial<SearchRequest> & { readonly query: string };

async function startSearch(
	t: Test,
	graphs: readonly Graph[],
	model: ReturnType<typeof createCountingEmbedder> | "none" = createCountingEmbedder(),
) {
	const engine = await createSearchEngine({ folder: t.testdir(), clock: systemClock, model });
	t.teardown(() => engine.close());
	await engine.sync(graphs);
	const { signal } = new AbortController();
	return (asked: Asked) => engine.find({ graphs, limit: 10, signal, ...asked });
}

const source = (title: string, publishedAt?: string): Evidence => ({
	articleId: title,
	title,
	sourceUrl: `https://example.org/${encodeURIComponent(title)}`,
	publishedAt,
	datePrecision: publishedAt === undefined ? undefined : "day",
});

/** The formula of the explanation's own description. */
function scoreFrom(parts: ScoreExplanation, isAnyNamed: boolean): number {
	const fused =
		parts.denseWeight * (parts.denseShare ?? 0) + (1 - parts.denseWeight) * parts.lexicalShare;
	const score = fused * parts.prior + parts.graph;
	if (!isAnyNamed) return score;
	return parts.isNamed ? (1 + score) / 2 : score / 2;
}

const LINKED: readonly Concept[] = [
	...PAYMENTS.concepts,
	sampleConcept("escrow", {
		title: "Escrow",
		summary: "Money is reserved with a third party before work starts.",
		edges: [{ type: "builds-on", target: "bridge", weight: 1 }],
	}),
	sampleConcept("bridge", {
		title: "Conditional release",
		summary: "Nothing moves until both agree.",
	}),
];

for (const model of ["hybrid", "keyword"] as const) {
	t.test(`the parts of an explanation make up the score, ${model}`, async (t) => {
		const embedder = model === "hybrid" ? createCountingEmbedder() : "none";
		const find = await startSearch(t, [sampleGraph("linked", LINKED)], embedder);
		let hasGraph = false;
		for (const query of [
			"money reserved before work starts",
			"EIP-3009",
			"payment required status",
		]) {
			const { rows } = await find({ query, explain: true });
			const isAnyNamed = rows.some(({ explanation }) => explanation?.isNamed);
			for (const { score, explanation, concept } of rows) {
				const expected = explanation ? scoreFrom(explanation, isAnyNamed) : Number.NaN;
				t.ok(Math.abs(expected - score) < 1e-6, `${query}: ${concept.id}`);
				const terms = explanation?.terms.reduce((sum, term) => sum + term.score, 0) ?? 0;
				t.ok(Math.abs(terms - (explanation?.bm25 ?? 0)) < 1e-4, "terms add up to BM25");
				t.equal(explanation?.cosine === undefined, model === "keyword");
				hasGraph ||= (explanation?.graph ?? 0) > 0;
			}
		}
		t.ok(hasGraph);
	});
}

t.test("an explanation changes nothing but itself", async (t) => {
	const find = await startSearch(t, [sampleGraph("linked", LINKED)]);
	const query = "money reserved before work starts";
	const [plain, explained] = [await find({ query }), await find({ query, explain: true })];
	t.ok(plain.rows.every((row) => !("explanation" in row)));
	t.same(
		explained.rows.map(({ explanation, ...row }) => row),
		plain.rows,
	);
});

t.test(
	"a link brings in what shares no word with the query, never what the filter leaves out",
	async (t) => {
		const find = await startSearch(t, [sampleGraph("linked", LINKED)], "none");
		const query = "reserved with a third party escrow";
		const idsOf = async (asked: Asked) => (await find(asked)).rows.map(({ concept }) => concept.id);
		t.ok((await idsOf({ query })).includes("bridge"));
		t.notOk((await idsOf({ query, filter: { types: ["other"] } })).includes("bridge"));
	},
);

t.test("what says the same is named by the best row and not sold twice", async (t) => {
	const twin = { title: "Reserve, deliver, settle", summary: PAYMENTS.concepts[1]?.summary ?? "" };
	const graph = sampleGraph("twins", [...PAYMENTS.concepts, sampleConcept("a-copy", twin)]);
	const find = await startSearch(t, [graph]);
	const { rows } = await find({ query: "money is reserved before work starts" });
	t.match(rows[0], { concept: { id: "a-copy" }, duplicates: [{ concept: { id: "holds" } }] });
	t.equal(rows.filter(({ concept }) => concept.title === twin.title).length, 1);
});

t.test("a row's evidence begins with what bears on the query", async (t) => {
	const evidence = [
		source("Weather of the north", "2025-01-01"),
		source("Undated notes"),
		source("Holding money in reserve", "2020-01-01"),
		source("Annals", "2026-01-01"),
	];
	const concept = sampleConcept("holds", {
		title: "Reserve money",
		summary: "Money held.",
		evidence,
	});
	const find = await startSearch(t, [sampleGraph("one", [concept])], "none");
	const titlesOf = async (asked: Asked) =>
		(await find(asked)).rows[0]?.evidence.map(({ title }) => title[0]).join("");
	const query = "reserve money";
	t.equal(await titlesOf({ query }), "HAWU", "by words, then the newest, the undated last");
	t.equal(await titlesOf({ query, filter: { publishedAfter: "2024-06-01" } }), "AWHU");
});
