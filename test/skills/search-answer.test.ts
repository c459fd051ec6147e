import t from "tap";
import { domainSearch, graphSearch } from "../../skills/search/searches.operations.js";
import type { Skill } from "../../src/contract/skill.js";
import type { SearchResponse } from "../../src/contract/wire.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type {
	RankedConcept,
	ScoreExplanation,
	SearchOutcome,
	SearchRequest,
} from "../../src/search/ranking/search-outcome.js";
import { DOMAIN_GRAPH, makeConcept } from "../service/sample-graphs.js";
import { boundSkill } from "../support/bound-skill.js";

const context = { signal: new AbortController().signal, requestId: "req_1", callId: "req_1" };

const EXPLANATION: ScoreExplanation = {
	bm25: 7.123456,
	lexicalShare: 1,
	cosine: 0.777777,
	denseShare: 0.5,
	denseWeight: 0.6,
	graph: 0.00004,
	prior: 0.98,
	answers: undefined,
	coverage: 2 / 3,
	isNamed: false,
	terms: [{ term: "payment", score: 7.123456 }],
};

const rowOf = (changes: Partial<RankedConcept> = {}): RankedConcept => {
	const concept = makeConcept();
	const { evidence } = concept;
	const trendId = `web-payments:${concept.id}`;
	return {
		...{ graph: DOMAIN_GRAPH, concept, trendId, score: 0.123456, evidence, duplicates: [] },
		...changes,
	};
};

/** Both skills over an engine that answers as scripted and remembers what it was asked. */
function start(outcome: Partial<SearchOutcome> = {}) {
	const asked: SearchRequest[] = [];
	const deps = {
		catalog: createGraphCatalog([DOMAIN_GRAPH]),
		clock: systemClock,
		search: {
			find: async (request: SearchRequest): Promise<SearchOutcome> => {
				asked.push(request);
				return {
					decision: "ANSWER",
					dataStatus: "TREND_MATCH",
					rows: [rowOf()],
					missing: [],
					mode: "hybrid",
					effort: "fast" as const,
					timings: {},
					...outcome,
				};
			},
		},
	};
	const ask = async (skill: Skill, input: object) => {
		const { kind, result } = await skill.run(skill.input.parse(input), context);
		skill.output.parse(result);
		return { kind, ...(result as SearchResponse) };
	};
	return {
		asked,
		askGraph: (input: object = {}) =>
			ask(boundSkill(graphSearch, deps), { graph_id: "web-payments", query: "payment", ...input }),
		askDomain: (input: object = {}) =>
			ask(boundSkill(domainSearch, deps), { query: "payment", ...input }),
	};
}

t.test("filters reach the engine under its own names", async (t) => {
	const { asked, askGraph, askDomain } = start();
	const filters = {
		type: ["Standard", " Event "],
		tags: ["http"],
		published_after: "2020-02-29",
		published_before: "2020-02-29",
		trust_tier: "machine-confirmed",
	};
	const filter = {
		types: ["Standard", "Event"],
		tags: ["http"],
		publishedAfter: "2020-02-29",
		publishedBefore: "2020-02-29",
		trust: "machine-confirmed",
	};
	await askGraph({ filters });
	t.match(asked[0], { filter, explain: false });
	await askDomain({ filters: { ...filters, kind: ["domain"] }, explain: true });
	t.match(asked[1], { filter: { ...filter, kinds: ["domain"] }, explain: true });
	await askGraph();
	t.equal(asked[2]?.filter, undefined);
});

t.test("an explanation is returned part by part, with four decimals", async (t) => {
	const { askGraph } = start({ rows: [rowOf({ explanation: EXPLANATION })] });
	const { rows } = await askGraph({ explain: true });
	t.same(rows[0]?.explanation, {
		bm25: 7.1235,
		lexical_share: 1,
		cosine: 0.7778,
		dense_share: 0.5,
		dense_weight: 0.6,
		graph: 0,
		prior: 0.98,
		answers: null,
		coverage: 0.6667,
		is_named: false,
		terms: [{ term: "payment", score: 7.1235 }],
	});
	const { cosine: _cosine, denseShare: _share, ...rest } = EXPLANATION;
	const keywords = { ...rest, cosine: undefined, denseShare: undefined };
	const worded = start({ rows: [rowOf({ explanation: keywords })], mode: "keyword" });
	const [row] = (await worded.askGraph({ explain: true })).rows;
	t.match(row?.explanation, { cosine: null, dense_share: null });
});

t.test("a row shows the engine's order of evidence and what it stands for", async (t) => {
	const [source] = makeConcept().evidence;
	const evidence = ["b", "a"].flatMap((articleId) => (source ? [{ ...source, articleId }] : []));
	const ids = ["web-payments:concepts.copy", "other-graph:concepts.copy"];
	const duplicates = ids.map((trendId) => ({ concept: makeConcept(), trendId }));
	const { rows } = await start({ rows: [rowOf({ evidence, duplicates }), rowOf()] }).askDomain();
	t.same(
		rows[0]?.evidence.map(({ article_id }) => article_id),
		["b", "a"],
	);
	t.same(rows[0]?.duplicates, ids);
	t.equal(rows[0]?.score, 0.1235);
	t.notOk("duplicates" in (rows[1] ?? {}), "a row that stands for itself alone says nothing");
	t.notOk("explanation" in (rows[1] ?? {}));
});

t.test("a search by keywords alone says why", async (t) => {
	const reason = "This server has no embedding model.";
	const { meta } = await start({ mode: "keyword", reason }).askGraph();
	t.match(meta, { mode: "keyword", mode_reason: reason });
	t.notOk("mode_reason" in (await start().askGraph()).meta);
});

t.test("without a row there is nothing to pay for", async (t) => {
	const none = { decision: "ABSTAIN", dataStatus: "NO_MATCH", rows: [] } as const;
	const { kind, meta, dataStatus } = await start(none).askGraph();
	t.same([kind, meta.decision, dataStatus], ["no-answer", "ABSTAIN", "NO_MATCH"]);
});
