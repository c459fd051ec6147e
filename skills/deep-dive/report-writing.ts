import type { CitedTextWire } from "../../src/contract/contract.js";
import type { ReportDocument, ReportItem } from "../answers/answers.js";
import type { DeepDiveReport } from "./report.js";

/** The report as a document, whatever it is written down in. */
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
			{ heading: "Abstract", form: "prose", items: report.abstract.map(toItem) },
			{ heading: "Findings", form: "list", items: report.findings.map(toFinding) },
			{ heading: "Contradictions", form: "list", items: report.contradictions.flatMap(toSides) },
			{
				heading: "Timeline",
				form: "list",
				items: report.timeline.map((entry) => ({ ...toItem(entry), note: entry.date })),
			},
			{ heading: "What is not known", form: "list", items: report.not_known.map(toOwnWords) },
			{ heading: "Method", form: "list", items: methodOf(report).map(toOwnWords) },
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
	return {
		text: statement,
		citationIds: citation_ids,
		note: `${about}; confidence ${confidence.toFixed(2)}${contradicted}`,
	};
}

function toSides({ one, other, reasons }: DeepDiveReport["contradictions"][number]) {
	return [
		toItem(one),
		{ ...toItem(other), note: `contradicts the one above: ${reasons.join("; ")}` },
	];
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
