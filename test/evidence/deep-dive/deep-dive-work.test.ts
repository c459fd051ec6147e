import t, { type Test } from "tap";
import { isSupported } from "../../../skills/answers/report/findings.js";
import { toReportDocument } from "../../../skills/deep-dive/report-pages.js";
import type { DeepDiveReport } from "../../../skills/deep-dive/report-wire.js";
import { catalogFolders, loadGraphs } from "../../../src/app/content.js";
import type { JobJson } from "../../../src/contract/job.js";
import { findCitedSentence } from "../../../src/evidence/cited-sentences.js";
import type { GraphCatalog } from "../../../src/knowledge/model/catalog.js";
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
/** One on which much bears. */
const WIDE = "What makes HTTP APIs safe to retry?";

t.test("a comprehensive dive reads many sources and cites all it says", async (t) => {
	const { report, isAnswer, progress } = await dive.run(WIDE, "comprehensive");
	t.equal(isAnswer, true);
	const { considered = 0, read = 0 } = progress.at(-1) ?? {};
	t.ok(considered >= read && read >= 20, `read ${read} of ${considered}`);
	t.ok(report.findings.length >= 5, `${report.findings.length} findings`);
	t.ok(report.abstract.length > 0);
	t.equal(report.method.passes.length, 9);
	t.ok(report.method.passages_judged > 50);
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
	t.ok(
		asked.some((one) => one.startsWith("EIP-3009 ") && !one.includes("ERC-2612")),
		"one side of what is compared",
	);
	t.ok(plan.graphIds.includes("agent-payments"));
	t.notMatch(JSON.stringify(plan), /summary|body|source_url/);
});

t.test("a dive that was stopped hands over what it had read, quoted and cited", async (t) => {
	const { states } = await dive.run(QUESTIONS[0] ?? "", "fast");
	const ends = states.map((state) => dive.work.finish(state));
	t.same(
		ends.map(({ isAnswer }) => isAnswer),
		[false, false, true, true, true],
		"from the first round on",
	);
	const [unread, read] = [ends[0]?.report ?? {}, ends[2]?.report ?? {}];
	t.same(dive.work.sourcesOf(unread), []);
	t.ok(dive.work.sourcesOf(read).length > 0);
	t.match(dive.work.exportOf(read, "md"), /ended before all of its passes/);
	assertCited(t, read as unknown as DeepDiveReport, dive.catalog);
});

t.test("each passage stands in a report once", async (t) => {
	for (const question of QUESTIONS) {
		const { report } = await dive.run(question, "comprehensive");
		const cells =
			report.table?.rows.flatMap(({ cells }) => cells.flatMap((cell) => cell ?? [])) ?? [];
		const said = [
			...report.abstract.map(({ text }) => text),
			...report.findings.map(({ statement }) => statement),
			...cells.map(({ text }) => text),
			...report.timeline.map(({ text }) => text),
		];
		t.same(said, [...new Set(said)], question);
		const numbers = [...report.abstract, ...report.findings, ...cells].flatMap(
			(one) => one.citation_ids,
		);
		t.equal(numbers.length, new Set(numbers).size, "no sentence is cited for two passages");
		const md = dive.work.exportOf(report as never, "md");
		for (const { excerpt } of report.citations) {
			const words = excerpt.replace(/[^\p{L}\p{N} ]+.*$/u, "");
			if (words.length > 40) t.equal(md.split(words).length, 2, words);
		}
	}
});

t.test("the report tells what each round asked and added", async (t) => {
	const { report, events } = await dive.run(WIDE, "comprehensive");
	t.ok(report.rounds.length > 1 && report.rounds.length <= 6, `${report.rounds.length} rounds`);
	t.equal(report.rounds[0]?.asked[0]?.question, WIDE);
	const searched = events.filter(({ event }) => event === "research.search");
	const asked = report.rounds.flatMap((round) => round.asked.map(({ question }) => question));
	t.same(
		searched.map(({ data }) => data["question"]),
		asked,
		"each is an event",
	);
	t.equal(new Set(asked).size, asked.length, "nothing is asked twice");
	for (const { round, asked, why } of report.rounds.flatMap(({ round, asked }) =>
		asked.map(({ question, why }) => ({ round, asked: question, why })),
	)) {
		t.ok(round === 1 || why !== "", asked);
	}
	t.match(report.method, {
		mode_text: /^comprehensive: up to 6 rounds over all graphs/,
		ended: /./,
	});
	t.match(dive.work.exportOf(report as never, "md"), /Round 2 asked/);
	const values = report.rounds.map(({ value }) => value);
	const gains = values.slice(1).map((value, at) => value / (values[at] ?? value) - 1);
	const idle = gains.findIndex((gain, at) => gain < 0.03 && (gains[at - 1] ?? 1) < 0.03);
	t.ok(idle < 0 || idle === gains.length - 1, "two rounds that add little are the last ones");
});

