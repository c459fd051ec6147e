import type { CitationWire, CitedTextWire } from "../../src/contract/contract.js";
import {
	listSection,
	proseSection,
	type ReportDocument,
	type ReportItem,
	type SourceProfile,
} from "../answers/answers.js";
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

export interface EvidenceRow extends Omit<CitationWire, "graph_id" | "article_id"> {
	/** Ids of the findings that cite it. */
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

/** The report as a document, whatever it is persisted in. */
export function toReportDocument(report: DeepDiveReport): ReportDocument {
	const { source_profile: profile, method } = report;
	return {
		title: report.title,
		facts: [
			["As of", report.as_of.slice(0, 10)],
			["Mode", report.mode],
			["Sources", `${profile.sources}, in ${profile.independent_groups} independent groups`],
			["Passes", method.passes.join(", ")],
			["Graphs", method.graphs.join(", ")],
			["Written by", method.writer],
		],
		sections: [
			proseSection("Abstract", report.abstract.map(toItem)),
			listSection("Findings", report.findings.map(toFinding)),
			listSection("Contradictions", report.contradictions.flatMap(toSides)),
			listSection(
				"Timeline",
				report.timeline.map((entry) => ({ ...toItem(entry), note: entry.date })),
			),
			listSection("What is not known", report.not_known.map(toOwnWords)),
			listSection("Method", methodOf(report).map(toOwnWords)),
		],
		citations: report.citations,
	};
}

function toItem({ text, citation_ids }: CitedTextWire): ReportItem {
	return { text, citationIds: citation_ids };
}

function toFinding(finding: DeepDiveReport["findings"][number]): ReportItem {
	const { statement, about, citation_ids, confidence, contradicted_by: against } = finding;
	const contradicted = against.length > 0 ? `, contradicted by ${against.join(", ")}` : "";
	const note = `${about}; confidence ${confidence.toFixed(2)}${contradicted}`;
	return { text: statement, citationIds: citation_ids, note };
}

function toSides({ one, other, reasons }: DeepDiveReport["contradictions"][number]) {
	const note = `contradicts the one above: ${reasons.join("; ")}`;
	return [toItem(one), { ...toItem(other), note }];
}

function toOwnWords(text: string): ReportItem {
	return { text, citationIds: [] };
}

function methodOf({ method, warnings, skipped_feeds: skipped }: DeepDiveReport): readonly string[] {
	return [
		`${method.aspects.length} questions were asked of ${method.graphs.length} graphs by ${method.search_mode} search.`,
		`${method.concepts_found} concepts were found, ${method.concepts_read} of them read and ${method.sentences_rated} cited sentences rated.`,
		`${method.claims_checked} key sentences were checked as claims.`,
		...skipped.map(({ feed_id: id, reason }) => `The feed ${id} was left out: ${reason}`),
		...warnings,
	];
}
