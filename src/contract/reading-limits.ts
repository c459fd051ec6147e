/** How much of a graph one call reads. */
export const READING_LIMITS = {
	depthMax: 3,
	/** Edges one walk around a concept looks at: a few milliseconds. */
	edgesVisited: 50_000,
	pathsDefault: 3,
	pathsMax: 10,
	pathStepsMax: 6,
	/** Edges one search for paths looks at, all paths together: some tens of milliseconds. */
	pathEdgesVisited: 400_000,
	seedsMax: 20,
	subgraphNodesDefault: 50,
	subgraphNodesMax: 200,
	subgraphBytesMin: 2_000,
	subgraphBytesDefault: 64_000,
	subgraphBytesMax: 256_000,
	contextTokensMin: 100,
	contextTokensDefault: 2_000,
	contextTokensMax: 16_000,
	/** Concepts a context pack is made of, at most. */
	contextNodesMax: 20,
	previewRows: 2,
	/** Example questions tried until one finds something. */
	previewQueriesMax: 4,
	/** Types and tags that a graph's schema lists, the most frequent ones. */
	schemaTypesMax: 200,
	/** A graph that is exported as one file; larger ones are read page by page. */
	exportBytes: 16_000_000,
	/** Exports made at once, how many wait, and what is kept of finished ones. */
	exportsRunning: 2,
	exportsWaiting: 8,
	exportsKeptBytes: 64_000_000,
	/** Nodes that an export gives for its price, a page of the longest list. */
	exportNodesPerUnit: 50,
	/** Text that one context pack is chosen from, and passages that are remembered, in characters. */
	contextChars: 4_000_000,
	passagesKeptChars: 16_000_000,
	nodeIdChars: 1_000,
	/** Other parts of a cursor's key than a node's id; longer ones count by their beginning and hash. */
	keyPartChars: 300,
	/** Two ids and two other parts, as base64 of text that may take three bytes a character. */
	cursorChars: 4 * (2 * 1_000 + 2 * 300 + 100),
	/** Comparisons of revisions that are remembered, in changed nodes. */
	changesKept: 200_000,
	/** Revisions of one graph whose files are remembered for the feed of changes, and of all graphs together. */
	revisionsPerGraph: 16,
	revisionsMax: 512,
} as const;

/** What is told of sources, articles, entities and brands. */
export const EVIDENCE_LIMITS = {
	hostChars: 253,
	nameChars: 200,
	/** A brand's key: its name, and where it is not the only one so called a graph's and a node's id. */
	brandChars: 1_300,
	/** Links of a trend that are listed with it. */
	trendLinksMax: 200,
	namesMax: 50,
	candidatesDefault: 5,
	candidatesMax: 20,
	/** Nodes told of one entity. */
	entityMentionsMax: 200,
	listDefault: 50,
	listMax: 200,
} as const;
