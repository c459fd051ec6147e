import { NODE_ITEM } from "../graphs/graphs.js";
import { DOMAIN_EXAMPLE } from "../search/search.js";

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
