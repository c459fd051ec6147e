import t from "tap";
import { findDenials } from "../../../skills/answers/report/denials.js";
import { findContradictions, isSupported } from "../../../skills/answers/report/findings.js";
import { type CitedSentence, toCitedSentences } from "../../../src/evidence/cited-sentences.js";
import { makeConcept, makeGraph } from "../../service/sample-graphs.js";
import { failingJudge, handJudge, reading } from "../../support/word-judge.js";

const say = (id: string, summary: string): CitedSentence => {
	const dates = { publishedAt: undefined, datePrecision: undefined };
	const evidence = [{ articleId: id, title: id, sourceUrl: `https://${id}.example/`, ...dates }];
	const concept = makeConcept({ id, title: "Notes", summary, body: "", evidence });
	const [sentence] = toCitedSentences(makeGraph({}, [concept]), concept);
	if (!sentence) throw new Error("the sample has a cited sentence");
	return sentence;
};

const { signal } = new AbortController();
/** Denies what has the opposite word, whichever is the claim. */
const opposites = handJudge(({ text, passage }) => {
	const isOn = (one: string) => /^(?:Notes\. )?(?:Operators e|E)nable/.test(one);
	return reading(isOn(text) === isOn(passage) ? "supports" : "refutes");
});

t.test("sentences in nearly the same words are read as contradictions", async (t) => {
	const [said, denied, same] = [
		"Enable TLS session tickets on all public servers by default.",
		"Disable TLS session tickets on all public servers by default.",
		"Operators enable TLS session tickets on all public servers by default.",
	];
	const sentences = [say("one", said), say("two", denied), say("three", same)];
	t.equal((await findContradictions(opposites, sentences, signal)).length, 2);
});

t.test("what is told in the same words with a denial carries nothing", (t) => {
	const said = "The widget protocol supports payment retries over plain connections.";
	const denied = "The widget protocol does not support payment retries over plain connections.";
	t.equal(isSupported(said, denied), false);
	t.equal(isSupported(said, said), true);
	t.end();
});

t.test("two sentences contradict each other where each denies the other for sure", async (t) => {
	const pair = {
		one: say("one", "Batches of the gateway hold up to ten orders."),
		other: say("two", "Batches of the gateway hold up to twelve orders."),
	};
	const told = await findDenials(
		handJudge(() => reading("refutes")),
		[pair],
		signal,
	);
	t.match(told, [{ ...pair, score: 0.96, reasons: [/ten.*twelve/] }]);
	const oneWay = handJudge(({ text }) => reading(/ten/.test(text) ? "refutes" : "open"));
	t.same(await findDenials(oneWay, [pair], signal), []);
	const unsure = { answers: 0, supports: 0.1, refutes: 0.85, open: 0.05 };
	t.same(
		await findDenials(
			handJudge(() => unsure),
			[pair],
			signal,
		),
		[],
	);
	const elsewhere = {
		one: say("one", "RFC 9110 asks for ten orders and RFC 9111 for none."),
		other: say("two", "RFC 7230 asks for twelve orders and RFC 7231 for none."),
	};
	t.same(
		await findDenials(
			handJudge(() => reading("refutes")),
			[elsewhere],
			signal,
		),
		[],
	);
	t.same(await findDenials(undefined, [pair], signal), []);
	t.same(await findDenials(failingJudge, [pair], signal), []);
});
