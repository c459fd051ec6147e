import type { z } from "zod";
import type {
	ExplanationWire,
	FiltersWire,
	searchReplySchema,
} from "../../src/contract/contract.js";

type SearchReply = z.input<typeof searchReplySchema>;

/** A question and the row that answers it, from the sample catalog; the tests look both up. */
export interface SearchExample {
	readonly query: string;
	/** What the request asks for beside the query and the number of rows. */
	readonly options?: { readonly filters?: FiltersWire; readonly explain?: boolean };
	readonly graphId: string;
	readonly conceptId: string;
	readonly type: string;
	readonly name: string;
	readonly summary: string;
	readonly evidence: SearchReply["rows"][number]["evidence"];
	readonly explanation?: ExplanationWire;
}

export const DOMAIN_EXAMPLE: SearchExample = {
	query: "Which standard lets a token holder sign a transfer that somebody else submits?",
	graphId: "agent-payments",
	conceptId: "authorizations.eip-3009-transfer-with-authorization",
	type: "Standard",
	name: "EIP-3009 transferWithAuthorization",
	summary: "A token holder signs a transfer; anybody may submit it and pay the fees.",
	evidence: [
		{
			article_id: "eip3009",
			title: "Transfer With Authorization",
			source_url: "https://eips.ethereum.org/EIPS/eip-3009",
			published_at: "2020-09-28",
			date_precision: "day",
		},
	],
};

export const REPORT_EXAMPLE: SearchExample = {
	query: "How does a logged string lead to remote code execution?",
	options: {
		filters: { type: ["Event"], published_after: "2021-01-01", trust_tier: "machine-confirmed" },
		explain: true,
	},
	graphId: "exploited-vulnerabilities",
	conceptId: "events.log4shell-cve-2021-44228",
	type: "Event",
	name: "CVE-2021-44228: Log4Shell",
	summary: "A logged string becomes remote code execution through JNDI lookups in Log4j 2.",
	evidence: [
		{
			article_id: "cve-2021-44228",
			title: "Apache Log4j2 Remote Code Execution Vulnerability",
			source_url: "https://nvd.nist.gov/vuln/detail/CVE-2021-44228",
			published_at: "2021-12-10",
			date_precision: "day",
		},
	],
	explanation: {
		bm25: 14.2031,
		lexical_share: 1,
		cosine: 0.7412,
		dense_share: 1,
		dense_weight: 0.6,
		graph: 0.04,
		prior: 0.98,
		coverage: 0.93,
		is_named: false,
		terms: [
			{ term: "logged", score: 4.9023 },
			{ term: "string", score: 3.8114 },
			{ term: "remote", score: 2.1207 },
			{ term: "code", score: 1.3466 },
			{ term: "execution", score: 2.0221 },
		],
	},
};

export const EXPERT_EXAMPLE: SearchExample = {
	query: "How do I roll out HSTS without locking users out?",
	graphId: "transport-security-desk",
	conceptId: "http.hsts-rollout",
	type: "Technique",
	name: "Rolling out HSTS in stages",
	summary: "Raise max-age in steps, and include subdomains only after an inventory.",
	evidence: [
		{
			article_id: "rfc6797",
			title: "HTTP Strict Transport Security (HSTS)",
			source_url: "https://www.rfc-editor.org/rfc/rfc6797",
			published_at: "2012-11-01",
			date_precision: "month",
		},
	],
};

export const ANALYST_EXAMPLE: SearchExample = {
	query: "Which typing syntax was refused for Python?",
	graphId: "python-evolution",
	conceptId: "typing.rejected-typing-syntax",
	type: "Signal",
	name: "Typing syntax that was refused",
	summary:
		"PEP 677 proposed (int) -> str as callable type syntax and was rejected; PEP 718 and PEP 764 are still drafts.",
	evidence: [
		{
			article_id: "pep-677",
			title: "Callable Type Syntax",
			source_url: "https://peps.python.org/pep-0677/",
			published_at: "2021-12-13",
			date_precision: "day",
		},
	],
};

/** The reply of an example, as a caller with a Shared Payment Token would get it. */
export function toExampleReply(example: SearchExample, graphId: string | null): SearchReply {
	const { query, conceptId, name, summary, evidence, type, explanation } = example;
	return {
		ok: true,
		dataStatus: "TREND_MATCH",
		meta: {
			query,
			graph_id: graphId,
			decision: "ANSWER",
			execution_time_ms: 3,
			mode: "hybrid",
			missing: [],
			graphs_used: [example.graphId],
			as_of: "2026-11-30T12:00:00.000Z",
			request_id: "req_01kg9yz3v0f6x2m8q4t7w1ab2c",
			cost: {
				amount_usd: "0.50",
				billing_type: "per_call",
				rail: "spt",
				balance_after_usd: "24.50",
				receipt_id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
				charged: true,
			},
		},
		rows: [
			{
				trend_id: `${example.graphId}:${conceptId}`,
				name,
				summary,
				evidence,
				graph_id: example.graphId,
				type,
				score: 0.91,
				trust_tier: "machine-confirmed",
				...(explanation && { explanation }),
			},
		],
	};
}
