import type { SearchEngine } from "../../src/search/search-engine.js";

/** A search that works, and finds nothing. */
export const emptySearch: SearchEngine = {
	find: async () => ({
		decision: "ABSTAIN",
		dataStatus: "NO_MATCH",
		rows: [],
		missing: [],
		mode: "keyword",
		effort: "fast" as const,
		timings: {},
	}),
	route: async () => ({ graphs: [], missing: [], mode: "keyword" }),
	nearestGraph: async () => undefined,
	judge: undefined,
	embedder: undefined,
	isCommonWord: () => false,
	warm: () => undefined,
	sync: async () => {},
	share: () => undefined,
	readShared: () => undefined,
	holdsShared: () => false,
	status: () => ({ model: undefined, concepts: 2, pendingVectors: 0, mode: "keyword" }),
	close: async () => {},
};
