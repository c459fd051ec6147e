import { join } from "node:path";
import fc from "fast-check";
import t, { type Test } from "tap";
import { analystsOf } from "../../skills/analysts/analyst-index.js";
import { askAnalyst } from "../../skills/analysts/analyst-view.js";
import { passCitationGate, type WrittenSentence } from "../../skills/answers/citation-gate.js";
import type { Writer } from "../../skills/answers/writer/writing-task.js";
import { extractiveWriter } from "../../skills/answers/written-prose.js";
import { consultTwin } from "../../skills/experts/consultation.js";
import { createExpertDirectory } from "../../skills/experts/expert-directory.js";
import { catalogFolders, loadGraphs, openSearch } from "../../src/app/content.js";
import { findCitedSentence, toCitedSentences } from "../../src/evidence/cited-sentences.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { handJudge } from "../support/word-judge.js";

const judge = handJudge();
const silent = { info: () => undefined, error: () => undefined };
const folder = t.testdir({});
const catalog = createGraphCatalog(await loadGraphs(catalogFolders("sample", folder), silent));
const search = await openSearch({
	model: "none",
	folder: join(folder, "index"),
	modelsFolder: join(folder, "models"),
	clock: systemClock,
});
await search.sync(catalog.list());
t.teardown(() => search.close());

const experts = createExpertDirectory({ catalog, search });
const desks = (await experts.list({ limit: 10 })).items.map(({ agent_id }) => agent_id);
const titlesOf = (graphs: readonly Graph[]) =>
	graphs.flatMap(({ concepts }) => concepts.map(({ title }) => title));
const own = titlesOf([...catalog.list({ type: "expert" }), ...catalog.list({ type: "analyst" })]);
/** Questions about anything in any graph, so that most of them tempt anyone who is asked to say what others know. */
const questions = fc
	.tuple(
		fc.constantFrom("Should we use ", "How does one ", "What is ", "Why ", "Which standard "),
		fc.oneof(fc.constantFrom(...own), fc.constantFrom(...titlesOf(catalog.list()))),
		fc.constantFrom("?", " and HSTS?", " with pagination?", " in Python?"),
	)
	.map((parts) => parts.join(""));
const { signal } = new AbortController();
const today = "2026-11-22";
const foreign = catalog
	.list({ type: "domain" })
	.flatMap((graph) => graph.concepts.slice(0, 2).flatMap((one) => toCitedSentences(graph, one)));

/** Every sentence has evidence, all of it is of one graph, and it passes the gate again on what the catalog holds. */
async function assertOwn(t: Test, sentences: readonly WrittenSentence[], graphId: string) {
	const draft = sentences.map(({ text, evidence }) => ({
		text,
		evidenceIds: evidence.map(({ evidenceId }) => evidenceId),
	}));
	for (const { evidence } of sentences) {
		if (evidence.length === 0 || evidence.some(({ graph }) => graph.record.id !== graphId)) {
			t.fail("cites another graph, or nothing");
		}
	}
	const ids = draft.flatMap(({ evidenceIds }) => evidenceIds);
	const offered = ids.flatMap((id) => findCitedSentence(catalog, id) ?? []);
	const { dropped } = await passCitationGate(draft, { offered, judge, signal });
	if (dropped.length > 0) t.fail("a sentence does not pass the gate", { dropped });
}

/** Cites what it was never offered, beside a little of what it was. */
const greedy: Writer = {
	name: "llm:greedy",
	draft: async ({ offered }) => [
		...foreign.slice(0, 5).map(({ text, evidenceId }) => ({ text, evidenceIds: [evidenceId] })),
		...foreign.slice(0, 5).map(({ text }) => ({
			text,
			evidenceIds: offered.slice(0, 1).map(({ evidenceId }) => evidenceId),
		})),
		...offered.slice(0, 1).map(({ text, evidenceId }) => ({ text, evidenceIds: [evidenceId] })),
	],
};

t.test(
	"a twin never cites another graph, whatever it is asked and whichever writer writes",
	async (t) => {
		let answered = 0;
		const writers = fc.constantFrom(extractiveWriter, greedy);
		// Each desk is also asked about its own concepts, so that some questions have an answer whatever the seed.
		const examples = catalog
			.list({ type: "expert" })
			.filter(({ record }) => desks.includes(record.id))
			.flatMap(({ record, concepts }) =>
				concepts
					.slice(0, 4)
					.map((one): [string, string, Writer] => [
						`What is ${one.title}?`,
						record.id,
						extractiveWriter,
					]),
			);
		await fc.assert(
			fc.asyncProperty(
				questions,
				fc.constantFrom(...desks),
				writers,
				async (question, id, writer) => {
					const expert = await experts.profile(id);
					const deps = { search: { ...search, judge }, catalog, writer };
					const { answer, elsewhere } = await consultTwin(deps, {
						expert,
						question,
						today,
						signal,
					});
					if (elsewhere.includes(expert.graph)) t.fail("names itself as somebody else");
					if (!answer) return;
					answered += 1;
					await assertOwn(t, [...answer.sentences, ...answer.keyPoints], expert.graph.record.id);
				},
			),
			{ numRuns: 40, examples },
		);
		t.ok(answered > 0, `${answered} answered`);
	},
);

t.test("an analyst never cites another graph, and its odds add up", async (t) => {
	let answered = 0;
	const analysts = analystsOf(catalog);
	const examples = analysts.flatMap((analyst) =>
		titlesOf([analyst.graph])
			.slice(0, 6)
			.map((title): [string, typeof analyst] => [`What is ${title}?`, analyst]),
	);
	await fc.assert(
		fc.asyncProperty(questions, fc.constantFrom(...analysts), async (question, analyst) => {
			const deps = { search, writer: greedy };
			const { view } = await askAnalyst(deps, { analyst, question, today, signal });
			if (!view) return;
			answered += 1;
			const { thesis, evidence, sides, open, indicators, odds } = view;
			const quoted = [
				...sides.for,
				...sides.against,
				...open,
				...indicators.map(({ sentence }) => sentence),
			].map((sentence) => ({ text: sentence.text, evidence: [sentence] }));
			await assertOwn(t, [thesis, ...evidence, ...quoted], analyst.graph.record.id);
			const { base, upside, downside } = odds.probabilities;
			if (Math.abs(base + upside + downside - 1) > 1e-9) t.fail("odds do not add up");
		}),
		{ numRuns: 40, examples },
	);
	t.ok(answered > 0, `${answered} answered`);
});
