import t from "tap";
import { createExpertDirectory } from "../../skills/experts/expert-directory.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { GraphRecord } from "../../src/knowledge/model/graph.js";
import type { HybridSearch } from "../../src/search/search-engine.js";
import { DOMAIN_GRAPH, makeConcept, makeGraph } from "./sample-graphs.js";

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

/** A search that finds a desk's first concept with the score it is given. */
const searchFinding = (scores: Record<string, number>): HybridSearch => ({
	find: async ({ graphs }) => ({
		decision: "ANSWER",
		dataStatus: "TREND_MATCH",
		rows: graphs.flatMap((graph) => {
			const score = scores[graph.record.id];
			const [concept] = graph.concepts;
			return score === undefined || !concept
				? []
				: [
						{
							graph,
							concept,
							trendId: concept.id,
							score,
							evidence: concept.evidence,
							duplicates: [],
						},
					];
		}),
		missing: [],
		mode: "hybrid",
		effort: "fast" as const,
		timings: {},
	}),
});

const { signal } = new AbortController();

const rosterOf = (scores: Record<string, number>) => {
	const directory = createExpertDirectory({
		catalog: createGraphCatalog([DOMAIN_GRAPH, tls, api]),
		search: searchFinding(scores),
	});
	return (query: string, limit: number) => directory.search(query, limit, signal);
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
	const [byProfile, ...others] = await rosterOf({})("certificates", 10);
	t.same(others, []);
	t.match(byProfile, {
		agent_id: "tls-desk",
		headline: "Certificates and handshakes",
		topics: ["tls", "certificates"],
		graphs: ["tls-desk"],
		is_ai_twin: true,
		disclosure: "Synthetic.",
	});
	t.ok((byProfile?.score ?? 0) > 0.25);
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

t.test("only expert graphs are asked, and nothing of their content is revealed", async (t) => {
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
	const directory = createExpertDirectory({
		catalog: createGraphCatalog([DOMAIN_GRAPH]),
		search,
	});
	t.same(await directory.search("anything", 10, signal), []);
	t.same(await directory.list({ limit: 10 }), { items: [], next_cursor: null });
});

const specialist = (number: number, topic: string) =>
	makeConcept({
		id: `people.s${String(number).padStart(4, "0")}`,
		type: "Specialist",
		title: `Synthetic specialist ${number}`,
		summary: `Works on ${topic}`,
		tags: [topic],
	});

const TOPICS = ["heat pumps", "ground anchors", "tidal turbines"];
const rosterGraph = makeGraph(
	{
		id: "roster",
		slug: "roster",
		type: "expert",
		topics: ["specialists"],
		expert: {
			agentId: "roster",
			name: "Roster",
			headline: "Synthetic specialists",
			isAiTwin: true,
			disclosure: "Generated; no person stands behind an entry.",
		},
	},
	Array.from({ length: 250 }, (_, index) => specialist(index, TOPICS[index % 3] ?? "")),
);

t.test(
	"a roster's specialists are found by their own profile, without asking the notes",
	async (t) => {
		let asked = 0;
		const directory = createExpertDirectory({
			catalog: createGraphCatalog([rosterGraph, tls]),
			search: {
				find: (request) => {
					asked += 1;
					return searchFinding({}).find(request);
				},
			},
		});
		const found = await directory.search("tidal turbines", 5, signal);
		t.equal(found.length, 5);
		for (const { topics, is_ai_twin, disclosure } of found) {
			t.same(topics, ["tidal turbines"]);
			t.ok(is_ai_twin);
			t.match(disclosure, /no person/);
		}
		t.equal(asked, 0);
		await directory.search("sailing boats", 5, signal);
		t.equal(asked, 1, "what no profile names is looked for in the notes");
	},
);

t.test("the roster is read page by page, everybody once, also of one topic", async (t) => {
	const directory = createExpertDirectory({
		catalog: createGraphCatalog([rosterGraph, tls, api]),
		search: searchFinding({}),
	});
	const readAll = async (topic?: string) => {
		const seen: string[] = [];
		for (let cursor: string | undefined; ; ) {
			const page = await directory.list({ limit: 40, topic, cursor });
			seen.push(...page.items.map(({ agent_id }) => agent_id));
			if (page.next_cursor === null) return seen;
			cursor = page.next_cursor;
		}
	};
	const everybody = await readAll();
	t.equal(everybody.length, 253);
	t.same(everybody, [...new Set(everybody)].sort());
	t.equal((await readAll("Heat Pumps")).length, 84);
	const { next_cursor } = await directory.list({ limit: 1 });
	const cursor = next_cursor ?? "";
	await t.rejects(directory.list({ limit: 1, topic: "heat pumps", cursor }), {
		code: "INVALID_ARGUMENT",
	});
	await t.rejects(directory.list({ limit: 1, cursor: "nonsense" }), { code: "INVALID_ARGUMENT" });
});

t.test(
	"an expert's page states numbers and questions, and an unknown name gets near ones",
	async (t) => {
		const directory = createExpertDirectory({
			catalog: createGraphCatalog([rosterGraph, tls]),
			search: searchFinding({}),
		});
		t.match(await directory.get("roster:people.s0007"), {
			name: "Synthetic specialist 7",
			coverage: { notes: 1 },
		});
		t.match(await directory.get("tls-desk"), { questions: ["What does 402 mean?"] });
		await t.rejects(directory.get("tls-desks"), { code: "NOT_FOUND", message: /tls-desk/ });
		await t.rejects(directory.get("zzz"), { code: "NOT_FOUND", message: /\/v1\/experts/ });
	},
);

t.test("a match says why: words of the profile, and notes that bear on the question", async (t) => {
	const directory = createExpertDirectory({
		catalog: createGraphCatalog([tls, api]),
		search: searchFinding({ "api-desk": 0.9 }),
	});
	const [first, second] = await directory.match("retries and certificates", 5, signal);
	t.match(first, { agent_id: "api-desk", reasons: { words: ["retries"], notes: 1 } });
	t.match(second, { agent_id: "tls-desk", reasons: { words: ["certificates"], notes: 0 } });
});
