import { createArticle, createArticleMentions, createArticleSearch } from "./articles.js";
import type { CatalogSkillDeps } from "./catalog-skill.js";
import { createEntity, createEntityResolve } from "./entities.js";
import { createTrend, createTrendEvidence, createTrendList } from "./trends.js";

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
