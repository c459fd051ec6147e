import type { CitationWire, CitedTextWire } from "../../src/contract/contract.js";
import type { SourceProfile } from "../answers/answers.js";
import type { DeepDiveMode } from "./plan.js";

/** What a deep dive hands over: every sentence of evidence is cited, everything else is counted or named. JSON. */
export interface DeepDiveReport {
	readonly title: string;
	readonly query: string;
	readonly mode: DeepDiveMode;
	readonly abstract: readonly CitedTextWire[];
	readonly findings: readonly FindingWire[];
	readonly contradictions: readonly ContradictionWire[];
	readonly timeline: readonly TimelineWire[];
	readonly evidence_table: readonly EvidenceRow[];
	readonly not_known: readonly string[];
	readonly supplemental: readonly unknown[];
	readonly skipped_feeds: readonly { readonly feed_id: string; readonly reason: string }[];
	readonly source_profile: SourceProfile;
	readonly method: MethodWire;
	readonly citations: readonly CitationWire[];
	readonly as_of: string;
	readonly warnings: readonly string[];
}

export interface FindingWire {
	readonly finding_id: string;
	readonly statement: string;
	/** Title of the concept it is told of: sentences do not always name it. */
	readonly about: string;
	readonly citation_ids: readonly number[];
	/** 0..1, an order and no probability; see confidenceOfFinding. */
	readonly confidence: number;
	/** Numbers of the citations that contradict it. */
	readonly contradicted_by: readonly number[];
	/** The aspect of the question it bears on. */
	readonly aspect: string;
	/** What checking it as a claim came to; null where it was not checked. */
	readonly verdict: string | null;
}

export interface ContradictionWire {
	readonly one: CitedTextWire;
	readonly other: CitedTextWire;
	readonly reasons: readonly string[];
}

export interface TimelineWire extends CitedTextWire {
	readonly date: string;
	readonly basis: "told" | "published";
}

export interface EvidenceRow {
	readonly n: number;
	readonly evidence_id: string;
	readonly trend_id: string;
	readonly title: string;
	readonly source_url: string;
	readonly published_at: string | null;
	readonly publisher: string;
	readonly trust_tier: string;
	readonly excerpt: string;
	readonly used_in: readonly string[];
}

export interface MethodWire {
	readonly passes: readonly string[];
	readonly aspects: readonly { readonly question: string; readonly purpose: string }[];
	readonly graphs: readonly string[];
	readonly concepts_found: number;
	readonly concepts_read: number;
	readonly sentences_rated: number;
	readonly claims_checked: number;
	readonly search_mode: "hybrid" | "keyword";
	readonly writer: string;
}
