import type { Clock } from "../../src/kernel/kernel.js";

export class DeadlinePassed extends Error {
	constructor(timeoutMs: number) {
		super(`No answer within ${timeoutMs} ms.`);
		this.name = "DeadlinePassed";
	}
}

/** The promise's own outcome, or DeadlinePassed; what comes later is left to whoever still listens to the promise. */
export function within<T>(promise: Promise<T>, timeoutMs: number, clock: Clock): Promise<T> {
	return new Promise((resolve, reject) => {
		const cancel = clock.after(timeoutMs, () => reject(new DeadlinePassed(timeoutMs)));
		promise.then(
			(value) => {
				cancel();
				resolve(value);
			},
			(error: unknown) => {
				cancel();
				reject(error);
			},
		);
	});
}

export function pause(ms: number, clock: Clock): Promise<void> {
	return new Promise((resolve) => {
		clock.after(ms, () => resolve(undefined));
	});
}
