import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import type { Concept } from "../../src/knowledge/graph.js";
import type { ConceptFilter } from "../../src/search/index/concept-filter.js";
import { buildLexicalSegment, embedConcepts } from "../../src/search/index/index-builder.js";
import {
	createIndexState,
	type SearchScope,
	toScopes,
} from "../../src/search/index/index-state.js";
import { readSigns } from "../../src/search/ranking/answer-signs.js";
import { findConcepts } from "../../src/search/ranking/find-concepts.js";
import type { Found } from "../../src/search/ranking/found-concepts.js";
import { createCountingEmbedder, sampleConcept, sampleGraph } from "./sample-graph.js";

const LASERS = sampleConcept("lasers", {
	title: "Lasers",
	summary: "Light of one wavelength.",
	tags: ["public"],
	trust: "human-reviewed",
});
const GLACIERS = sampleConcept("glaciers", { title: "Glaciers", summary: "Rivers of ice." });

/** Searches for lasers in another version of the graph than the one that is indexed. */
async function findIn(changed: Partial<Concept>, filter?: ConceptFilter) {
	const indexed = sampleGraph("nature", [LASERS, GLACIERS]);
	const segment = await buildLexicalSegment(indexed);
	const state = createIndexState([
		{ graph: indexed, parts: [{ segment, concepts: indexed.concepts, vectors: undefined }] },
	]);
	const graph = sampleGraph("nature", [GLACIERS, { ...LASERS, ...changed }]);
	const request = { query: "lasers light wavelength", limit: 5, filter };
	const scopes = toScopes(state, [graph], filter);
	const { rows, decision } = findConcepts({
		scopes,
		dense: undefined,
		request,
		clock: systemClock,
	});
	t.ok(rows.every(({ concept }) => graph.concepts.includes(concept)));
	return { ids: rows.map(({ concept }) => concept.id), decision };
}

t.test("a row is the caller's concept as long as it reads as the one that matched", async (t) => {
	t.same((await findIn({})).ids, ["lasers"]);
	t.same((await findIn({ status: "deprecated" })).ids, ["lasers"]);
});

t.test("a concept with another text than the one that matched is no row", async (t) => {
	t.match(await findIn({ summary: "Melting ice." }), { ids: [], decision: "ABSTAIN" });
	t.match(await findIn({ body: "Nothing about light." }), { ids: [] });
});

t.test("a filter holds for the version that the caller gets", async (t) => {
	const filter = { trust: "human-reviewed" } as const;
	t.same((await findIn({}, filter)).ids, ["lasers"]);
	t.same((await findIn({ trust: "unverified" }, filter)).ids, []);
});

/** The scopes of one graph, its documents in segments of so many. */
async function scopesOf(concepts: readonly Concept[], perSegment: number, model: string) {
	const embedder = createCountingEmbedder(model);
	const graph = sampleGraph("nature", concepts);
	const parts = [];
	for (let from = 0; from < concepts.length; from += perSegment) {
		const some = concepts.slice(from, from + perSegment);
		const options = { embedder, goesOn: () => true, onConcepts: () => undefined };
		const vectors = await embedConcepts(some, options);
		const segment = { ...(await buildLexicalSegment({ ...graph, concepts: some })), vectors };
		parts.push({ segment, concepts: some, vectors: undefined });
	}
	return toScopes(createIndexState([{ graph, parts }]), [graph]);
}

/** How far a row with this cosine stands out from another of its graph. */
function standsOutIn(scopes: readonly SearchScope[], cosine: number): number | undefined {
	const [scope] = scopes;
	if (!scope) return undefined;
	const shares = { lexicalShare: 0, denseShare: 1, denseWeight: 1, fused: 1, prior: 1, graph: 0 };
	const rows = [cosine, 0.2].map((each, concept): Found => {
		const at = { slot: scope.base + concept, lexical: 0, cosine: each, scope, concept, score: 1 };
		return { slot: { ...shares, ...at }, concept: LASERS, score: 1, isNamed: false };
	});
	return readSigns([], rows, scopes).standsOut;
}

const MANY = Array.from({ length: 40 }, (_, at) =>
	sampleConcept(`c${at}`, {
		title: `Subject number ${at}`,
		summary: `About matter${at % 7} and ice`,
	}),
);

t.test("how far a row stands out does not depend on the segments of its graph", async (t) => {
	const whole = await scopesOf(MANY, 40, "counting");
	const expected = standsOutIn(whole, 0.6);
	t.type(expected, "number");
	const cut = await scopesOf(MANY, 3, "counting");
	t.same(
		cut.map((_, first) => standsOutIn([...cut.slice(first), ...cut.slice(0, first)], 0.6)),
		cut.map(() => expected),
	);
});

t.test("in too small a graph, spread is known of the bundled model only", async (t) => {
	const few = MANY.slice(0, 3);
	t.equal(standsOutIn(await scopesOf(few, 3, "counting"), 0.6), undefined);
	t.ok((standsOutIn(await scopesOf(few, 3, "bundled"), 0.6) ?? 0) > 1);
});

t.test(
	"a row stands out by its distance to the tenth, and not where there is no other",
	async (t) => {
		const scopes = await scopesOf(MANY, 40, "counting");
		t.ok((standsOutIn(scopes, 0.7) ?? 0) > (standsOutIn(scopes, 0.6) ?? 0));
		t.equal(standsOutIn(scopes, 0.2), 0);
	},
);
