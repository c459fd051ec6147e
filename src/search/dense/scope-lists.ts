import type { DenseScope } from "./vector-regions.js";

/** Lists of scopes the other thread has been told of, so that each goes over once. */
export interface ScopeLists {
	/** The list's number, and whether the other thread has yet to be told of it. */
	numberOf(scopes: readonly DenseScope[]): { readonly number: number; readonly isNew: boolean };
	/** Numbers that will not be asked for any more, since the last call. */
	takeForgotten(): readonly number[];
	/** The other thread knows nothing: it has just started. */
	clear(): void;
}

/** More than the queries of one batch can ask for. */
const LISTS_KEPT = 64;

export function createScopeLists(): ScopeLists {
	let known: { readonly number: number; readonly scopes: readonly DenseScope[] }[] = [];
	let forgotten: number[] = [];
	let last = 0;
	return {
		numberOf(scopes) {
			const found = known.find((list) => isSameList(list.scopes, scopes));
			if (found) return { number: found.number, isNew: false };
			known.push({ number: ++last, scopes });
			const oldest = known.length > LISTS_KEPT ? known.shift() : undefined;
			if (oldest) forgotten.push(oldest.number);
			return { number: last, isNew: true };
		},
		takeForgotten() {
			const taken = forgotten;
			forgotten = [];
			return taken;
		},
		clear() {
			known = [];
			forgotten = [];
		},
	};
}

function isSameList(one: readonly DenseScope[], other: readonly DenseScope[]): boolean {
	if (one.length !== other.length) return false;
	return one.every((scope, index) => {
		const { vectors, base, mask } = other[index] as DenseScope;
		return scope.vectors === vectors && scope.base === base && scope.mask === mask;
	});
}
