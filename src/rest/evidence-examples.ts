import { NODE, NODE_ITEM, OTHER_ITEM } from "./graph-examples.js";
import { DOMAIN_EXAMPLE, toExampleReply } from "./search-examples.js";

/** Replies of the operations that read trends, articles and entities, of nodes the sample catalog has. */

const { request_id, cost } = toExampleReply(DOMAIN_EXAMPLE, null).meta;

/** An answer as a caller with a Shared Payment Token would get it. */
export const toDataReply = (data: object, more: object = {}) => ({
	ok: true,
	data,
	meta: { ...more, request_id, cost },
});

export const TREND_ID = "kubernetes-enhancements:trends.job-api";
const GRAPH_ID = "kubernetes-enhancements";

const MOMENTUM = { score: -1, recent: 0, before: 1, as_of: "2026-11-22" };

export const TREND_ITEM = {
	...NODE_ITEM,
	node_id: "trends.job-api",
	trend_id: TREND_ID,
	title: "The Job API as a batch platform",
	type: "Trend",
	summary: "Fifteen sig-apps KEP titles contain Job, and 12 have reached the stable stage.",
	tags: ["batch", "jobs", "workloads"],
	aliases: ["Indexed Job", "KEP-2214"],
	evidence_count: 10,
	degree: 4,
	graph_id: GRAPH_ID,
	momentum: MOMENTUM,
};

export const ARTICLE_REF = "art_d49d47443a43f2000351";

export const SOURCE = {
	article_id: "kep-2214",
	title: "Indexed Job",
	source_url:
		"https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/2214-indexed-job",
	published_at: "2020-12-29",
	date_precision: "day",
};

export const TREND = {
	...NODE,
	...TREND_ITEM,
	body: "Filtering sig-apps titles for Job returns 15 rows, 12 with stage stable.",
	evidence: [SOURCE],
	links: [
		{
			trend_id: "kubernetes-enhancements:trends.workload-aware-scheduling",
			title: "Workload-aware scheduling",
			type: "relates-to",
			direction: "out",
			weight: 1,
		},
	],
	is_complete: true,
};

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
