import type { CitedSentence } from "../../src/evidence/evidence.js";
import type { WrittenSentence } from "./citation-gate.js";

/** How much a passage counts in an answer, as the engine chose it. */
export interface PassageWeight {
	/** The part of the question that it answers. */
	readonly part: number;
	/** How much that part counts. */
	readonly weight: number;
	/** How likely the passage answers it, 0..1. */
	readonly likelihood: number;
}

const ALIKE: PassageWeight = { part: 0, weight: 1, likelihood: 1 };

/**
 * Share of what the quoted passages count together that a draft must cite: where passages weigh the same, all of up to five and all but
 * one of ten. A draft that cites less has lost evidence, and is not shown in the place of the passages.
 */
const RECALL_LEAST = 0.9;

/** Whether sentences cite as much as the passages that would be quoted in their place, by the sum that the engine chooses by. */
export function keepsEvidence(
	sentences: readonly WrittenSentence[],
	passages: readonly (readonly CitedSentence[])[],
	weights: readonly PassageWeight[] = [],
): boolean {
	const left = new Set(uncited(sentences, passages));
	const weightOf = (_: unknown, at: number) => weights[at] ?? ALIKE;
	const cited = passages.map(weightOf).filter((_, at) => {
		const passage = passages[at];
		return passage !== undefined && !left.has(passage);
	});
	return worthOf(cited) >= RECALL_LEAST * worthOf(passages.map(weightOf));
}

/** Passages of which no sentence cites anything. */
export function uncited(
	sentences: readonly WrittenSentence[],
	passages: readonly (readonly CitedSentence[])[],
): readonly (readonly CitedSentence[])[] {
	const cited = new Set(sentences.flatMap(({ evidence }) => evidence));
	return passages.filter((passage) => !passage.some((one) => cited.has(one)));
}

/** Σ weight · √(Σ likelihood), by part: see selectPassages. */
function worthOf(passages: readonly PassageWeight[]): number {
	const parts = new Map<number, { weight: number; sum: number }>();
	for (const { part, weight, likelihood } of passages) {
		const { sum } = parts.get(part) ?? { sum: 0 };
		parts.set(part, { weight, sum: sum + likelihood });
	}
	return [...parts.values()].reduce((all, { weight, sum }) => all + weight * Math.sqrt(sum), 0);
}
