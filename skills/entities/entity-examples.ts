import { OTHER_ITEM } from "../graphs/graphs.js";

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
