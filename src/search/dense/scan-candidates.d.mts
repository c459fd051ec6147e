import type { ScanHits } from "./vector-scan.mjs";

/** The candidates of one search, each once: a buffer that is cut back to the `wanted` best whenever it is full. */
export class ScanCandidates {
	/** Only scores above it are worth an offer. */
	readonly floor: number;
	readonly size: number;
	/** Forgets all; from now on `wanted` candidates are looked for, with scores above `floor`, where one is given. */
	reset(wanted: number, floor?: number): void;
	/** Rows of one document come one after the other: the best of them counts. */
	offer(slot: number, score: number, scope: number, row: number): void;
	/** Drops all but the best, by score, then slot. */
	keep(count: number): void;
	/** The floor once there are enough: only what is above the weakest of the best counts any more. */
	cutFloor(): number;
	each(visit: (slot: number, scope: number, row: number) => void): void;
	rescore(scoreOf: (slot: number, scope: number, row: number) => number): void;
	/** The best with a score above zero, best first. */
	take(count: number): ScanHits;
}
