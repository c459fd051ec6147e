import type { Stance } from "../../../src/contract/contract.js";
import { splitSentences } from "../../../src/evidence/evidence.js";
import { type PairJudge, type PairReading, readPairs } from "../../../src/search/search.js";
import { type Comparison, roundScore } from "./verification.js";
import { objectToRefutation, objectToSupport, readFacts, type TextFacts } from "./vetoes.js";

/** A passage as it is held against a claim. */
export interface ReadPassage {
	readonly text: string;
	/** Title and other names of what it is about. */
	readonly names: readonly string[];
}

/** What a passage says to a claim. */
export interface PassageStance extends Comparison {
	/** How likely it bears the claim out, and denies it, 0..1; 0 where rules object. */
	readonly supports: number;
	readonly refutes: number;
	/** True where rules keep what the model reads from counting. */
	readonly isDisputed: boolean;
}

/** Below this a passage is neutral: it bears on the claim, and says neither. */
const BEARS_LEAST = 0.5;
const OPEN = "leaves it open";

const UNREAD = { answers: 0, supports: 0, refutes: 0, open: 1 };

/**
 * Has a model read a claim beside passages: stances in their order, all neutral where there is a problem. Rules decide nothing; they
 * only take back what they hold impossible.
 */
export async function readStances<P extends ReadPassage>(
	judge: PairJudge | undefined,
	{ claim, passages }: { readonly claim: string; readonly passages: readonly P[] },
	signal: AbortSignal,
) {
	const pairs = passages.map(({ text }) => ({ text: claim, passage: text }));
	const { readings = [], problem } = await readPairs(judge, pairs, signal);
	const facts = readFacts(claim);
	const words = wordsOf(claim);
	const quotes = passages.map(({ text }) => problem === undefined && isSaidIn(words, text));
	const isQuoted = quotes.includes(true);
	const stances = passages.map((passage, at) => {
		if (quotes[at]) return { ...passage, ...QUOTED };
		const stance = toStance(facts, passage, readings[at] ?? UNREAD);
		// What the catalog says in so many words, no other passage is read to deny.
		return { ...passage, ...(isQuoted && stance.stance === "refutes" ? UNHEARD : stance) };
	});
	return { stances, problem };
}

const QUOTED: PassageStance = {
	...{ stance: "supports", score: 0.98, supports: 0.98, refutes: 0 },
	reasons: ["says it in these words"],
	isDisputed: false,
};
const UNHEARD: PassageStance = {
	...{ stance: "neutral", score: BEARS_LEAST, supports: 0, refutes: 0 },
	reasons: [OPEN],
	isDisputed: true,
};
/** Fewer words are a phrase that may stand anywhere. */
const QUOTED_WORDS_LEAST = 4;

/** True when one of the text's sentences is the claim but for case, punctuation and marks. */
function isSaidIn(words: string, text: string): boolean {
	if (words.split(" ").length < QUOTED_WORDS_LEAST) return false;
	return splitSentences(text).some((sentence) => wordsOf(sentence) === words);
}

function wordsOf(text: string): string {
	return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}

/** What a reading comes to once rules have had their say. */
export function toStance(
	claim: TextFacts,
	{ text, names }: ReadPassage,
	{ supports, refutes }: PairReading,
): PassageStance {
	const read = Math.max(supports, refutes);
	const side = supports >= refutes ? "supports" : "refutes";
	const object = side === "supports" ? objectToSupport : objectToRefutation;
	const objection =
		read < BEARS_LEAST ? OPEN : object(claim, readFacts([text, ...names].join(" ; ")));
	if (objection !== undefined) {
		const isDisputed = objection !== OPEN;
		const left = isDisputed ? { supports, refutes, [side]: 0 } : { supports, refutes };
		const score = roundScore(Math.min(read, BEARS_LEAST));
		return { stance: "neutral", score, ...left, reasons: [objection], isDisputed };
	}
	const reasons = [side === "supports" ? "bears it out" : "speaks against it"];
	return { stance: side, score: roundScore(read), supports, refutes, reasons, isDisputed: false };
}

/** Log odds of the best reading, less the more passages it is the best of: starting values, to be fitted to the calibration author. */
const CONFIDENCE = { bias: 0, best: 1, passages: -0.1 } as const;
/**
 * A verdict less sure than this is "not enough evidence": a wrong one costs a name, none costs nothing. Of the calibration author's pairs
 * 62 are read that surely, and 60 of those readings are right; the surest wrong one of the open sets is a refutation, .91 before the loss.
 */
const VERDICT_LEAST = { supports: 0.88, refutes: 0.89 } as const;
/** What the weaker side must reach to keep the stronger one from being told. */
const CONFLICT_LEAST = 0.75;
/** No reading is surer than this, nor less sure than its contrary. */
const LIKELIHOOD_LEAST = 1e-4;

/** How often the best of so many readings is right, 0..1. */
function confidenceOfBest(best: number, passages: number): number {
	const clamped = Math.min(1 - LIKELIHOOD_LEAST, Math.max(LIKELIHOOD_LEAST, best));
	const logOdds = Math.log(clamped / (1 - clamped));
	const { bias, best: slope, passages: loss } = CONFIDENCE;
	return 1 / (1 + Math.exp(-(bias + slope * logOdds + loss * Math.log(Math.max(1, passages)))));
}

/** What the passages come to together: a side that is sure enough to be told, or both of them. */
export function decideStance(stances: readonly Pick<PassageStance, "supports" | "refutes">[]) {
	const best = {
		supports: Math.max(0, ...stances.map(({ supports }) => supports)),
		refutes: Math.max(0, ...stances.map(({ refutes }) => refutes)),
	};
	const confidence = {
		supports: confidenceOfBest(best.supports, stances.length),
		refutes: confidenceOfBest(best.refutes, stances.length),
	};
	const isSure = (side: keyof typeof best) => confidence[side] >= VERDICT_LEAST[side];
	const side = best.supports >= best.refutes ? "supports" : "refutes";
	const isContested = Math.min(best.supports, best.refutes) >= CONFLICT_LEAST;
	const stance: Stance = isSure(side) && !isContested ? side : "neutral";
	return {
		stance,
		confidence: confidence[side],
		/** Both sides are sure enough to be told. */
		isConflict: isContested && isSure("supports") && isSure("refutes"),
	};
}
