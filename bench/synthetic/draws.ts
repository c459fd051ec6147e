import { createSeededNumbers } from "../generated-graph.js";

/** Choices that the same seed makes alike. */
export interface Draws {
	/** Whole, from `low` to `high`, both included. */
	between(low: number, high: number): number;
	/** Throws for an empty list. */
	pick<T>(items: readonly T[]): T;
	/** True with this probability. */
	chance(probability: number): boolean;
}

export function createDraws(seed: number): Draws {
	const next = createSeededNumbers(seed);
	const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
	return {
		between,
		pick(items) {
			if (items.length === 0) throw new RangeError("There is nothing to pick from.");
			return items[between(0, items.length - 1)] as (typeof items)[number];
		},
		chance: (probability) => next() < probability,
	};
}

/** A seed of its own for one part of what a seed stands for: a change of one part leaves the others as they are. */
export function seedOf(seed: number, part: string): number {
	let hash = 2_166_136_261 ^ seed;
	for (const char of part) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619);
	return hash >>> 0;
}
