/** What is wrong with a file of a bundle. Errors keep a file or a graph out; warnings and notes do not. */
export interface Finding {
	readonly file: string;
	readonly rule: FindingRule;
	readonly severity: "error" | "warning" | "note";
	readonly message: string;
}

export type FindingRule =
	| "no-record"
	| "no-type"
	| "bad-front-matter"
	| "too-large"
	| "bad-path"
	| "id-collision"
	| "bad-address"
	| "too-many-sources"
	| "bad-value"
	| "broken-link"
	| "orphan"
	| "uncited"
	| "undated-source"
	| "future-date"
	| "stale"
	| "duplicate-title"
	| "duplicate-alias"
	| "undisclosed-expert"
	| "no-consent"
	| "no-description";

export type ReportFinding = (finding: Finding) => void;
