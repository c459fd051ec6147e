import t from "tap";
import { confidenceOf, isSure } from "../../../skills/verify/claims/claim-parts.js";
import { examineReadings } from "../../../skills/verify/claims/stance-comparator.js";
import {
	likelihoodsOf,
	type MeasuredSentence,
	STANCE_WEIGHTS,
	sideOf,
	toFeatures,
	weighStances,
} from "../../../skills/verify/claims/stance-weighing.js";
import { readContext, readText } from "../../../skills/verify/claims/text-reading.js";

/** Sentences of one concept, held against a claim, ranked as given. */
function measure(claim: string, sentences: readonly string[]): readonly MeasuredSentence[] {
	const context = readContext({ names: ["Relay"], around: sentences });
	return sentences.map((text, at) => ({
		sentence: { text, score: 1 - at / 10 } as MeasuredSentence["sentence"],
		...examineReadings(readText(claim), readText(text), context, []),
	}));
}

t.test("a sentence that lacks a figure or differs in nothing is not weighed at all", (t) => {
	const [lacking] = toFeatures(measure("The relay keeps 12 bytes.", ["The relay keeps bytes."]));
	const [alike] = toFeatures(measure("The relay keeps frames.", ["The relay keeps frames."]));
	if (!lacking || !alike) throw new Error("nothing was measured");
	t.equal(likelihoodsOf(lacking, STANCE_WEIGHTS).supports, 0);
	t.equal(likelihoodsOf(alike, STANCE_WEIGHTS).refutes, 0);
	t.ok(likelihoodsOf(alike, STANCE_WEIGHTS).supports > 0.5);
	t.end();
});

t.test("a date is difference enough where the claim has no other words", (t) => {
	const claim = "RFC 7001 came out in 2021.";
	const [one] = weighStances(measure(claim, ["RFC 7001 (May 2024) defines relay frames."]));
	t.equal(one?.stance, "refutes");
	t.end();
});

t.test("a rival's sentence counts for less where another one speaks of the named itself", (t) => {
	const claim = "PEP 7001 brought frames into the relay.";
	const rival = "PEP 7002 removes frames from the relay.";
	const scoreOf = (sentences: readonly string[]) => {
		const features = toFeatures(measure(claim, sentences)).at(-1);
		return features ? likelihoodsOf(features, STANCE_WEIGHTS).refutes : 1;
	};
	const own = "The relay gained frames by PEP 7001.";
	t.ok(scoreOf([own, rival]) < scoreOf(["Bees dance.", rival]));
	t.end();
});

t.test("what rules and weights both say counts more than what one of them says", (t) => {
	const signs = { best: 0.6, against: 0.1 };
	t.equal(isSure({ ...signs, isAgreed: true }), true);
	t.equal(isSure({ ...signs, isAgreed: false }), false);
	const sureness = (best: number) =>
		confidenceOf("SUPPORTED", { best, against: 0.1, isAgreed: true });
	t.ok(sureness(0.9) > sureness(0.6));
	t.equal(sideOf([{ stance: "supports", score: 0.3 }]), "neutral");
	t.equal(
		sideOf([
			{ stance: "supports", score: 0.6 },
			{ stance: "refutes", score: 0.8 },
		]),
		"refutes",
	);
	t.end();
});
