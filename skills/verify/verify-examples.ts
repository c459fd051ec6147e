/** Replies of the operations that check claims, texts, citations and batches, of claims the sample catalog decides. */

const TEXT = "Pectra was activated on mainnet in May 2025. I think that was a wonderful day.";
const CLAIM = "Pectra was activated on mainnet in May 2025.";
const BATCH_ID = "vfb_01kg9yz3v0f6x2m8q4t7w1ab2c";
const KEPT_UNTIL = "2026-11-23T12:00:00.000Z";
const EVIDENCE_ID = "ethereum-standards:upgrades.pectra~0";
const SOURCE = {
	title: "Hardfork Meta - Pectra",
	source_url: "https://eips.ethereum.org/EIPS/eip-7600",
};
const EXCERPT =
	"Pectra (Prague and Electra) activated on mainnet at epoch 364,032, 7 May 2025, 10:05:11 UTC: set-code transactions, larger validators, execution requests, calldata floor, BLS precompiles, 6/9 blobs.";

const PLACE = { start: 0, end: CLAIM.length };
const OPINION = { start: CLAIM.length + 1, end: TEXT.length };
const OPINION_TEXT = TEXT.slice(OPINION.start);

const CHECKED = {
	claim: CLAIM,
	start: null,
	end: null,
	is_answered: true,
	verdict: "SUPPORTED",
	qualifier: null,
	confidence: 0.93,
	explanation: "One independent source supports it.",
	missing: [],
	independent_groups: 1,
	evidence: [
		{
			evidence_id: EVIDENCE_ID,
			stance: "supports",
			score: 0.91,
			excerpt: EXCERPT,
			...SOURCE,
			published_at: "2024-01-18",
			tier: 1,
			group: 1,
		},
	],
};

const META = {
	claims: 1,
	answered: 1,
	as_of: "2026-11-22",
	mode: "hybrid",
	graphs_used: ["ethereum-standards"],
};
const KEPT = { batch_id: BATCH_ID, kept_until: KEPT_UNTIL };

const EXTRACTED = {
	claim: CLAIM,
	kind: "checkable",
	reason: null,
	...PLACE,
	stands_for: null,
	entities: ["Pectra"],
	numbers: [],
	dates: ["May 2025"],
	quantifier: null,
	is_negated: false,
};

/** Requests, and the data and meta of their replies. */
export const VERIFY_EXAMPLES = {
	text: TEXT,
	claim: CLAIM,
	batchId: BATCH_ID,
	verificationId: "vrf_01kg9yz3v0f6x2m8q4t7w1ab2c",
	extraction: {
		data: {
			claims: [
				EXTRACTED,
				{
					...EXTRACTED,
					claim: OPINION_TEXT,
					kind: "opinion",
					reason: "says how somebody sees it",
					...OPINION,
					entities: [],
					dates: [],
				},
			],
			is_complete: true,
		},
		meta: { claims: 2, checkable: 1 },
	},
	textCheck: {
		data: {
			...KEPT,
			claims: [{ ...CHECKED, ...PLACE }],
			unchecked: [
				{
					claim: OPINION_TEXT,
					kind: "opinion",
					...OPINION,
					why: "It says how somebody sees it.",
				},
			],
		},
		meta: META,
	},
	batch: { data: { ...KEPT, claims: [CHECKED] }, meta: META },
	citationAsked: { sentence: CLAIM, excerpt: EXCERPT },
	citation: {
		data: {
			sentence: CLAIM,
			stance: "supports",
			score: 0.91,
			claims: [
				{
					claim: CLAIM,
					stance: "supports",
					score: 0.91,
					reasons: ["holds 91 % of what the claim says"],
					evidence_id: null,
					excerpt: EXCERPT,
				},
			],
			source: { title: "", source_url: "", sentences: 1 },
		},
		meta: { claims: 1 },
	},
} as const;

