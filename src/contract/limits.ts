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
	requestTimeoutMs: 30_000,
	drainMs: 25_000,
	freeSearchesRunning: 4,
	freeSearchesWaiting: 32,
	sptChecksPerMinute: 60,
	receiptReadsPerMinute: 120,
	rateLimitedCallersMax: 10_000,
	/** Requests of one address, and with one credential; the demo serves its own machine alone, where all share one. */
	requestsPerMinute: 6_000,
	localRequestsPerMinute: 600_000,
	/** A credential that is refused counts as so many of these. */
	guessCallsPerMinute: 600,
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
	/** How long a settled payment waits for its caller to come back before it is credited. */
	undeliveredGraceMs: 600_000,
	paymentTtlMs: 24 * 3_600_000,
	/** A refund's transfer that the chain does not show may be sent again after this long. */
	refundTransferTtlMs: 3_600_000,
	/** How long a copy of a captured payment waits where no transport tells whether the answer left or was cut off. */
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
