import type { Clock } from "../../kernel/kernel.js";

/** A query that has waited this long is answered by keywords. Long enough for a model that is just being loaded. */
export const QUERY_PATIENCE_MS = 2_000;

/** Undefined when the work fails or takes longer than a query waits; `onLate` is told of the latter. */
export async function withPatience<T>(
	clock: Clock,
	work: Promise<T>,
	onLate: () => void = () => undefined,
): Promise<T | undefined> {
	let stopWaiting: (() => void) | undefined;
	const late = new Promise<undefined>((resolve) => {
		stopWaiting = clock.after(QUERY_PATIENCE_MS, () => {
			onLate();
			resolve(undefined);
		});
	});
	try {
		return await Promise.race([work, late]);
	} catch {
		return undefined; // Crashed or overrun: the outcome says "keyword", and the next query tries again.
	} finally {
		stopWaiting?.();
	}
}