t.test(
	"a comprehensive dive finds what a fast one does not, and both say how they looked",
	async (t) => {
		const [fast, whole] = [await dive.run(WIDE, "fast"), await dive.run(WIDE, "comprehensive")];
		const textOf = ({ report }: typeof fast) =>
			[
				...report.abstract.map(({ text }) => text),
				...report.findings.map((one) => one.statement),
			].sort();
		const [less, more] = [textOf(fast), textOf(whole)];
		t.ok(
			more.some((text) => !less.includes(text)),
			`${more.length} passages and ${less.length}`,
		);
		t.ok(whole.report.method.passages_judged > fast.report.method.passages_judged);
		t.ok(fast.report.rounds.length <= 2);
		t.match(fast.report.method.mode_text, /^fast: up to 2 rounds over the 6 graphs/);
	},
);

t.test("what is off topic ends after its first round, free", async (t) => {
	const { report, isAnswer, events } = await dive.run(
		"Who won the 2022 World Cup?",
		"comprehensive",
	);
	t.equal(isAnswer, false);
	t.equal(report.rounds.length, 1);
	t.match(report.method.ended, /nothing in these graphs/);
	t.equal(events.filter(({ event }) => event === "research.search").length, 1);
	t.match(report.not_known.join(), /World Cup/);
});

t.test("a dive that an older version began begins again from its question", async (t) => {
	const { report } = await dive.run(QUESTIONS[1] ?? "", "fast");
	const input = { query: QUESTIONS[1] ?? "", mode: "fast" };
	const old = {
		input,
		asOf: "",
		found: [],
		answered: [],
		readConcepts: [],
		sentences: [],
		checked: [],
	};
	t.match(dive.work.finish(old), { isAnswer: false, stopReason: "stopped early" });
	const again = await dive.run(QUESTIONS[1] ?? "", "fast", { from: old });
	t.same(again.report, report);
	let state: JobJson = old;
	for (const pass of ["challenge", "verify", "write"]) {
		state = await dive.work.run(pass, state, {
			jobId: "job_test",
			signal: new AbortController().signal,
			askedAt: Date.UTC(2026, 10, 21),
			timeoutMs: 60_000,
			emit: () => undefined,
			progress: () => undefined,
		});
	}
	const late = dive.work.finish(state);
	t.equal(late.isAnswer, true, "passes of other names do no harm");
	t.ok(dive.work.sourcesOf(late.report).length > 0);
	const { table: _, rounds: __, gaps: ___, ...before } = late.report;
	t.match(
		dive.work.exportOf(before, "html"),
		/<h1/,
		"a report without the newer fields is still a document",
	);
});

t.test("a page has its contents, a table, sources once, and a dark form", async (t) => {
	const { report } = await dive.run(QUESTIONS[2] ?? "", "fast");
	t.ok(report.table, "a comparison");
	const html = dive.work.exportOf(report as never, "html");
	t.match(html, /<nav [^>]*aria-label="In this report"><a href="#(answer|s1)">/);
	t.match(html, /<table[^>]*>.*<th scope="col">EIP-3009<\/th>/s);
	t.match(html, /color-scheme:light dark/);
	t.match(html, /@media print/);
	t.match(html, /default-src 'none'; style-src 'unsafe-inline'/);
	t.notMatch(html, /<script|<img|style="| on\w+="/);
	const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
	t.equal(new Set(ids).size, ids.length, "each place has one name");
	const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
	t.same(
		targets.filter((id) => !ids.includes(id)),
		[],
		"each mark leads somewhere",
	);
	const links = [...html.matchAll(/<a href="(https[^"]+)" rel/g)].map(([, url]) => url);
	t.equal(new Set(links).size, links.length, "each source once");
	t.match(dive.work.exportOf(report as never, "md"), /\|---\|---\|/);
});

t.test("dates are what the text tells, never when a source was published", async (t) => {
	const { report } = await dive.run("When did TLS 1.3 become an RFC?", "fast");
	for (const { basis, date } of report.timeline) {
		t.equal(basis, "told");
		const year = date.slice(0, 4);
		t.ok(
			report.citations.some(({ excerpt }) => excerpt.includes(year)),
			date,
		);
	}
	t.ok(report.timeline.length > 0);
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
		...report.contradictions.flatMap(({ one, other }) => [one, other]),
		...report.findings.map(({ statement: text, citation_ids }) => ({ text, citation_ids })),
	];
	for (const { text, citation_ids: ids } of said) {
		t.ok(ids.length > 0, text);
		const evidence = ids.map((n) => citations.get(n)?.excerpt ?? "").join("\n");
		t.ok(evidence.includes(text) || isSupported(text, evidence), text);
	}
}

t.test("a question without spaces is cut in the record of its round", (t) => {
	const asked = (question: string) => {
		const profile = { sources: 0, independent_groups: 0 };
		const report = {
			...{ title: "T", as_of: "2026-01-01", mode: "fast", abstract: [], findings: [], query: "q" },
			...{ contradictions: [], timeline: [], not_known: [], warnings: [], skipped_feeds: [] },
			...{ citations: [], source_profile: profile },
			method: { graphs: [], aspects: [], writer: "w" },
			rounds: [{ round: 1, asked: [{ question }], passages_new: 1, passages_printed: 1 }],
		};
		const { sections } = toReportDocument(report as never);
		return JSON.stringify(sections);
	};
	t.match(asked("x".repeat(200)), `Round 1 asked: ${"x".repeat(64)} …`);
	t.match(asked(`${"word ".repeat(40)}end`), /Round 1 asked: (?:word ){13}…/);
	t.end();
});
