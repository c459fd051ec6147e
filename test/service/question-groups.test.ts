import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { groupQuestions } from "../../src/operator/question-groups.js";
import { openModel } from "../../src/search/dense/open-model.js";

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
