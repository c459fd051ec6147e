/** Every numeric limit of the service, named once; units last. */
export const LIMITS = {
	queryChars: 2_000,
	/** Distinct subject words of a query that are searched for, and the pieces of all of them together. */
	queryWords: 64,
	queryParts: 128,
	/** How often one query looks through all terms for what its unknown words were meant to be. */
	queryLookUps: 16,
	rowsDefault: 10,
	rowsMax: 50,
	batchQueriesMax: 10,
	citationsMax: 50,
	citationsPerMinute: 120,
	/** Values one filter may list, and the length of each. */
	filterValues: 20,
	filterChars: 100,
	routedGraphsDefault: 5,
	routedGraphsMax: 20,
	routedQueriesPerMinute: 120,
	previewsPerMinute: 120,
	/** Names completed as somebody types, for one address. */
	suggestionsPerMinute: 600,
	bodyBytes: 64 * 1024,
	/** One concept's file as JSON text: a mebibyte, and room for what must be escaped. */
	conceptBodyBytes: 4 * 1024 * 1024,
	/** What operations over many texts may be sent, and what such bodies may take in memory together, of all callers. */
	largeBodyBytes: 4 * 1024 * 1024,
	largeBodiesBytes: 64 * 1024 * 1024,
	formBodyBytes: 8 * 1024,
	/** A zip that an operator sends to be imported. */
	uploadBytes: 16 * 1024 * 1024,
	bodyDepth: 12,
	headerBytes: 32 * 1024,
	headersMax: 100,
	/** Connections at once; beyond, one that waits for nothing of ours makes room for the newcomer. */
	connectionsMax: 8_192,
	/** How long what is left of a refused request is still read, so that its answer is not lost with the connection. */
	unreadBodyMs: 2_000,
	/** How long a caller may take to pick up the end of an answer, or the next part of one. */
	replyTakenMs: 60_000,
	timeoutCheckIntervalMs: 1_000,
	headerTimeoutMs: 10_000,
	/** Longer than balancers and clients keep a connection that waits, 60 s as a rule: who ends it first must not be the side that takes requests. */
	keepAliveMs: 65_000,
	requestTimeoutMs: 30_000,
	drainMs: 25_000,
	freeSearchesRunning: 4,
	freeSearchesWaiting: 32,
	sptChecksPerMinute: 60,
	receiptReadsPerMinute: 120,
	/** How long after its call a refund can be asked for, and how long what was decided can be read. */
	refundAskDays: 30,
	refundRequestDays: 365,
	/** Requests of one payer that wait for the operator. */
	refundRequestsOpen: 20,
	refundAsksPerMinute: 20,
	rateLimitedCallersMax: 10_000,
	/** Requests of one address, and with one credential; the demo serves its own machine alone, where all share one. */
	requestsPerMinute: 6_000,
	localRequestsPerMinute: 600_000,
	/** A credential that is refused counts as so many of these. */
	guessCallsPerMinute: 600,
	networkGuessCallsPerMinute: 6_000,
	failedCredentialCalls: 10,
	/** How long a connection rests after one of its requests was one too many. */
	refusedPauseMs: 1_000,
	/** How long a credential that was found valid is taken for no guess. */
	validCredentialTtlMs: 3_600_000,
	freeCallsPerMonth: 100,
	freeCallsPerDay: 50,
	freeCallMaxMicros: 500_000n,
	/** From this price on a payment on a chain settles before the work (D8). */
	settleFirstMicros: 2_000_000n,
	/** An authorization that is valid for longer is refused. */
	authorizationTtlMs: 600_000,
	/** Requests with a payment from one address; far above what honest callers send. */
	paymentsPerMinute: 1_200,
	/** How long a challenge of the "Payment" scheme can be answered. */
	mppChallengeTtlMs: 300_000,
	verifyTimeoutMs: 10_000,
	settleTimeoutMs: 20_000,
	rpcTimeoutMs: 10_000,
	/** Most that one transaction of ours may burn: a payer's contract decides what its signature costs to check. */
	settleGasMax: 300_000n,
	/** Longest reply of a facilitator or a chain's node. */
	configuredReplyBytes: 8 * 1024 * 1024,
	/** What a caller's own address, such as a webhook, may take and answer. */
	callerEgressMs: 5_000,
	callerReplyBytes: 64 * 1024,
	callerReplyHeaderBytes: 8 * 1024,
	/** All files of one model that is fetched. */
	modelBytes: 2 * 1024 ** 3,
	modelFetchTimeoutMs: 3_600_000,
	/** Blocks whose events are asked for at once; public nodes refuse 10,000 and more. */
	chainBlocksPerQuery: 9_000,
	/** How far back the use of an authorization is looked for: some days of blocks of two seconds. */
	chainBlocksBack: 270_000,
	reconcileIntervalMs: 5_000,
	/** How long a settled payment waits for its caller to come back before it is credited: found and credited within two minutes. */
	undeliveredGraceMs: 45_000,
	paymentTtlMs: 24 * 3_600_000,
	/** A refund's transfer that the chain does not show may be sent again after this long. */
	refundTransferTtlMs: 3_600_000,
	/** How long a copy of a captured payment waits where no transport reports whether the answer left or was cut off. */
	deliveryGraceMs: 60_000,
	/** How long after its end an authorization is still looked for on the chain. */
	authorizationLapseMs: 60_000,
	idleChainLapseMs: 24 * 3_600_000,
	/** A payment of unknown outcome is looked at less and less often, at least this often. */
	reconcileBackoffMs: 60_000,
	quoteTtlMs: 600_000,
	/** Unpaid A2A tasks kept in memory, and how much they may hold together. */
	waitingTasksMax: 1_000,
	waitingTasksChars: 8_000_000,
	waitingTaskTtlMs: 600_000,
	/** New unpaid tasks of one address; at this pace it never fills the memory alone. */
	waitingTasksPerMinute: 60,
	/** Payments one task may see fail before it fails itself. */
	taskPaymentsMax: 5,
	holdTtlMs: 120_000,
	sweepIntervalMs: 30_000,
	invariantIntervalMs: 60_000,
	idempotencyTtlMs: 24 * 3_600_000,
	idempotencyKeyChars: 255,
	artifactTtlMs: 24 * 3_600_000,
	queryLogMonths: 12,
	credentialHeaderChars: 8 * 1024,
	demoSptMicros: 25_000_000n,
	demoWalletMicros: 100_000_000n,
	chainStartMs: 10_000,
	chainStopMs: 5_000,
	localChainPollMs: 20,
	chainPollMs: 1_000,
	sptMaxMicros: 10_000_000_000n,
	sptMinMicros: 1_000_000n,
	/** What a graph, an operation on it or one of its concepts may be priced at: never free, which only the operator decides. */
	graphPriceMinMicros: 100n,
	graphPriceMaxMicros: 1_000_000_000n,
	graphOwnersMax: 50,
	sptLabelChars: 200,
	sptDaysMax: 3_660,
	/** How far down tokens may be delegated below the first. */
	sptDepthMax: 3,
	/** Tokens delegated from one first token that are remembered at once. */
	sptDelegationsMax: 1_000,
	/** How long a revoked delegation is remembered, so that refunds of its calls still find its parent. */
	sptDelegationKeptMs: 24 * 3_600_000,
	/** Earlier tokens of a wallet that one purchase takes along. */
	sptRecoveredMax: 100,
	sptChangesPerMinute: 60,
	/** Keys of one account that are active; as many that were revoked are remembered. */
	accountKeysMax: 50,
	/** Connection tokens of one account that are active. */
	accountConnectionsMax: 50,
	/** How long an old secret works beside its successor. */
	keyOverlapSeconds: 24 * 3_600,
	keyOverlapSecondsMax: 30 * 24 * 3_600,
	accountChangesPerMinute: 60,
	accountReadsPerMinute: 120,
	/** Longest identity token, and what it may name. */
	identityTokenChars: 8 * 1024,
	identityNameChars: 255,
	/** How far the clock of an identity provider may be off. */
	identityClockSkewSeconds: 30,
	/** Tokens that are remembered once checked, and for how long at most. */
	identityTokensKnown: 2_048,
	identityTokenKnownMs: 300_000,
	/** Signatures checked at once, and how many wait; of tokens alone whose every other part is right. */
	identityChecksRunning: 4,
	identityChecksWaiting: 64,
	/** Keys of an identity provider: read again when so old, not more often than that, trusted for so long without it. */
	issuerKeysFreshMs: 600_000,
	issuerKeysCooldownMs: 30_000,
	issuerKeysKeptMs: 24 * 3_600_000,
	issuerKeysMax: 100,
	issuerReplyChars: 256 * 1024,
	issuerTimeoutMs: 5_000,
	/** Accounts that one address may open, where anybody may. */
	accountsOpenedPerMinute: 2,
	accountTextChars: 200,
	/** Pieces of feedback that one owner's are kept of, and characters of a note. */
	feedbackMax: 1_000,
	feedbackChars: 500,
	accountCallsDefault: 50,
	accountCallsMax: 200,
	/** Of different accounts; each waits for its reader most of the time. */
	accountExportsRunning: 16,
	accountExportsPerMinute: 4,
	accountExportTimeoutMs: 600_000,
	/** Days of usage kept one by one, and months; each names so many operations, graphs and keys at most. */
	usageDays: 100,
	usageMonthDays: 800,
	usageNamesMax: 200,
	sptLedgerDefault: 50,
	sptLedgerMax: 200,
	sptLedgerReadsPerMinute: 30,
	/** Imports whose sources are remembered, so that an update reads only what has changed: a kilobyte of memory for each file. */
	importMemoriesMax: 2,
	journalReadsRunning: 2,
	journalReadsWaiting: 16,
	retryAfterSeconds: 1,
} as const;

