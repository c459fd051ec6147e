import { z } from "zod";
import type { PaidOperationId } from "../core/operations.js";
import {
	ARTICLE_REF,
	CANDIDATE,
	ENTITY,
	SOURCE,
	TREND,
	TREND_ID,
	TREND_ITEM,
	toDataReply,
} from "./evidence-examples.js";
import {
	entityPath,
	entityReply,
	entityResolveBody,
	entityResolveReply,
	pageOnlyQuery,
	trendEvidenceReply,
	trendListQuery,
	trendListReply,
	trendPath,
	trendQuery,
	trendReply,
} from "./evidence-schemas.js";
import type { PaidRoute } from "./route.js";

type EvidenceReadingId = Extract<
	PaidOperationId,
	"trends.list" | "trends.get" | "trends.evidence" | "entities.resolve" | "entities.get"
>;

const nothing = z.strictObject({});
const BILLING =
	"Paid per call; what does not exist, and an answer without anything in it, cost nothing.";

type About = Pick<PaidRoute, "summary" | "description" | "reply" | "example"> &
	Partial<Pick<PaidRoute, "path" | "query" | "body">>;

const reading = (operationId: EvidenceReadingId, about: About): PaidRoute => ({
	kind: "paid",
	operationId,
	path: nothing,
	query: nothing,
	...about,
	description: `${about.description} ${BILLING}`,
});

/** What the graphs say together: trends, articles and entities. Additive to the contract. */
export const EVIDENCE_READING_ROUTES: Readonly<Record<EvidenceReadingId, PaidRoute>> = {
	"trends.list": reading("trends.list", {
		summary: "List trends by momentum",
		description:
			"Trends and signals, page by page. Momentum is log2((recent + 1) / (before + 1)) over the distinct sources of the last 365 days and of the 365 days before.",
		query: trendListQuery,
		reply: trendListReply,
		example: {
			query: { graph_id: "kubernetes-enhancements", limit: "5" },
			reply: toDataReply({ items: [TREND_ITEM] }, { next_cursor: null }),
		},
	}),
	"trends.get": reading("trends.get", {
		summary: "Read one trend",
		description: "One node in full, by its trend_id, with its momentum and its links.",
		path: trendPath,
		query: trendQuery,
		reply: trendReply,
		example: {
			path: { trend_id: TREND_ID },
			query: { as_of: "2026-11-22" },
			reply: toDataReply(TREND),
		},
	}),
	"trends.evidence": reading("trends.evidence", {
		summary: "Evidence of a trend",
		description: "Every source that carries it, newest first, page by page.",
		path: trendPath,
		query: pageOnlyQuery,
		reply: trendEvidenceReply,
		example: {
			path: { trend_id: TREND_ID },
			query: { limit: "5" },
			reply: toDataReply(
				{ items: [{ ...SOURCE, article_ref: ARTICLE_REF }] },
				{ next_cursor: null },
			),
		},
	}),
	"entities.resolve": reading("entities.resolve", {
		summary: "Resolve names to nodes",
		description:
			"For each name the nodes that stand for it, with a score and why: exact title, alias, identifier, part of a name, near spelling.",
		body: entityResolveBody,
		reply: entityResolveReply,
		example: {
			body: { names: ["EIP-712"], limit: 2 },
			reply: toDataReply({ items: [{ name: "EIP-712", candidates: [CANDIDATE] }] }),
		},
	}),
	"entities.get": reading("entities.get", {
		summary: "Read one entity over all graphs",
		description:
			"The nodes with its title, and those that have the title as another name, graph by graph.",
		path: entityPath,
		reply: entityReply,
		example: { path: { entity_id: ENTITY.entity_id }, reply: toDataReply(ENTITY) },
	}),
};
