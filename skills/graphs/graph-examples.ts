import { DOMAIN_EXAMPLE, toExampleReply } from "../search/search.js";

/** Replies of the operations that read a graph, of nodes the sample catalog has. */

const GRAPH_ID = DOMAIN_EXAMPLE.graphId;
export const NODE_ID = DOMAIN_EXAMPLE.conceptId;
export const OTHER_ID = "authorizations.eip-712-typed-data";

export const GRAPH_PARAMS = { graph_id: GRAPH_ID };
export const NODE_PARAMS = { graph_id: GRAPH_ID, node_id: NODE_ID };

const { request_id, cost } = toExampleReply(DOMAIN_EXAMPLE, GRAPH_ID).meta;

export const QUERY = DOMAIN_EXAMPLE.query;

/** An answer as a caller with a Shared Payment Token would get it. */
export const toGraphReply = (data: object, more: object = {}) => ({
	ok: true,
	data,
	meta: { graph_id: GRAPH_ID, version: "1.0.0", ...more, request_id, cost },
});

export const toPageReply = (item: object) => toGraphReply({ items: [item] }, { next_cursor: null });

export const NODE_ITEM = {
	node_id: NODE_ID,
	trend_id: `${GRAPH_ID}:${NODE_ID}`,
	title: DOMAIN_EXAMPLE.name,
	type: DOMAIN_EXAMPLE.type,
	summary: DOMAIN_EXAMPLE.summary,
	tags: ["eip-3009", "stablecoins", "gasless"],
	aliases: ["EIP-3009", "ERC-3009"],
	status: "stable",
	trust_tier: "unverified",
	evidence_count: 1,
	degree: 9,
};

export const OTHER_ITEM = {
	...NODE_ITEM,
	node_id: OTHER_ID,
	trend_id: `${GRAPH_ID}:${OTHER_ID}`,
	title: "EIP-712 typed structured data",
	summary: "Hashes a typed message and a domain separator into one digest that wallets can show.",
	tags: ["eip-712", "signatures", "wallets"],
	aliases: ["EIP-712"],
	evidence_count: 3,
	degree: 12,
};

export const EDGE = {
	source: NODE_ID,
	type: "builds-on",
	target: OTHER_ID,
	weight: 1,
	valid_from: null,
	valid_to: null,
};

export const STEP = { ...EDGE, direction: "out" };

export const NODE = {
	...NODE_ITEM,
	body: "The proposal of September 2020 adds functions to an ERC-20 token that move funds on presentation of a signature.",
	evidence: DOMAIN_EXAMPLE.evidence,
	provenance: {
		generated_by: "tollgraph-desk/1.0",
		generated_at: "2026-11-20",
		verified: [],
		stale_after: null,
		content_hash: "9f2c4a0e5b7d81363c6f8a92d4e1b05788f4c3a6d2e90b1f57a8c6e4d3b2a190",
	},
	edges: [{ type: "builds-on", direction: "out", count: 1 }],
};

export const PATH = {
	length: 1,
	nodes: [NODE_ITEM, OTHER_ITEM].map(({ node_id, title, type }) => ({ node_id, title, type })),
	steps: [STEP],
};

export const EVENT = {
	day: "2020-09-28",
	precision: "day",
	kind: "source-published",
	node_id: NODE_ID,
	title: NODE_ITEM.title,
	detail: "Transfer With Authorization",
	source_url: "https://eips.ethereum.org/EIPS/eip-3009",
};

export const CONTEXT = {
	context:
		"## EIP-3009 transferWithAuthorization\n\nA token holder signs a transfer; anybody may submit it and pay the fees. [1]\n\n## Sources\n\n[1] Transfer With Authorization, 2020-09-28. https://eips.ethereum.org/EIPS/eip-3009",
	tokens: 64,
	nodes: [{ node_id: NODE_ID, title: NODE_ITEM.title, passages: 1 }],
	citations: DOMAIN_EXAMPLE.evidence.map((source) => ({ ...source, number: 1 })),
};

const CSV = `source,type,target,weight,valid_from,valid_to\r\n${NODE_ID},builds-on,${OTHER_ID},1,,\r\n`;

export const EXPORT = {
	format: "csv",
	media_type: "text/csv; charset=utf-8",
	file_name: "agent-payments-1.0.0.edges.csv",
	encoding: "utf-8",
	bytes: CSV.length,
	sha256: "0d6b7a2c9e4f185336c1f8a7d2e9b05788f4c3a6d2e90b1f57a8c6e4d3b2a191",
	content: CSV,
};

export const CHANGE = {
	node_id: NODE_ID,
	change: "changed",
	title: NODE_ITEM.title,
	type: NODE_ITEM.type,
};