/** How the segments of the search index grow together. */
export const INDEX_LIMITS = {
	/** Concepts of a large graph that are derived and stored together: what a crash loses at most. */
	segmentDocuments: 8_192,
	/** Segments are not merged beyond this: what one step of a merge copies at once stays a matter of milliseconds. */
	mergedDocuments: 16_384,
	/** The newest segment is rebuilt with every change until it has so many. */
	deltaDocuments: 256,
	/** A graph with more segments than this has its smallest ones merged. */
	segmentsMax: 8,
	/** A segment with a larger share of tombstones is rebuilt without them. */
	deadShareMax: 0.25,
	/** Changes up to this size are seen with their vectors, if these take no longer than that; larger ones before they have any. */
	liveDocuments: 512,
	liveVectorsMs: 2_000,
	/** Postings up to which every change of a graph's average length is followed; a larger graph follows by one percent. */
	exactAveragePostings: 250_000,
	averageDriftMax: 0.01,
} as const;

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

/** What is stated of sources, articles, entities and brands. */
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
	/** Nodes listed of one entity. */
	entityMentionsMax: 200,
	listDefault: 50,
	listMax: 200,
} as const;

/** What one stream and all of them together may take. */
export const STREAM_LIMITS = {
	/** Streams whose work goes on at once. */
	runningMax: 64,
	/** Of these, one owner's. */
	ownerRunningMax: 8,
	/** From the request to the last event, whether somebody listens or not. */
	workMs: 90_000,
	/** How long one connection may follow a stream; anyone who was cut off resumes. */
	connectionMs: 120_000,
	eventsMax: 1_000,
} as const;

