import t from "tap";
import { composeAnswer, passagesOf } from "../../skills/answers/engine/answer-engine.js";
import type { Decision } from "../../src/contract/wire.js";
import { unavailable } from "../../src/kernel/errors.js";
import type { Concept } from "../../src/knowledge/model/graph.js";
import type { JudgedSearch } from "../../src/search/search-engine.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { handJudge, reading } from "../support/word-judge.js";

const conceptOf = (title: string, body: string) =>
	makeConcept({
		id: title,
		path: `${title}.md`,
		title,
		summary: body,
		body,
		aliases: [],
		tags: [],
	});

const TIDES = conceptOf(
	"Tides",
	"The moon pulls the water of the sea, which rises twice a day in most ports.",
);
const WINDS = conceptOf(
	"Winds",
	"A wind blows from where the air is heavy to where it is light, over land and sea.",
);

interface Asked {
	readonly question: string;
	readonly concepts?: readonly Concept[];
	readonly decision?: Decision;
	/** What the judge reads in every passage, or beside a question; no judge where absent. */
	readonly answers?: number | ((question: string) => number);
	readonly embedder?: JudgedSearch["embedder"];
	readonly tokens?: number;
	readonly asOf?: string;
}

/** Asks a graph all of whose concepts are found, in their order. */
function ask({
	question,
	concepts = [TIDES],
	decision = "ANSWER",
	answers,
	embedder,
	tokens = 400,
	asOf,
}: Asked) {
	const graph = makeGraph({ id: "sea", title: "The sea" }, [...concepts]);
	const rows = concepts.map((concept, at) => ({
		...{ graph, concept, trendId: `sea:${concept.id}`, duplicates: [] },
		...{ score: 1 - at / 10, evidence: concept.evidence },
	}));
	const search = {
		judge:
			answers === undefined
				? undefined
				: handJudge(({ text }) =>
						reading("supports", typeof answers === "number" ? answers : answers(text)),
					),
		embedder,
		find: async () => ({
			...{ decision, dataStatus: "TREND_MATCH" as const, rows, missing: [] },
			...{ mode: "keyword" as const, effort: "best" as const, timings: {} },
		}),
	};
	const { signal } = new AbortController();
	const graphs = [graph];
	return composeAnswer(search, { question, graphs, tokens, conceptsMax: 12, asOf, signal });
}

t.test("what the judge reads in the best passage decides, by the kind of question", async (t) => {
	const question = "Why does the sea rise?";
	t.equal((await ask({ question, answers: 0.9 })).verdict, "answered");
	t.equal((await ask({ question, answers: 0.4 })).verdict, "not_in_graphs");
	const list = "Which ports and seas rise twice a day?";
	t.equal((await ask({ question: list, answers: 0.55 })).verdict, "answered", "a piece of a list");
	t.equal((await ask({ question })).verdict, "answered", "without a judge the search decides");
	const weak = await ask({ question, decision: "PARTIAL" });
	t.equal(weak.verdict, "partial");
	t.equal((await ask({ question, decision: "CLARIFY", answers: 0.9 })).verdict, "not_in_graphs");
});

t.test("a name, year or version that nothing found speaks of is no answer", async (t) => {
	const asked = async (question: string) => (await ask({ question, answers: 0.9 })).missing;
	t.same(await asked("Why did the sea rise in 1897?"), ["1897"]);
	t.same(await asked("Why does the sea rise in Rotterdam?"), ["Rotterdam"]);
	t.same(await asked("Why do the Tides rise, name 3 reasons?"), [], "a count is no fact");
	t.same(await asked("Compare Tides and rivers"), [], "what is done with a name is no part of it");
});

t.test("a version that the sources of a passage name is known, a day of them is not", async (t) => {
	const [source] = makeConcept().evidence;
	const title = "Rules for Tide Tables (RTT) 2.2, 3 May 1897";
	const concepts = [{ ...TIDES, evidence: source ? [{ ...source, title }] : [] }];
	const asked = async (question: string) =>
		(await ask({ question, answers: 0.9, concepts })).missing;
	t.same(await asked("Why do Tides rise by RTT 2.2?"), []);
	t.same(await asked("Why do Tides rise by RTT 2.3?"), ["RTT 2.3"]);
	t.same(await asked("Why did the Tides rise in 1897?"), ["1897"]);
});

