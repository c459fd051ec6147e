import { nextTurn } from "../src/kernel/kernel.js";

interface Waiting<T> {
	readonly item: T;
	readonly resolve: () => void;
	readonly reject: (error: unknown) => void;
}

/**
 * Hands what joins within one turn of the event loop to `commit` at once, at most `maxBatch` of it; each caller goes on
 * as soon as its own part is committed. The fair form of group commit for a database that blocks while it commits.
 */
export function createTurnBatch<T>(
	commit: (items: readonly T[]) => void,
	maxBatch: number,
): (item: T) => Promise<void> {
	const waiting: Waiting<T>[] = [];
	let isDraining = false;
	const drain = async () => {
		while (waiting.length > 0) {
			await nextTurn();
			const batch = waiting.splice(0, maxBatch);
			try {
				commit(batch.map(({ item }) => item));
				for (const { resolve } of batch) resolve();
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
		}
		isDraining = false;
	};
	return (item) =>
		new Promise((resolve, reject) => {
			waiting.push({ item, resolve, reject });
			if (isDraining) return;
			isDraining = true;
			void drain();
		});
}
