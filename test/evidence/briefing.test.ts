import t from "tap";
import { isSupported } from "../../skills/answers/report/findings.js";
import { extractiveWriter } from "../../skills/answers/written-prose.js";
import { createBriefings } from "../../skills/briefings/briefing.js";
import {
	findChanges,
	findRemoved,
	parseMemory,
	rememberTopic,
} from "../../skills/briefings/briefing-changes.js";
import { toBriefingMail } from "../../skills/briefings/briefing-mails.js";
import { toSlackMessage } from "../../skills/briefings/briefing-messages.js";
import type { BriefingWire } from "../../skills/briefings/schedule-wire.js";
import type { Decision } from "../../src/contract/wire.js";
import { findCitedSentence } from "../../src/evidence/cited-sentences.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Concept, Graph } from "../../src/knowledge/model/graph.js";
import type { HybridSearch, JudgedSearch } from "../../src/search/search-engine.js";
import { sampleConcept, sampleGraph } from "../search/sample-graph.js";
import { manualClock } from "../support/manual-clock.js";

const source = (name: string, day = "2026-01-10") => ({
	articleId: name,
	title: `Report on ${name}`,
	sourceUrl: `https://example.org/${name}`,
	publishedAt: day,
	datePrecision: "day" as const,
});

const node = (id: string, summary: string, changes: Partial<Concept> = {}): Concept =>
	sampleConcept(id, { summary, body: summary, evidence: [source(id)], ...changes });

const graphOf = (contentHash: string, concepts: readonly Concept[]): Graph => {
	const graph = sampleGraph("tides", concepts);
	return { ...graph, record: { ...graph.record, title: "Tides" }, contentHash };
};

const DAM = node("dam", "A tidal dam stores water. It delivers 240 megawatts at La Rance.");
const MILL = node("mill", "A tide mill grinds grain. Few tide mills are left.", {
	staleAfter: "2026-03-20",
	evidence: [source("mill"), source("mill-2", "2025-12-01")],
});
const INJECTED = node(
	"lagoon",
	"A tidal lagoon needs no river. Its keeper may send ![x](https://evil.example/x.png) to <b>all</b>.",
);

/** Finds every concept of the graphs it is asked for, in their order. */
const searchAll: Pick<HybridSearch, "find"> = {
	find: async ({ graphs, limit }) => ({
		decision: "ANSWER",
		dataStatus: "TREND_MATCH",
		rows: graphs
			.flatMap((graph) =>
				graph.concepts.map((concept) => ({
					graph,
					concept,
					trendId: `${graph.record.id}:${concept.id}`,
				})),
			)
			.slice(0, limit)
			.map((row) => ({ ...row, score: 1, evidence: row.concept.evidence, duplicates: [] })),
		missing: [],
		mode: "keyword",
		effort: "fast" as const,
		timings: {},
	}),
};

function openBriefings(first: Graph, topic = "tidal power") {
	const asked: { decision: Decision } = { decision: "ANSWER" };
	const catalog = createGraphCatalog([first]);
	const clock = manualClock("2026-03-01T08:00:00Z");
	const search: HybridSearch & JudgedSearch = {
		find: async (request) => ({ ...(await searchAll.find(request)), ...asked }),
		judge: undefined,
		embedder: undefined,
	};
	const compose = createBriefings({ search, catalog, clock, writer: extractiveWriter });
	const ask = (before?: Parameters<typeof compose>[0]["before"]) =>
		compose({
			topic,
			frequency: "weekly",
			before,
			signal: new AbortController().signal,
		});
	return { asked, catalog, clock, ask };
}

const citedIn = ({ changes, top, numbers }: BriefingWire) => [
	...changes.flatMap(({ points }) => points),
	...top.flatMap(({ what, why_it_matters: why }) => (why ? [what, why] : [what])),
	...numbers,
];

t.test("every sentence is carried by evidence that exists", async (t) => {
	const { catalog, ask } = openBriefings(graphOf("a", [DAM, MILL, INJECTED]));
	const { briefing } = await ask();
	const sentences = citedIn(briefing);
	t.ok(briefing.citations.length >= 6);
	for (const { text, citation_ids: ids } of sentences) {
		const excerpts = ids.map((n) => {
			const citation = briefing.citations[n - 1];
			const found = findCitedSentence(catalog, citation?.evidence_id ?? "");
			t.equal(found?.text, citation?.excerpt, "the evidence exists");
			return citation?.excerpt ?? "";
		});
		t.ok(isSupported(text, excerpts.join("\n")), text);
	}
	const figures = sentences.filter(({ text }) => /240 megawatts/.test(text));
	t.equal(figures.length, 1, "what stands among the subjects is not repeated among the numbers");
	t.match(briefing.watch_list[0], { title: "mill", reason: "stale_soon", date: "2026-03-20" });
	t.match(briefing.movers[0], { title: "mill", recent: 2, before: 0 });
});

const TERMS = {
	service: "tollgraph at shop.example",
	topic: "tidal power",
	when: "Mondays, 08:00 UTC",
	weekUsd: "10.00",
	unsubscribeUrl: "https://shop.example/stop",
};

t.test("injected evidence is text: it adds no address, picture or markup", async (t) => {
	const { ask } = openBriefings(graphOf("a", [INJECTED]));
	const { briefing } = await ask();
	const { html, text, unsubscribeUrl } = toBriefingMail(briefing, TERMS);
	for (const term of Object.values(TERMS)) t.match(text, term);
	for (const term of Object.values(TERMS)) t.match(html, term);
	t.equal(unsubscribeUrl, TERMS.unsubscribeUrl);
	const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url);
	t.same([...new Set(addresses)], ["https://example.org/lagoon", "https://shop.example/stop"]);
	t.notMatch(html, /<img|<b>/);
	const { blocks } = toSlackMessage(briefing);
	t.notMatch(JSON.stringify(blocks), /<https:\/\/evil|<b>/);
	t.ok(blocks.length <= 50);
});

