import type { Clock } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";

/** What skills over all graphs need. */
export interface CatalogSkillDeps {
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
}