/** What answering one question looks at and says. */
export const ANSWER_LIMITS = {
	/** What the passages of one answer may take, see tokensOf. */
	tokens: 400,
	/** A passage of usual length fits. */
	tokensLeast: 200,
	tokensMost: 4_000,
	/** Concepts looked at for each part of a question. */
	partConcepts: 12,
	graphsMax: 6,
	sentencesMax: 5,
	suggestionsMax: 3,
} as const;

/** Limits of A2A tasks with a job behind them. */
export const TASK_LIMITS = {
	/** How long a blocking call waits for a job; then it returns how far the job is. */
	blockingMs: 25_000,
	/** How long the caller of a cancellation waits for it to be over. */
	cancelMs: 5_000,
	/** Addresses that are notified of one task. */
	pushTargets: 5,
	pushUrlChars: 2_048,
	pushSecretChars: 2_048,
	pushTimeoutMs: 5_000,
	/** Pauses before the last word of a task is sent again. */
	pushPausesMs: [1_000, 5_000, 30_000, 120_000, 600_000],
	/** Pause before the events of a job are asked for again that too many read. */
	pushBusyMs: 5_000,
} as const;

/** Limits of the language model that may draft prose. */
export const WRITER_LIMITS = {
	timeoutMs: 30_000,
	/** A call may take no longer: less than a request has, so that there is time left to answer without a draft. */
	callMs: 15_000,
	timeoutLeastMs: 100,
	timeoutMostMs: 60_000,
	/** Least time worth a second attempt. */
	retryLeastMs: 500,
	/** Pause before it; what a busy server asks for wins, up to a limit. */
	retryPauseMs: 250,
	retryPauseMostMs: 5_000,
	/** Share of the time in which a first attempt must have brought a sentence. */
	firstShare: 0.6,
	replyBytes: 2 * 1024 * 1024,
	/** Of evidence, best first. */
	offeredMax: 40,
	passageChars: 2_000,
	titleChars: 200,
	/** Tokens asked for: for each sentence, and beside them. */
	tokensPerSentence: 120,
	tokensBeside: 200,
	tokensMax: 2_400,
	/** Context of a model that does not say how much it reads. */
	contextTokens: 8_192,
	contextTokensLeast: 1_024,
	/** Evidence of one answer never needs more, and memory for a context is taken whether it is filled or not. */
	contextTokensMost: 16_384,
	/** Of a draft. */
	draftSentencesMax: 100,
	draftSentenceChars: 2_000,
	draftIdsMax: 12,
} as const;
