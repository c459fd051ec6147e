import t from "tap";
import { createGraphCatalog } from "../../src/knowledge/catalog.js";
import type { GraphRecord } from "../../src/knowledge/graph.js";
import type { HybridSearch } from "../../src/search/search.js";
import { createExpertRoster } from "../../src/service/expert-roster.js";
import { DOMAIN_GRAPH, makeGraph } from "./sample-graphs.js";

const makeDesk = (id: string, headline: string, topics: string[]) =>
	makeGraph({
		id,
		slug: id,
		title: id,
		type: "expert",
		topics,
		expert: { agentId: id, name: id, headline, isAiTwin: true, disclosure: "Synthetic." },
	} satisfies Partial<GraphRecord>);

const tls = makeDesk("tls-desk", "Certificates and handshakes", ["tls", "certificates"]);
const api = makeDesk("api-desk", "Retries and errors", ["idempotency", "http apis"]);

/** A search that finds a desk's first concept with the score it is told. */
const searchFinding = (scores: Record<string, number>): HybridSearch => ({
	find: async ({ graphs }) => ({
		decision: "ANSWER",
		dataStatus: "TREND_MATCH",
		rows: graphs.flatMap((graph) => {
			const score = scores[graph.record.id];
			const [concept] = graph.concepts;
			return score === undefined || !concept
				? []
				: [{ graph, concept, score, evidence: concept.evidence, duplicates: [] }];
		}),
		missing: [],
		mode: "hybrid",
		timings: {},
	}),
});

const { signal } = new AbortController();

const rosterOf = (scores: Record<string, number>) => {
	const find = createExpertRoster({
		catalog: createGraphCatalog([DOMAIN_GRAPH, tls, api]),
		search: searchFinding(scores),
	});
	return (query: string, limit: number) => find(query, limit, signal);
};

t.test("a desk is found by what it wrote and by what it says of itself", async (t) => {
	const byContent = await rosterOf({ "api-desk": 0.9, "tls-desk": 0.3 })("safe repetition", 10);
	t.same(
		byContent.map(({ agent_id, score }) => [agent_id, score]),
		[
			["api-desk", 0.54],
			["tls-desk", 0.18],
		],
	);
	const byProfile = await rosterOf({})("certificates", 10);
	t.same(byProfile, [
		{
			agent_id: "tls-desk",
			name: "tls-desk",
			headline: "Certificates and handshakes",
			topics: ["tls", "certificates"],
			graphs: ["tls-desk"],
			is_ai_twin: true,
			disclosure: "Synthetic.",
			score: 0.4,
		},
	]);
});

t.test("desks without any match stay out, and the best come first within the limit", async (t) => {
	t.same(await rosterOf({})("gardening", 10), []);
	const one = await rosterOf({ "api-desk": 0.2, "tls-desk": 0.8 })("anything", 1);
	t.same(
		one.map(({ agent_id }) => agent_id),
		["tls-desk"],
	);
	const tie = await rosterOf({ "api-desk": 0.5, "tls-desk": 0.5 })("anything", 10);
	t.same(
		tie.map(({ agent_id }) => agent_id),
		["api-desk", "tls-desk"],
	);
});

t.test("only expert graphs are asked, and nothing of their content is told", async (t) => {
	const answer = await rosterOf({ "web-payments": 1, "api-desk": 1 })("payment", 10);
	t.same(
		answer.map(({ agent_id }) => agent_id),
		["api-desk"],
	);
	t.notMatch(JSON.stringify(answer), /for sale|HTTP 402/);
});

t.test("a catalog without experts has an empty roster", async (t) => {
	const search: HybridSearch = {
		find: async () => {
			throw new Error("There is nothing to search.");
		},
	};
	const roster = createExpertRoster({ catalog: createGraphCatalog([DOMAIN_GRAPH]), search });
	t.same(await roster("anything", 10, signal), []);
});
