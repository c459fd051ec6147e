import type { SourceKind } from "../../contract/contract.js";
import type { Evidence } from "./graph.js";

/** A source as the format writes it; without a title it is called by its address. */
export interface SourceEntry {
	readonly id: string;
	readonly resource: string;
	readonly title?: string;
	readonly last_modified?: string;
	readonly kind?: SourceKind;
}

export function toSourceEntry(evidence: Evidence): SourceEntry {
	const { articleId: id, sourceUrl: resource, title, kind } = evidence;
	const date = writtenDate(evidence);
	return {
		id,
		resource,
		title,
		...(date !== undefined && { last_modified: date }),
		...(kind && { kind }),
	};
}

/** The date as precise as the source was: `2018`, `2018-08` or `2018-08-01`; undefined for undated sources. */
export function writtenDate({
	publishedAt,
	datePrecision,
}: Pick<Evidence, "publishedAt" | "datePrecision">): string | undefined {
	const chars = { year: 4, month: 7, day: 10 };
	return publishedAt?.slice(0, chars[datePrecision ?? "day"]);
}
