import { splitSentences } from "../../src/evidence/cited-sentences.js";
import { contentTerms, contentWords, coverageOf } from "../../src/evidence/content-words.js";
import { unavailable } from "../../src/kernel/errors.js";
import type { PairJudge, PairReading, TextPair } from "../../src/search/judge/pair-judge.js";

/** Figures, months and quarters: what two texts in the same words may differ in. */
const FIGURES =
	/\d+(?:[.,]\d+)*|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/gi;
const DENIALS = /\b(?:not|no|never|cannot)\b|n't\b/gi;
const SHARED_LEAST = 0.7;

const figuresOf = (text: string) => (text.match(FIGURES) ?? []).map((one) => one.toLowerCase());
const denies = (text: string) => (text.match(DENIALS) ?? []).length % 2 === 1;

/** What a passage says by its words: the same ones bear a text out, with other figures or a denial they refute it. */
function readWords({ text, passage }: TextPair): PairReading {
	const words = contentWords(text.replace(FIGURES, " "));
	const shared = coverageOf(words, contentTerms(passage));
	const there = new Set(figuresOf(passage));
	const isOther = figuresOf(text).some((figure) => !there.has(figure));
	if (words.length === 0 || shared < SHARED_LEAST) return reading("open", shared);
	const [nearest = passage] = [...splitSentences(passage)].sort(
		(a, b) => coverageOf(words, contentTerms(b)) - coverageOf(words, contentTerms(a)),
	);
	return reading(isOther || denies(text) !== denies(nearest) ? "refutes" : "supports", shared);
}

/** A reading that is sure of one thing. */
export function reading(stance: "supports" | "refutes" | "open", answers = 0.5): PairReading {
	return { answers, supports: 0.02, refutes: 0.02, open: 0.02, [stance]: 0.96 };
}

/** A judge by hand: deterministic, without weights. What it was asked stays in `asked`. */
export function handJudge(read: (pair: TextPair) => PairReading = readWords) {
	const asked: TextPair[] = [];
	const judge: PairJudge & { readonly asked: readonly TextPair[] } = {
		asked,
		read: async (pairs) => {
			asked.push(...pairs);
			return pairs.map(read);
		},
		identity: { id: "hand-made", sha256: "" },
		warm: () => undefined,
		close: async () => undefined,
	};
	return judge;
}

/** A judge whose model cannot be run. */
export const failingJudge: PairJudge = {
	read: () => Promise.reject(unavailable("The judge gave no verdicts: its thread ended.")),
	identity: { id: "hand-made", sha256: "" },
	warm: () => undefined,
	close: async () => undefined,
};