/** A verification of a claim that the sample catalog decides, as it travels. */
export const VERIFY_CLAIM_EXAMPLE = {
	data: {
		verification_id: "vrf_01kg9yz3v0f6x2m8q4t7w1ab2c",
		kept_until: "2026-11-23T12:00:00.000Z",
		claim: "The static table of HPACK contains 61 entries.",
		verdict: "SUPPORTED",
		qualifier: null,
		confidence: 0.952,
		explanation:
			'This is supported by the curated graph, which cites "HPACK: Header Compression for HTTP/2": the best sentence holds 100 % of what the claim says.',
		time: "CURRENT",
		independent_groups: 1,
		missing: [],
		gates: [
			{
				gate: "checkability",
				status: "pass",
				reason: "1 of 1 statement can be checked.",
				method: "rules",
				score: 1,
				evidence_ids: [],
			},
			{
				gate: "retrieval",
				status: "pass",
				reason: "12 cited sentences come near.",
				method: "embedding",
				score: 1,
				evidence_ids: [
					"http-web-standards:protocols.hpack~2",
					"http-web-standards:protocols.hpack~0",
					"http-web-standards:protocols.hpack~1",
					"http-web-standards:protocols.hpack~5",
					"http-web-standards:protocols.hpack~3",
					"http-web-standards:protocols.hpack~4",
					"http-web-standards:protocols.hpack~6",
					"http-web-standards:protocols.hpack~7",
					"kubernetes-enhancements:metrics.keps-by-sig~1",
					"http-web-standards:protocols.http-3~5",
					"kubernetes-enhancements:metrics.keps-by-sig~0",
					"kubernetes-enhancements:trends.keps-by-year~0",
				],
			},
			{
				gate: "stance",
				status: "pass",
				reason: "2 support, 0 refute: the best holds 100 % of what the claim says.",
				method: "rules",
				score: 1,
				evidence_ids: [
					"http-web-standards:protocols.hpack~2",
					"http-web-standards:protocols.hpack~0",
				],
			},
			{
				gate: "independence",
				status: "warn",
				reason: "One origin stands behind it; the best source is of tier 1.",
				method: "rules",
				score: 0.333,
				evidence_ids: [
					"http-web-standards:protocols.hpack~2",
					"http-web-standards:protocols.hpack~0",
				],
			},
			{
				gate: "time",
				status: "pass",
				reason: "The newest source that bears on it is of 2022-06-01.",
				method: "rules",
				score: 1,
				evidence_ids: ["http-web-standards:protocols.hpack~2"],
			},
		],
		parts: [
			{
				claim: "The static table of HPACK contains 61 entries.",
				verdict: "SUPPORTED",
				confidence: 0.952,
				missing: [],
				time: "CURRENT",
				entities: ["HPACK"],
				numbers: ["61"],
				dates: [],
			},
		],
		evidence: [
			{
				evidence_id: "http-web-standards:protocols.hpack~2",
				stance: "supports",
				score: 1,
				excerpt:
					"The static table holds 61 common entries; the dynamic table holds fields seen earlier on the connection and is limited by a setting that starts at 4,096 octets.",
				title: "HPACK: Header Compression for HTTP/2",
				source_url: "https://www.rfc-editor.org/rfc/rfc7541",
				published_at: "2015-05-01",
				tier: 1,
				group: 1,
				trend_id: "http-web-standards:protocols.hpack",
				graph_id: "http-web-standards",
				part: 0,
				reasons: ["holds 100 % of what the claim says"],
				is_disputed: false,
			},
		],
		claim_review: {
			"@context": "https://schema.org",
			"@type": "ClaimReview",
			identifier: "vrf_01kg9yz3v0f6x2m8q4t7w1ab2c",
			datePublished: "2026-11-22",
			claimReviewed: "The static table of HPACK contains 61 entries.",
			reviewBody:
				'This is supported by the curated graph, which cites "HPACK: Header Compression for HTTP/2": the best sentence holds 100 % of what the claim says.',
			author: {
				"@type": "Organization",
				name: "tollgraph",
			},
			reviewRating: {
				"@type": "Rating",
				ratingValue: 5,
				worstRating: 1,
				bestRating: 5,
				alternateName: "Supported by cited sources",
			},
			itemReviewed: {
				"@type": "Claim",
				text: "The static table of HPACK contains 61 entries.",
			},
			citation: [
				{
					"@type": "CreativeWork",
					name: "HPACK: Header Compression for HTTP/2",
					url: "https://www.rfc-editor.org/rfc/rfc7541",
					datePublished: "2015-05-01",
					publisher: {
						"@type": "Organization",
						name: "rfc-editor.org",
					},
				},
				{
					"@type": "CreativeWork",
					name: "HPACK: Header Compression for HTTP/2",
					url: "https://www.rfc-editor.org/rfc/rfc7541",
					datePublished: "2015-05-01",
					publisher: {
						"@type": "Organization",
						name: "rfc-editor.org",
					},
				},
			],
		},
	},
	meta: {
		query: "The static table of HPACK contains 61 entries.",
		decision: "ANSWER",
		dataStatus: "EVIDENCE_MATCH",
		execution_time_ms: 972,
		mode: "hybrid",
		as_of: "2026-11-22",
		graphs_used: [
			"http-web-standards",
			"kubernetes-enhancements",
			"transport-security-desk",
			"exploited-vulnerabilities",
			"cryptography-standards",
			"python-evolution",
		],
		model: {
			embedder: "bundled",
			writer: null,
		},
		warnings: [],
	},
};
