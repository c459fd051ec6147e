import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { createGapReport } from "../../src/operator/reports/gap-report.js";
import { groupQuestions } from "../../src/operator/reports/question-groups.js";
import { openModel } from "../../src/search/dense/open-model.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import type { QueryLogRow } from "../../store/store.js";

const MEANT = [
	[
		"How does Stripe refund disputed card payments?",
		"What is the refund policy of Stripe for disputed card payments?",
		"stripe disputes refund rules",
	],
	["Japan visa processing time", "How long does a visa application for Japan take?"],
	["Which vaccine is recommended for shingles?", "shingles vaccine recommendation"],
	["Who won the 2022 football world cup?", "Which country won the World Cup in 2022?"],
	["Who won the 2018 football world cup?"],
	["What does ERC-9999 define?", "ERC-9999 definition"],
	["What does ERC-8888 define?"],
	["How does Kubernetes rotate certificates?"],
	["How does Kubernetes schedule GPUs?", "gpu scheduling in kubernetes"],
];
/** As they come in: the wordings of one question are not side by side. */
const asked = [0, 1, 2].flatMap((at) => MEANT.flatMap((wordings) => wordings[at] ?? []));
const questions = asked.map((text) => ({ text }));
const textsOf = (groups: readonly (readonly { text: string }[])[]) =>
	groups.map((group) => group.map(({ text }) => text));

t.test("wordings of one question are one group by the encoder's vectors", async (t) => {
	const folder = join(PACKAGE_ROOT, "models/encoder");
	const { embedder } = await openModel(systemClock, { folder, sums: "if-there" });
	if (!embedder) throw new Error("The bundled encoder is missing.");
	t.teardown(() => embedder.close());
	const { by, groups } = await groupQuestions(questions, embedder);
	t.equal(by, "meaning");
	t.same(new Set(textsOf(groups)), new Set(MEANT));
});

t.test("words have to do where there is no model, or it fails", async (t) => {
	const failing = { embed: () => Promise.reject(new Error("overrun")) };
	for (const embedder of [undefined, failing]) {
		const { by, groups } = await groupQuestions(questions, embedder);
		t.equal(by, "words");
		const found = textsOf(groups);
		t.ok(
			found.some((group) => group.length === 2 && group[1] === "shingles vaccine recommendation"),
		);
		for (const group of found) {
			const sets = MEANT.filter((wordings) => wordings.some((text) => group.includes(text)));
			t.equal(sets.length, 1, `no group mixes questions: ${group}`);
		}
	}
});

async function reportOn(folder: string, queries: Iterable<string>) {
	const search = await createSearchEngine({ folder, clock: systemClock, model: "none" });
	const catalog = { list: () => [], find: () => undefined };
	async function* rows(): AsyncGenerator<QueryLogRow> {
		let at = 0;
		for (const query of queries) {
			at += 1;
			const unanswered = { priceUsd: "0.50", graphIds: [] };
			yield {
				...{ at, owner: `acc_${at}`, operationId: "graphs.search" },
				query,
				unanswered,
			} as unknown as QueryLogRow;
		}
	}
	const log = {
		read: () => rows(),
		readDays: () => rows(),
		append: () => undefined,
		erase: async () => 0,
	};
	const store = { queryLog: log, read: async () => [] } as never;
	const report = await createGapReport({ store, catalog, search })({ limit: 5 });
	await search.close();
	return report;
}

t.test("one question in other case, spaces and punctuation is one group", async (t) => {
	const same = [
		"What is an ERC-20 token?",
		"what is an erc 20 token",
		"What is an  ERC–20 token…!",
	];
	const report = await reportOn(t.testdir({}), [
		...same,
		"Is C# older than C++?",
		"Is C older than C?",
	]);
	t.match(report.items[0], { question: same[0], wordings: [], questions: 3, callers: 3 });
	t.equal(report.questions, 5);
	const blank = `a${" ?".repeat(500_000)}b`;
	t.equal((await reportOn(t.testdir({}), [blank, blank])).questions, 2);
});

t.test("a report keeps what is asked most, however many questions the log has", async (t) => {
	function* flood() {
		for (let at = 0; at < 60_000; at++) yield `word${at} thing${at}`;
		for (let at = 0; at < 3; at++) yield "Which harbor has no tide?";
	}
	const report = await reportOn(t.testdir({}), flood());
	t.match(report.items[0], { question: "Which harbor has no tide?", questions: 3 });
	t.equal(report.questions + report.not_grouped, 60_003);
});
