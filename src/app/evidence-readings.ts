import {
	createArticle,
	createArticleMentions,
	createArticleSearch,
} from "../../skills/articles/articles.js";
import { createEntity, createEntityResolve } from "../../skills/entities/entities.js";
import type { CatalogSkillDeps } from "../../skills/graphs/graphs.js";

/** Every skill that reads what the graphs say together. */
export function createEvidenceReadings(deps: CatalogSkillDeps) {
	return {
		"articles.search": createArticleSearch(deps),
		"articles.get": createArticle(deps),
		"articles.mentions": createArticleMentions(deps),
		"entities.resolve": createEntityResolve(deps),
		"entities.get": createEntity(deps),
	};
}