t.test("how something developed needs no passage that tells it whole", async (t) => {
	t.equal(
		(await ask({ question: "How did the Tides develop?", answers: 0.3 })).verdict,
		"answered",
	);
	t.equal(
		(await ask({ question: "How do the Tides come?", answers: 0.3 })).verdict,
		"not_in_graphs",
	);
});

t.test("of names asked of together only those are open that no passage speaks of", async (t) => {
	const question = "Why do Winds and Tides follow the moon?";
	const answers = (text: string) => (text.startsWith("Why do Winds follow") ? 0.02 : 0.9);
	const both = conceptOf("Moon", "Winds and Tides follow the moon, which warms and pulls the sea.");
	t.match(await ask({ question, answers, concepts: [both] }), { verdict: "answered", gaps: [] });
	const apart = [TIDES, WINDS];
	const { verdict, gaps } = await ask({ question, answers, concepts: apart });
	t.equal(verdict, "partial");
	t.match(gaps, [{ question: "Why do Winds follow the moon?" }]);
});

t.test("the likeliest passage is read first", async (t) => {
	const question = "Why do Tides come and why do Winds blow?";
	const { blocks } = await ask({ question, answers: 0.9, concepts: [WINDS, TIDES] });
	const likelihoods = blocks.map(({ answers }) => answers);
	t.ok(likelihoods.length > 1);
	t.equal(likelihoods[0], Math.max(...likelihoods));
});

t.test("nothing is sold where nothing is said", async (t) => {
	const none = await ask({ question: "Why does the sea rise?", concepts: [] });
	t.match(none, { verdict: "not_in_graphs", tokens: 0, gaps: [{ part: 0, nearest: [] }] });
	const empty = makeConcept({ id: "empty", title: "Empty", summary: "", body: "" });
	t.equal((await ask({ question: "Why is it?", concepts: [empty] })).verdict, "not_in_graphs");
	for (const question of ["How do sparrows differ from finches?", "Tides vs winds"]) {
		const answer = await ask({ question, concepts: [TIDES, WINDS] });
		const isSold = answer.verdict !== "not_in_graphs";
		t.equal(passagesOf(answer).length > 0, isSold, question);
	}
});

t.test("the sides of a comparison stand side by side, each passage once", async (t) => {
	const answer = await ask({ question: "Compare tides and winds", concepts: [TIDES, WINDS] });
	t.same(answer.table?.columns, ["tides", "winds"]);
	const [row] = answer.table?.rows ?? [];
	t.match(row?.cells[0]?.[0]?.text, /moon/);
	t.match(row?.cells[1]?.[0]?.text, /wind/);
	const ids = passagesOf(answer).flatMap((said) => said.map(({ evidenceId }) => evidenceId));
	t.equal(new Set(ids).size, ids.length);
});

t.test("the tokens asked for are kept, however much there is to say", async (t) => {
	const many = Array.from({ length: 40 }, (_, at) =>
		conceptOf(
			`Tides ${at}`,
			`In port number ${at} the water rises ${at} feet above the mark on the wall.`,
		),
	);
	for (const tokens of [60, 200, 400]) {
		const answer = await ask({ question: "How high does the water rise?", concepts: many, tokens });
		t.ok(answer.tokens <= tokens, `${answer.tokens} of ${tokens}`);
	}
});

t.test("an encoder that fails leaves words and ranks", async (t) => {
	const embedder = {
		embed: async () => {
			throw unavailable("It is gone.");
		},
	} as unknown as JudgedSearch["embedder"];
	const answer = await ask({ question: "Why does the sea rise?", embedder });
	t.equal(answer.verdict, "answered");
	for (const { answers } of answer.blocks) t.ok(Number.isFinite(answers));
});

t.test("what rests on sources of a later day does not count", async (t) => {
	const published = (day: string) => ({
		...{ articleId: day, title: "Tables", sourceUrl: `https://tides.example/${day}` },
		...{ publishedAt: day, datePrecision: "day" as const },
	});
	const tides = { ...TIDES, evidence: [published("2020-05-01"), published("2026-05-01")] };
	const question = "Why does the sea rise?";
	const early = await ask({ question, concepts: [tides], asOf: "2021-01-01" });
	const sources = passagesOf(early).flatMap((said) => said.flatMap(({ sources }) => sources));
	t.same(new Set(sources.map(({ publishedAt }) => publishedAt)), new Set(["2020-05-01"]));
	const before = await ask({ question, concepts: [tides], asOf: "2019-01-01" });
	t.equal(before.verdict, "not_in_graphs");
});
