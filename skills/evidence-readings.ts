import type { CatalogSkillDeps } from "./catalog-skill.js";
import { createEntity, createEntityResolve } from "./entities.js";
import { createTrend, createTrendEvidence, createTrendList } from "./trends.js";

/** Every skill that reads what the graphs say together. */
export function createEvidenceReadings(deps: CatalogSkillDeps) {
	return {
		"trends.list": createTrendList(deps),
		"trends.get": createTrend(deps),
		"trends.evidence": createTrendEvidence(deps),
		"entities.resolve": createEntityResolve(deps),
		"entities.get": createEntity(deps),
	};
}
