import type { FiltersWire } from "../../src/contract/contract.js";
import type { ConceptFilter } from "../../src/search/search.js";

/** The caller's filters in the words of the engine; undefined when none was sent. */
export function toConceptFilter(filters: FiltersWire | undefined): ConceptFilter | undefined {
	return (
		filters && {
			kinds: filters.kind,
			types: filters.type,
			tags: filters.tags,
			publishedAfter: filters.published_after,
			publishedBefore: filters.published_before,
			trust: filters.trust_tier,
		}
	);
}
