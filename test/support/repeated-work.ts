import type { Store } from "../../store/store-port.js";

const TAKEN_BACK = Symbol("taken back");

/**
 * A store that does the work of every transaction twice and takes the first time back, as an adapter does when others were faster:
 * what has an effect beside its transaction shows.
 */
export function withRepeatedWork<S extends Store>(store: S): S {
	return {
		...store,
		async transaction(work, options) {
			await store
				.transaction(async (tx) => {
					await work(tx);
					throw TAKEN_BACK;
				}, options)
				// What it refuses it refuses again.
				.catch(() => undefined);
			return store.transaction(work, options);
		},
	} as S;
}
