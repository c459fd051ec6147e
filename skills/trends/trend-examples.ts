import { NODE, NODE_ITEM } from "../graphs/graphs.js";

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
