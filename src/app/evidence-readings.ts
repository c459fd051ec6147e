import {
	createArticle,
	createArticleMentions,
	createArticleSearch,
} from "../../skills/articles/article-skills.js";
import { createEntity, createEntityResolve } from "../../skills/entities/entity-skills.js";
import type { CatalogSkillDeps } from "../../skills/graphs/catalog-skill.js";
import {
	createTrend,
	createTrendEvidence,
	createTrendList,
} from "../../skills/trends/trend-skills.js";

/** Every skill that reads what the graphs say together. */
export function createEvidenceReadings(deps: CatalogSkillDeps) {
	return {
		"trends.list": createTrendList(deps),
		"trends.get": createTrend(deps),
		"trends.evidence": createTrendEvidence(deps),
		"articles.search": createArticleSearch(deps),
		"articles.get": createArticle(deps),
		"articles.mentions": createArticleMentions(deps),
		"entities.resolve": createEntityResolve(deps),
		"entities.get": createEntity(deps),
	};
}
