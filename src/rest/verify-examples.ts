/** Replies of the operations that check texts, citations and batches, of claims the sample catalog decides. */

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
