import type { PaidOperationId } from "../contract/contract.js";
import {
	ARTICLE,
	ARTICLE_REF,
	CANDIDATE,
	ENTITY,
	MENTION,
	SOURCE,
	TREND,
	TREND_ID,
	TREND_ITEM,
	toDataReply,
} from "./evidence-examples.js";
import {
	articleMentionsReply,
	articlePath,
	articleReply,
	articleSearchBody,
	articleSearchReply,
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
import { createReadings } from "./reading-routes.js";
import type { PaidRoute } from "./route.js";

type EvidenceReadingId = Extract<
	PaidOperationId,
	`${"trends" | "articles" | "entities"}.${string}`
>;

const BILLING =
	"Paid per call; what does not exist, and an answer without anything in it, cost nothing.";

const reading = createReadings<EvidenceReadingId>({ billing: BILLING });

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
	"articles.search": reading("articles.search", {
		summary: "Search cited articles",
		description:
			"Articles that graphs cite, by the words of their titles, best first. One address is one article, whatever scheme, fragment or visitor count it is written with.",
		body: articleSearchBody,
		reply: articleSearchReply,
		example: {
			body: { query: "transfer with authorization", limit: 3 },
			reply: toDataReply({ items: [{ ...ARTICLE, score: 0.64 }] }),
		},
	}),
	"articles.get": reading("articles.get", {
		summary: "Read one cited article",
		description: "Titles and addresses it is cited by, its host and date, and who cites it.",
		path: articlePath,
		reply: articleReply,
		example: {
			path: { article_ref: ARTICLE.article_ref },
			reply: toDataReply({
				...ARTICLE,
				titles: [ARTICLE.title],
				addresses: [ARTICLE.source_url],
			}),
		},
	}),
	"articles.mentions": reading("articles.mentions", {
		summary: "Nodes that cite an article",
		description: "Every node of any graph that cites it, by trend_id, page by page.",
		path: articlePath,
		query: pageOnlyQuery,
		reply: articleMentionsReply,
		example: {
			path: { article_ref: ARTICLE.article_ref },
			query: { limit: "5" },
			reply: toDataReply({ items: [MENTION] }, { next_cursor: null }),
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
