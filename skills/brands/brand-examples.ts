/** Replies of the operations that read brands, of a brand the sample catalog has. */

const TREND_ID = "agent-protocols:authorization.dynamic-client-registration";
const EVIDENCE_ID = `${TREND_ID}~1`;
const STATEMENT = "MCP used it for unknown clients and deprecated it in July 2026.";

export const BRAND_HEAD = {
	id: "model-context-protocol-mcp",
	name: "Model Context Protocol (MCP)",
	aliases: ["MCP", "Model Context Protocol", "MCP server", "MCP client"],
	domains: [],
	kind: "Entity",
};
export const BRAND_WINDOW = { from: "2024-11-23", to: "2026-11-22" };

const CITATION = {
	n: 1,
	evidence_id: EVIDENCE_ID,
	trend_id: TREND_ID,
	article_id: "mcp-2026-07-28",
	title: "Model Context Protocol",
	source_url: "https://modelcontextprotocol.io/specification/2026-07-28",
	published_at: "2026-07-28",
	publisher: "modelcontextprotocol.io",
	excerpt: STATEMENT,
	trust_tier: "unverified",
	graph_id: "agent-protocols",
};
export const BRAND_CITATIONS = [CITATION];

const FIGURES = {
	mentions: 35,
	articles: 5,
	graphs: 1,
	sources_independent: 2,
	first_seen: "2025-03-26",
	last_seen: "2026-07-28",
	undated: 0,
};
const TONE = { net: 0.0571, positive: 6, neutral: 25, negative: 4, n: 35 };
const TONE_OF_ONE = { net: -1, positive: 0, neutral: 0, negative: 1, n: 1 };
const SENTIMENT = {
	...TONE,
	positive_interval: { low: 0.3127, high: 0.8318 },
	is_small_sample: false,
};
const METHOD =
	"rules: words of a fixed list make a sentence positive or negative; a negation up to three words before turns a word around; the greater count decides, equal counts are neutral";

export const BRAND_SIGNAL = {
	type: "event",
	title: "MCP revision 2026-07-28",
	date: "2026-07-28",
	strength: 0.4004,
	evidence: [EVIDENCE_ID],
};
export const BRAND_BUCKET = {
	period: "2026-07",
	mentions: 1,
	articles: 1,
	sentiment: TONE_OF_ONE,
	evidence: [EVIDENCE_ID],
};
const SHARES = [
	{
		brand: BRAND_HEAD.id,
		name: BRAND_HEAD.name,
		share: 0.8333,
		mentions: 35,
		n: 42,
		interval: { low: 0.6943, high: 0.9168 },
		is_small_sample: false,
	},
	{
		brand: "linux-kernel",
		name: "Linux kernel",
		share: 0.1667,
		mentions: 7,
		n: 42,
		interval: { low: 0.0832, high: 0.3057 },
		is_small_sample: false,
	},
];

export const BRAND_INTELLIGENCE = {
	brand: BRAND_HEAD,
	window: BRAND_WINDOW,
	footprint: {
		...FIGURES,
		is_complete: true,
		by_graph: [
			{
				graph_id: "agent-protocols",
				title: "Agent protocols",
				mentions: 35,
				articles: 5,
				last_seen: "2026-07-28",
			},
		],
	},
	share_of_voice: SHARES,
	sentiment: { ...SENTIMENT, method: METHOD },
	signals: [BRAND_SIGNAL],
	trends: [],
	co_mentions: [],
	timeline: [BRAND_BUCKET],
	risks: [
		{
			kind: "lifecycle",
			statement: STATEMENT,
			date: "2026-07-28",
			sources_independent: 1,
			evidence: [EVIDENCE_ID],
		},
	],
	gaps: [],
	citations: BRAND_CITATIONS,
};

export const BRAND_PUBLISHER = {
	publisher: "modelcontextprotocol.io",
	hosts: ["modelcontextprotocol.io"],
	articles: 4,
	mentions: 34,
	first_seen: "2025-03-26",
	last_seen: "2026-07-28",
	sentiment: TONE,
	graphs: ["agent-protocols"],
	evidence: [EVIDENCE_ID],
	citation_ids: [1],
};

export const BRAND_COMPARISON = {
	window: BRAND_WINDOW,
	share_of_voice: SHARES,
	brands: SHARES.map(({ brand, name }) => ({
		brand,
		name,
		...FIGURES,
		sentiment: SENTIMENT,
		evidence: [EVIDENCE_ID],
	})),
	together: [],
	sentiment_method: METHOD,
	gaps: [],
	citations: BRAND_CITATIONS,
};

export const BRAND_META = {
	query: "MCP",
	decision: "ANSWER",
	dataStatus: "ENTITY_MATCH",
	as_of: BRAND_WINDOW.to,
	graphs_used: ["agent-protocols"],
	warnings: [],
	execution_time_ms: 12,
};