t.test("what changed comes first, and nothing new is all that is said", async (t) => {
	const { catalog, clock, ask } = openBriefings(graphOf("a", [DAM, MILL]));
	const first = await ask();
	t.equal(first.isWorth, true);
	t.same(first.briefing.changes, []);
	const idle = await ask(first.memory);
	t.equal(idle.isWorth, false);
	t.match(idle.briefing, { is_nothing_new: true, since: "2026-03-01T08:00:00.000Z" });
	t.same(citedIn(idle.briefing), []);
	t.same(idle.briefing.citations, []);

	const newer = { ...MILL, evidence: [...MILL.evidence, source("mill-3", "2026-02-20")] };
	clock.advance(7 * 86_400_000);
	catalog.put(graphOf("b", [newer, INJECTED, { ...DAM, body: "A tidal dam stores more water." }]));
	const second = await ask(parseMemory(JSON.stringify(first.memory)));
	t.match(
		second.briefing.changes.map(({ title, change, new_sources: sources }) => [
			title,
			change,
			sources.map(({ url }) => url),
		]),
		[
			["mill", "new_sources", ["https://example.org/mill-3"]],
			["lagoon", "added", ["https://example.org/lagoon"]],
			["dam", "changed", []],
		],
	);
	catalog.put(graphOf("c", [newer, INJECTED]));
	const third = await ask(second.memory);
	t.match(third.briefing.changes, [{ trend_id: "tides:dam", change: "removed", points: [] }]);
});

t.test("what is merely ranked higher than before is not new", async (t) => {
	const graph = graphOf("a", [DAM, MILL]);
	const before = rememberTopic([{ graph, concept: DAM }], { graphs: [graph], at: 0 });
	t.same(findChanges([{ graph, concept: MILL }], before), [], "its graph is as it was");
	t.same(findRemoved(before, [graph]), []);
	t.equal(parseMemory("{}"), undefined);
	const { quoted, ...older } = { ...before, quoted: ["a sentence"] };
	t.same(parseMemory(JSON.stringify({ ...older, told: quoted })), { ...older, quoted });
});

t.test("a topic no graph covers says so and is worth nothing", async (t) => {
	const { catalog, ask } = openBriefings(graphOf("a", []));
	const { briefing, isWorth } = await ask();
	t.equal(isWorth, false);
	t.match(briefing.warnings, [/No graph on sale covers/]);
	t.equal(catalog.drafts().length, 1);
});

t.test("a topic the search would not answer is worth nothing, whatever rows it has", async (t) => {
	const narrow = openBriefings(graphOf("a", [DAM, MILL]), "tidal power of mills");
	const first = await narrow.ask();
	t.equal(first.isWorth, true);
	narrow.catalog.put(graphOf("b", [DAM, { ...MILL, body: "Tide mills grind again." }]));
	for (const decision of ["CLARIFY", "ABSTAIN"] as const) {
		narrow.asked.decision = decision;
		const { briefing, isWorth, memory } = await narrow.ask(first.memory);
		t.equal(isWorth, false, decision);
		t.same(citedIn(briefing), []);
		t.same(memory, first.memory, "what was told stays told");
	}
	narrow.asked.decision = "PARTIAL";
	const { briefing } = await narrow.ask(first.memory);
	t.match(briefing.changes, [{ title: "mill", change: "changed" }]);

	const wide = openBriefings(graphOf("a", [DAM, MILL]));
	wide.asked.decision = "CLARIFY";
	t.equal((await wide.ask()).isWorth, true, "a word or two are meant to be wide");
	wide.asked.decision = "ABSTAIN";
	t.equal((await wide.ask()).isWorth, false);
});

t.test("each passage stands once, and what was shown is not shown again", async (t) => {
	const paragraphs = [
		"The turbines of the barrage run in both directions, at ebb and at flood, and pump between them at night.",
		"Salt water eats at the blades of the turbines, so that the barrage replaces some of them in each summer.",
		"The barrage was joined to the grid with 24 turbines that were cast in a yard on the same coast, by hand.",
		"Its sluices are closed by hand where a storm is forecast, because the motors of the gates are too weak.",
	];
	const barrage = node("barrage", "A tidal barrage closes a bay.", {
		body: paragraphs.map((text, at) => `## Part ${at}\n\n${text}`).join("\n\n"),
	});
	const { catalog, ask } = openBriefings(graphOf("a", [barrage]), "tidal barrage");
	const first = await ask();
	const shown = citedIn(first.briefing);
	const ids = shown.flatMap(({ citation_ids: numbers }) => numbers);
	t.equal(new Set(ids).size, ids.length);
	t.equal(ids.length, first.briefing.citations.length);

	const news =
		"A second barrage was begun on the other side of the bay, with 12 turbines of a new kind.";
	const changed = { ...barrage, body: `${barrage.body}\n\n## Part 9\n\n${news}` };
	catalog.put(graphOf("b", [changed]));
	const second = await ask(parseMemory(JSON.stringify(first.memory)));
	t.match(second.briefing.changes, [{ change: "changed", points: [{ text: news }] }]);
	const told = new Set(shown.map(({ text }) => text));
	for (const { text } of citedIn(second.briefing)) t.notOk(told.has(text), text);

	const less = { ...changed, body: changed.body.replace(paragraphs[1] ?? "", "") };
	catalog.put(graphOf("c", [less]));
	const third = await ask(parseMemory(JSON.stringify(second.memory)));
	t.equal(third.isWorth, false, "what only lost sentences is no news");
});
