import t from "tap";
import {
	answerQuestion,
	finishSteps,
	type QuestionTask,
} from "../../skills/answers/question-answer.js";
import { extractiveWriter } from "../../skills/answers/written-prose.js";
import type { Decision } from "../../src/contract/wire.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import type { GraphRouter, HybridSearch, JudgedSearch } from "../../src/search/search-engine.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";

const graphOf = (id: string, text: string): Graph =>
	makeGraph({ id }, [makeConcept({ id, path: `${id}.md`, title: id, summary: text, body: text })]);
const TIDES = graphOf("tides", "Spring tides follow the full moon by two days.");
const MOONS = graphOf("moons", "The moon orbits the earth in a month.");

/** Finds both graphs, the first one best, and promises an answer of those named. */
function ask(
	{ decision, promised }: { decision: Decision; promised: readonly Graph[] },
	task: Pick<QuestionTask, "added"> = {},
) {
	const search: HybridSearch & JudgedSearch & GraphRouter = {
		judge: undefined,
		embedder: undefined,
		find: async ({ graphs }) => ({
			decision,
			dataStatus: "TREND_MATCH",
			rows: graphs.flatMap((graph, at) =>
				graph.concepts.map((concept) => ({
					...{ graph, concept, trendId: `${graph.record.id}:${concept.id}`, duplicates: [] },
					...{ score: 1 - at / 10, evidence: concept.evidence },
				})),
			),
			...{ missing: [], mode: "keyword", effort: "best", timings: {} },
		}),
		route: async () => ({
			graphs: promised.map((graph) => ({
				...{ graph, decision: "CLARIFY" as const, strength: 0.4 },
				...{ covered: [], missing: [], rows: 1 },
			})),
			...{ missing: [], mode: "keyword" },
		}),
	};
	const question = "When do spring tides follow the full moon?";
	const { signal } = new AbortController();
	const graphs = [TIDES, MOONS];
	const steps = answerQuestion(
		{ search, writer: extractiveWriter },
		{ question, graphs, signal, ...task },
	);
	return finishSteps(steps);
}

t.test("an answer rests on the row that decided it, whichever graphs were promised", async (t) => {
	const { decision, graphIds, sentences } = await ask({ decision: "ANSWER", promised: [MOONS] });
	t.equal(decision, "ANSWER");
	t.equal(graphIds[0], "tides");
	t.match(sentences[0]?.text, /two days/);
});

t.test("what no graph promises, and what has to be asked back, is no answer", async (t) => {
	t.match(await ask({ decision: "ANSWER", promised: [] }), { sentences: { length: 0 } });
	t.match(await ask({ decision: "CLARIFY", promised: [TIDES] }), { sentences: { length: 0 } });
});

t.test("evidence that says nothing of what a follow-up added is no answer to it", async (t) => {
	const found = { decision: "ANSWER", promised: [TIDES] } as const;
	t.equal((await ask(found, { added: "chocolate cake" })).decision, "ABSTAIN");
	t.equal((await ask(found, { added: "a full moon" })).decision, "ANSWER");
	t.equal((await ask(found, { added: "this" })).decision, "ANSWER", "nothing of its own");
});
