import type { GraphType, TrustTier } from "../../contract/contract.js";
import type { Concept, Evidence, Graph } from "../../knowledge/knowledge.js";

/** What a caller narrows a search to. A concept passes when it meets every condition that is given. */
export interface ConceptFilter {
	/** Kinds of graph; any of them. */
	readonly kinds?: readonly GraphType[] | undefined;
	/** Types of concept, without regard to case; any of them. */
	readonly types?: readonly string[] | undefined;
	/** Tags, without regard to case; the concept has at least one of them. */
	readonly tags?: readonly string[] | undefined;
	/** `YYYY-MM-DD`, inclusive: at least one source was published in this range. Undated sources are in no range. */
	readonly publishedAfter?: string | undefined;
	readonly publishedBefore?: string | undefined;
	/** The least trust that is enough. */
	readonly trust?: TrustTier | undefined;
	/** Ids of concepts; any of them. */
	readonly ids?: readonly string[] | undefined;
}

/** Least trusted first. */
const TIERS: readonly TrustTier[] = ["unverified", "machine-confirmed", "human-reviewed"];

export type ConceptTest = (concept: Concept) => boolean;

/** The filter as a test for the concepts of one graph; undefined when none of them can pass. */
export function toConceptTest(filter: ConceptFilter, graph: Graph): ConceptTest | undefined {
	const { kinds, types, tags, trust, ids } = filter;
	const isDated = filter.publishedAfter !== undefined || filter.publishedBefore !== undefined;
	if (kinds && !kinds.includes(graph.record.type)) return undefined;
	const wantedTypes = types && toLowerSet(types);
	const wantedTags = tags && toLowerSet(tags);
	const wantedIds = ids && new Set(ids);
	const leastTrust = trust ? TIERS.indexOf(trust) : 0;
	return (concept) =>
		(!wantedIds || wantedIds.has(concept.id)) &&
		(!wantedTypes || wantedTypes.has(concept.type.toLowerCase())) &&
		(!wantedTags || concept.tags.some((tag) => wantedTags.has(tag.toLowerCase()))) &&
		TIERS.indexOf(concept.trust) >= leastTrust &&
		(!isDated || concept.evidence.some((source) => isPublishedWithin(filter, source)));
}

/** One text per filter that accepts the same concepts whatever the order its values were given in; undefined for no filter. */
export function keyOf(filter: ConceptFilter | undefined): string | undefined {
	if (!filter) return undefined;
	const { kinds, types, tags, publishedAfter, publishedBefore, trust, ids } = filter;
	const parts = [
		kinds && [...new Set(kinds)].sort(),
		types && [...toLowerSet(types)].sort(),
		tags && [...toLowerSet(tags)].sort(),
		publishedAfter,
		publishedBefore,
		trust,
		ids && [...new Set(ids)].sort(),
	].map((part) => part ?? null);
	return parts.every((part) => part === null) ? undefined : JSON.stringify(parts);
}

/** True when a source was published in the filter's range. */
export function isPublishedWithin(
	{ publishedAfter, publishedBefore }: ConceptFilter,
	{ publishedAt: day }: Pick<Evidence, "publishedAt">,
): boolean {
	if (publishedAfter === undefined && publishedBefore === undefined) return true;
	if (day === undefined) return false;
	return day >= (publishedAfter ?? day) && day <= (publishedBefore ?? day);
}

function toLowerSet(values: readonly string[]): ReadonlySet<string> {
	return new Set(values.map((value) => value.toLowerCase()));
}
