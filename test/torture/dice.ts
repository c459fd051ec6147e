import type { Random } from "../../src/kernel/ids.js";
import { seededRandom } from "../support/seeded-random.js";

/** Everything that happens by chance in one world, from one seed. */
export interface Dice extends Random {
	/** In [0, 1). */
	next(): number;
	/** True so often. */
	chance(share: number): boolean;
	/** A whole number in [from, to]. */
	between(from: number, to: number): number;
	pick<T>(items: readonly T[]): T;
	/** Dice of their own, so that one part's throws do not shift another's. */
	fork(): Dice;
}

export function createDice(seed: number): Dice {
	const next = seededRandom(seed);
	return {
		next,
		chance: (share) => next() < share,
		between: (from, to) => from + Math.floor(next() * (to - from + 1)),
		pick<T>(items: readonly T[]): T {
			return items[Math.floor(next() * items.length)] as T;
		},
		bytes: (length) => Uint8Array.from({ length }, () => Math.floor(next() * 256)),
		fork: () => createDice(Math.floor(next() * 2 ** 32)),
	};
}
