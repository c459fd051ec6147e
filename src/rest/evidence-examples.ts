import { NODE_ITEM, OTHER_ITEM } from "../../skills/graphs/graphs.js";
import { DOMAIN_EXAMPLE } from "../../skills/search/search.js";

/** Replies of the operations that read trends, articles and entities, of nodes the sample catalog has. */

const { node_id, trend_id, title, type, summary, evidence_count, aliases, tags } = OTHER_ITEM;

export const CANDIDATE = {
	entity_id: "ent_c25953ceb7adb3626b34",
	trend_id,
	graph_id: "agent-payments",
	node_id,
	title,
	type,
	score: 0.95,
	why: "alias",
	matched: "EIP-712",
};

export const ENTITY = {
	entity_id: CANDIDATE.entity_id,
	name: title,
	types: [type],
	aliases,
	tags,
	coverage: { graphs: 1, nodes: 1, sources: 3, oldest: "2017-09-12", newest: "2025-08-01" },
	mentions: [
		{
			graph_id: "agent-payments",
			graph_title: "Agent payments",
			nodes: [{ trend_id, node_id, title, type, summary, named_as: "title", evidence_count }],
		},
	],
	is_complete: true,
};

const [cited] = DOMAIN_EXAMPLE.evidence;

export const ARTICLE = {
	article_ref: "art_a2e031a6930ff28f2f77",
	title: cited?.title ?? "",
	source_url: cited?.source_url ?? "",
	host: "eips.ethereum.org",
	published_at: "2020-09-28",
	date_precision: "day",
	graphs: ["agent-payments"],
	mentions: 5,
};

export const MENTION = {
	trend_id: NODE_ITEM.trend_id,
	graph_id: "agent-payments",
	node_id: NODE_ITEM.node_id,
	title: NODE_ITEM.title,
	type: NODE_ITEM.type,
	article_id: cited?.article_id ?? "",
};
