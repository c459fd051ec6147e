import t, { type Test } from "tap";
import { isSupported } from "../../../skills/answers/report/findings.js";
import type { DeepDiveReport } from "../../../skills/deep-dive/report-wire.js";
import { catalogFolders, loadGraphs } from "../../../src/app/content.js";
import { findCitedSentence } from "../../../src/evidence/cited-sentences.js";
import type { GraphCatalog } from "../../../src/knowledge/catalog.js";
import { openDive } from "./run-dive.js";

const silent = { info: () => undefined, error: () => undefined };
const folder = t.testdir();
const shipped = catalogFolders("sample", folder).filter(({ origin }) => origin === "shipped");
const graphs = await loadGraphs(shipped, silent);
const dive = await openDive(folder, graphs);
t.teardown(dive.close);

const QUESTIONS = [
	"How does an agent pay for an API call that answers HTTP 402?",
	"Why were lazy imports rejected in PEP 690 and final in PEP 810?",
	"EIP-3009 versus ERC-2612 for gasless transfers",
];

t.test("a comprehensive dive reads forty sources and more and cites all it says", async (t) => {
	const { report, isAnswer, progress } = await dive.run(QUESTIONS[0] ?? "", "comprehensive");
	t.equal(isAnswer, true);
	t.ok((progress.at(-1)?.read ?? 0) >= 40, `read ${progress.at(-1)?.read}`);
	t.ok(report.findings.length >= 5, `${report.findings.length} findings`);
	t.ok(report.abstract.length > 0);
	t.equal(report.method.passes.length, 9);
	t.ok(report.method.claims_checked > 0);
	assertCited(t, report, dive.catalog);
});

for (const question of QUESTIONS) {
	t.test(`every sentence of a fast dive is its evidence's: ${question}`, async (t) => {
		const { report, isAnswer } = await dive.run(question, "fast");
		t.equal(isAnswer, true);
		assertCited(t, report, dive.catalog);
	});
}

t.test("a pass that is run twice changes nothing, and numbers never go back", async (t) => {
	const once = await dive.run(QUESTIONS[1] ?? "", "fast");
	const twice = await dive.run(QUESTIONS[1] ?? "", "fast", { twice: true });
	t.same(twice.report, once.report);
	for (const [place, { considered, read }] of once.progress.entries()) {
		const before = once.progress[place - 1];
		t.ok(considered >= (before?.considered ?? 0) && read >= (before?.read ?? 0));
	}
});

t.test("a subject no graph knows is no answer, whatever its facets would find", async (t) => {
	const { report, isAnswer, stopReason } = await dive.run(
		"What is the moon made of?",
		"comprehensive",
	);
	t.equal(isAnswer, false);
	t.equal(stopReason, "no evidence");
	t.same(report.findings, []);
	t.match(report.not_known.join("\n"), /moon/);
});

t.test("a question that only names what a graph knows is no answer", async (t) => {
	const { report, isAnswer } = await dive.run("What did Napoleon think of HSTS?", "comprehensive");
	t.equal(isAnswer, false);
	t.same([report.findings, report.abstract, report.timeline], [[], [], []]);
	t.equal((await dive.run("HSTS", "fast")).isAnswer, true, "asked for by its name it is one");
});

t.test("the plan states questions and graphs, and nothing of what these hold", async (t) => {
	const { events } = await dive.run(QUESTIONS[2] ?? "", "fast");
	const plan = events.find(({ event }) => event === "research.plan")?.data as {
		aspects: { question: string }[];
		graphIds: string[];
	};
	const asked = plan.aspects.map(({ question }) => question);
	t.equal(asked[0], QUESTIONS[2]);
	t.ok(asked.includes("EIP-3009"), "one side of what is compared");
	t.ok(plan.graphIds.includes("agent-payments"));
	t.notMatch(JSON.stringify(plan), /summary|body|source_url/);
});

t.test("a dive that was stopped hands over what it had read, quoted and cited", async (t) => {
	const { states } = await dive.run(QUESTIONS[0] ?? "", "fast");
	const ends = states.map((state) => dive.work.finish(state));
	t.same(
		ends.map(({ isAnswer }) => isAnswer),
		[false, false, false, true, true, true, true],
		"from the pass on that reads",
	);
	const [unread, read] = [ends[0]?.report ?? {}, ends[3]?.report ?? {}];
	t.same(dive.work.sourcesOf(unread), []);
	t.ok(dive.work.sourcesOf(read).length > 0);
	t.match(dive.work.exportOf(read, "md"), /ended before all of its passes/);
	assertCited(t, read as unknown as DeepDiveReport, dive.catalog);
});

t.test("what was found and not remembered is not reported as unknown", async (t) => {
	const { report, events } = await dive.run(
		"JSON Pointer versus Raft versus HSTS",
		"comprehensive",
	);
	const searched = events.filter(({ event }) => event === "research.search");
	for (const { data } of searched) {
		const { question, concepts } = data as { question: string; concepts: number };
		if (concepts === 0) continue;
		t.notOk(
			report.not_known.some((told) => told.endsWith(`compared: ${question}.`)),
			question,
		);
	}
});

function assertCited(t: Test, report: DeepDiveReport, catalog: GraphCatalog) {
	const citations = new Map(report.citations.map((citation) => [citation.n, citation]));
	for (const citation of report.citations) {
		const sentence = findCitedSentence(catalog, citation.evidence_id);
		t.equal(sentence?.text, citation.excerpt, citation.evidence_id);
		t.ok(sentence?.sources.some(({ sourceUrl }) => sourceUrl === citation.source_url));
	}
	const said = [
		...report.abstract,
		...report.timeline,
		...report.contradictions.flatMap(({ one, other }) => [one, other]),
		...report.findings.map(({ statement: text, citation_ids }) => ({ text, citation_ids })),
	];
	for (const { text, citation_ids: ids } of said) {
		t.ok(ids.length > 0, text);
		const evidence = ids.map((n) => citations.get(n)?.excerpt ?? "").join("\n");
		t.ok(evidence.includes(text) || isSupported(text, evidence), text);
	}
}
