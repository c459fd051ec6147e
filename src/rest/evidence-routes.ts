import type { PaidOperationId } from "../contract/contract.js";
import { toDataReply } from "../contract/contract.js";
import { ARTICLE, CANDIDATE, ENTITY, MENTION } from "./evidence-examples.js";
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
} from "./evidence-schemas.js";
import { createReadings } from "./reading-routes.js";
import type { PaidRoute } from "./route.js";

type EvidenceReadingId = Extract<PaidOperationId, `${"articles" | "entities"}.${string}`>;

const BILLING =
	"Paid per call; what does not exist, and an answer without anything in it, cost nothing.";

const reading = createReadings<EvidenceReadingId>({ billing: BILLING });

/** What the graphs say together: trends, articles and entities. Additive to the contract. */
export const EVIDENCE_READING_ROUTES: Readonly<Record<EvidenceReadingId, PaidRoute>> = {
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
