import type { Clock } from "../../src/kernel/kernel.js";

/**
 * Deferred transactions announce durable ones: a hold, its capture. While several are expected soon, a durable one that
 * waits for them a moment spares each a write of its own; one that is alone never waits.
 */
export interface Siblings {
	/** A deferred transaction joined: a durable one is likely to follow. */
	expect(): void;
	/** A durable one joined; the oldest expectation is met. */
	meet(): void;
	/** Resolves at once when few are expected; else when all have come, after two milliseconds, or when hurried. */
	gather(): Promise<void>;
	/** Somebody needs everything to be on the disk now. */
	hurry(): void;
}

/** An expectation not met by then is given up: its call was refused, or takes long. */
const EXPECTED_MS = 30;
const FEW = 3;
const GATHER_MS = 2;

export function createSiblings(clock: Clock): Siblings {
	/** When the deferred ones joined, oldest first. */
	const expected: number[] = [];
	let proceed: (() => void) | undefined;
	let isHurried = false;
	const isWorthwhile = () => {
		const oldest = clock.monotonicMs() - EXPECTED_MS;
		while (expected.length > 0 && (expected[0] ?? 0) < oldest) expected.shift();
		return expected.length >= FEW;
	};
	return {
		expect() {
			// A bound, should nothing durable ever come.
			if (expected.length < 1_024) expected.push(clock.monotonicMs());
		},
		meet() {
			expected.shift();
			if (expected.length === 0) proceed?.();
		},
		async gather() {
			const isWaiting = isWorthwhile() && !isHurried;
			isHurried = false;
			if (!isWaiting) return;
			await new Promise<void>((resolve) => {
				const cancel = clock.after(GATHER_MS, resolve);
				proceed = () => {
					cancel();
					resolve();
				};
			});
			proceed = undefined;
			isHurried = false;
		},
		hurry() {
			// What is hurried may be about to gather only.
			isHurried = true;
			proceed?.();
		},
	};
}
