import type { Clock } from "../../src/kernel/clock.js";
import type { GraphCatalog } from "../../src/knowledge/catalog.js";

/** What skills over all graphs need. */
export interface CatalogSkillDeps {
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
}
