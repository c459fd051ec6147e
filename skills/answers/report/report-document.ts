import type { CitationWire } from "../../../src/contract/contract.js";

/** A report as readers see it, whatever it is written down in. Texts of evidence are data: they bring no markup and no links. */
export interface ReportDocument {
	readonly title: string;
	/** Facts about the report itself, by label. */
	readonly facts: readonly (readonly [label: string, value: string])[];
	readonly sections: readonly ReportSection[];
	/** In the order of their numbers; the only links of the document lead to them. */
	readonly citations: readonly CitationWire[];
}

export interface ReportSection {
	readonly heading: string;
	/** Empty sections are left out. */
	readonly items: readonly ReportItem[];
	/** "prose" runs items together, "list" gives each its own line. */
	readonly form: "prose" | "list";
}

export interface ReportItem {
	readonly text: string;
	/** Numbers of the citations that carry it; none for words of our own. */
	readonly citationIds: readonly number[];
	/** What stands behind it in brackets, e.g. a confidence. */
	readonly note?: string | undefined;
}
