import { DOMAIN_EXAMPLE } from "../search/search.js";

/** A dossier on a topic that the sample catalog covers. */

export const DOSSIER_ID = "dos_01kg9yz3v0f6x2m8q4t7w1ab2c";
const TOPIC = "Gasless transfers with signed authorizations";
const TREND_ID = "agent-payments:authorizations.eip-3009-transfer-with-authorization";
const STATEMENT =
	"EIP-3009 lets a token holder sign a transfer off chain (from, to, value, validAfter, validBefore, random nonce) that anyone may submit and pay gas for.";
const [source] = DOMAIN_EXAMPLE.evidence;
const address = {
	title: source?.title ?? "",
	publisher: "eips.ethereum.org",
	source_url: source?.source_url ?? "",
	published_at: "2020-09-28",
	trust_tier: "unverified",
};
const evidence = { n: 1, evidence_id: `${TREND_ID}~0`, ...address };
const cited = { text: STATEMENT, citation_ids: [1] };

export const DOSSIER = {
	dossier_id: DOSSIER_ID,
	version: 1,
	previous_id: null,
	topic: TOPIC,
	graphs_asked: null,
	graphs: ["agent-payments"],
	summary: [cited],
	findings: [
		{
			finding_id: "f1",
			statement: STATEMENT,
			about: { trend_id: TREND_ID, name: "EIP-3009 transfer with authorization" },
			confidence: 0.5,
			sources_independent: 1,
			tier: 1,
			newest: "2020-09-28",
			citation_ids: [1],
			contradicted_by: [],
		},
	],
	evidence_table: [{ ...evidence, tier: 1, findings: ["f1"] }],
	timeline: [{ ...cited, date: "2020-09-28", basis: "published" }],
	entities: [
		{
			trend_id: TREND_ID,
			name: "EIP-3009 transfer with authorization",
			type: "Standard",
			graph_id: "agent-payments",
			mentions: 1,
		},
	],
	source_profile: {
		tiers: { "human-reviewed": 0, "machine-confirmed": 0, unverified: 1 },
		authority: [
			{ tier: 1, sources: 1 },
			{ tier: 2, sources: 0 },
			{ tier: 3, sources: 0 },
			{ tier: 4, sources: 0 },
		],
		sources: 1,
		independent_groups: 1,
		publishers: [{ publisher: "ethereum", sources: 1 }],
		date_span: { oldest: "2020-09-28", newest: "2020-09-28" },
		undated: 0,
	},
	contradictions: [],
	gaps: [
		{
			kind: "single_source",
			message: "1 of 1 findings rest on one publisher alone.",
			citation_ids: [],
		},
	],
	supplemental: [],
	method: "Findings quote their evidence word for word.",
	as_of: "2026-11-22",
	citations: [
		{
			...evidence,
			trend_id: TREND_ID,
			article_id: source?.article_id ?? "",
			excerpt: STATEMENT,
			graph_id: "agent-payments",
		},
	],
	kept_until: "2026-11-23T12:00:00.000Z",
};

export const DOSSIER_DIFF = { added: [], removed: [], changed: [], unchanged: 1 };

export const DOSSIER_ITEM = {
	dossier_id: DOSSIER_ID,
	topic: TOPIC,
	version: 1,
	previous_id: null,
	as_of: "2026-11-22",
	created_at: "2026-11-22T12:00:00.000Z",
	kept_until: "2026-11-23T12:00:00.000Z",
};

export const DOSSIER_META = {
	query: TOPIC,
	decision: "ANSWER",
	dataStatus: "EVIDENCE_MATCH",
	as_of: "2026-11-22",
	graphs_used: ["agent-payments"],
	model: { embedder: "bundled", writer: "extractive" },
	warnings: [],
	execution_time_ms: 120,
};

export const DOSSIER_MARKDOWN = `# ${TOPIC}\n\n## Summary\n\n${STATEMENT} \\[1\\]\n\n## References\n\n1. ${address.title} <${address.source_url}>\n`;
