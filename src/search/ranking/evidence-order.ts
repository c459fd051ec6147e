import type { Evidence } from "../../knowledge/knowledge.js";
import type { ConceptFilter } from "../index/concept-filter.js";
import type { WeighedWord } from "../lexical/query-coverage.js";
import { termsOf, tokenize } from "../lexical/tokenizer.js";

type DateRange = Pick<ConceptFilter, "publishedAfter" | "publishedBefore">;

/**
 * All of a row's sources, the best first: those within the dates asked for, then those whose title holds more of the query's
 * words, then the newest; what is alike stays in the author's order.
 */
export function orderEvidence(
	evidence: readonly Evidence[],
	weighed: readonly WeighedWord[],
	range: DateRange = {},
): readonly Evidence[] {
	if (evidence.length < 2) return evidence;
	const rated = evidence.map((source) => ({
		source,
		isInRange: isWithin(range, source.publishedAt),
		overlap: overlapOf(titleTermsOf(source), weighed),
	}));
	rated.sort(
		(a, b) =>
			Number(b.isInRange) - Number(a.isInRange) ||
			b.overlap - a.overlap ||
			compareDays(b.source.publishedAt, a.source.publishedAt),
	);
	return rated.map(({ source }) => source);
}

function overlapOf(terms: ReadonlySet<string>, weighed: readonly WeighedWord[]): number {
	let overlap = 0;
	for (const { word, weight } of weighed) {
		if (termsOf(word).some((term) => terms.has(term))) overlap += weight;
	}
	return overlap;
}

/** Sources are immutable and ordered again and again. */
const titleTerms = new WeakMap<Evidence, ReadonlySet<string>>();

function titleTermsOf(source: Evidence): ReadonlySet<string> {
	const known = titleTerms.get(source);
	if (known) return known;
	const terms = new Set(tokenize(source.title).flatMap((word) => [...termsOf(word)]));
	titleTerms.set(source, terms);
	return terms;
}

function isWithin({ publishedAfter, publishedBefore }: DateRange, day: string | undefined) {
	if (publishedAfter === undefined && publishedBefore === undefined) return true;
	if (day === undefined) return false;
	return day >= (publishedAfter ?? day) && day <= (publishedBefore ?? day);
}

/** Days as `YYYY-MM-DD`; an undated source is older than all. */
function compareDays(one = "", other = ""): number {
	return one === other ? 0 : one < other ? -1 : 1;
}
