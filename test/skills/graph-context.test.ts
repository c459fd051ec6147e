import { setImmediate } from "node:timers/promises";
import t from "tap";
import { createPassageRanking } from "../../skills/graphs/reading/context-pack.js";
import { graphContext } from "../../skills/graphs/relevance.operations.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Concept, Graph } from "../../src/knowledge/model/graph.js";
import type { HybridSearch } from "../../src/search/search-engine.js";
import { boundSkill } from "../support/bound-skill.js";
import { conceptOf, graphWith } from "./reading/random-graph.js";

const paragraphs = (name: string, count: number) =>
	Array.from({ length: count }, (_, at) => `Paragraph ${at} of ${name} on settlement.`).join(
		"\n\n",
	);
const longConcept = (id: string, count = 2_000) =>
	conceptOf(id, { title: id, summary: `About ${id}.`, body: paragraphs(id, count) });

/** Finds every concept of the graph, whatever is asked. */
const findsAll = {
	find: async ({ graphs }: { graphs: readonly Graph[] }) => ({
		rows: graphs.flatMap((graph) =>
			graph.concepts.map((concept) => ({
				graph,
				concept,
				trendId: `${graph.record.id}:${concept.id}`,
				score: 1,
				duplicates: [],
			})),
		),
		decision: "ANSWER",
		mode: "keyword",
		missing: [],
	}),
} as unknown as HybridSearch;

function packing(concepts: readonly Concept[]) {
	const catalog = createGraphCatalog([graphWith(concepts)]);
	const skill = boundSkill(graphContext, { catalog, search: findsAll });
	return (input: object, signal: AbortSignal) =>
		skill.run(skill.input.parse({ graph_id: "tides", query: "settlement", ...input }), {
			signal,
			requestId: "req_test",
			callId: "req_test",
		});
}

t.test("while a pack is made of long texts, others are served", async (t) => {
	const pack = packing(["a", "b", "c"].map((id) => longConcept(id)));
	let isDone = false;
	let turns = 0;
	const made = pack({ max_tokens: 16_000 }, new AbortController().signal).then((outcome) => {
		isDone = true;
		return outcome;
	});
	while (!isDone) {
		await setImmediate();
		turns += 1;
	}
	t.equal((await made).kind, "answer");
	t.ok(turns > 100, `${turns} turns`);
});

t.test("a pack whose caller leaves ends, also with its last step", async (t) => {
	const pack = packing(["a", "b", "c"].map((id) => longConcept(id)));
	const caller = new AbortController();
	const made = pack({ max_tokens: 16_000 }, caller.signal);
	await setImmediate();
	caller.abort(new Error("The caller left."));
	await t.rejects(made, { message: "The caller left." });

	const brief = packing([conceptOf("a", { body: "Settlement is final." })]);
	const late = new AbortController();
	const answered = brief({}, late.signal);
	void setImmediate().then(() => late.abort(new Error("The caller left late.")));
	await t.rejects(answered, { message: "The caller left late." });
});

t.test("no more is read than a full pack needs, and nothing twice", async (t) => {
	let read = 0;
	const watched = ["a", "b", "c", "d"].map((id) => {
		const concept = longConcept(id, 50);
		return Object.defineProperty({ ...concept }, "body", {
			get() {
				read += 1;
				return concept.body;
			},
		});
	});
	const rank = createPassageRanking();
	const take = (count: number) => {
		const taken: string[] = [];
		for (const candidate of rank("settlement", watched)) {
			if (candidate) taken.push(candidate.text);
			if (taken.length === count) break;
		}
		return taken;
	};
	take(1);
	t.equal(read, 1);
	t.equal(take(150).length, 150);
	t.equal(read, 4);
	take(150);
	t.equal(read, 4);
});
