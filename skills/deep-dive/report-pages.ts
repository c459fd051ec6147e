import type { CitedTextWire } from "../../src/contract/contract.js";
import {
	listSection,
	type ReportDocument,
	type ReportItem,
	type ReportSection,
	tableSection,
} from "../answers/answers.js";
import type { DeepDiveReport } from "./report-wire.js";

/** The report as a document, whatever it is persisted in; also one that an older version wrote, which says less. */
export function toReportDocument(
	report: DeepDiveReport & Partial<Pick<DeepDiveReport, "table" | "rounds" | "gaps">>,
): ReportDocument {
	const { source_profile: profile, method, table } = report;
	return {
		kind: "Deep dive",
		title: report.title,
		facts: [
			["As of", report.as_of.slice(0, 10)],
			["Mode", method.mode_text ?? report.mode],
			["Sources", `${profile.sources}, in ${profile.independent_groups} independent groups`],
			["Graphs", method.graphs.join(", ")],
			["Written by", method.writer],
		],
		sections: [
			listSection("Answer", report.abstract.map(toAnswerItem), "answer"),
			...toFindingSections(report),
			...(table ? [toTable(table)] : []),
			listSection("Dates", report.timeline.map(toDate)),
			listSection("In dispute", report.contradictions.map(toDispute), "dispute"),
			listSection("What is not known", report.not_known.map(toOwnWords), "gaps"),
			listSection("Rounds", (report.rounds ?? []).map(toRound), "method"),
			listSection("Method", methodOf(report).map(toOwnWords), "method"),
		],
		citations: report.citations,
	};
}

type Finding = DeepDiveReport["findings"][number];

function toItem({ text, citation_ids }: CitedTextWire): ReportItem {
	return { text, citationIds: citation_ids };
}

/** Reports of older versions do not say what their abstract is about. */
function toAnswerItem(stated: CitedTextWire & { readonly about?: string }): ReportItem {
	return { ...toItem(stated), note: stated.about };
}

function toOwnWords(text: string): ReportItem {
	return { text, citationIds: [] };
}

function toTable({ columns, rows }: NonNullable<DeepDiveReport["table"]>): ReportSection {
	return tableSection("Comparison", {
		columns,
		rows: rows.map(({ attribute, cells }) => ({
			name: attribute,
			cells: cells.map((cell) => (cell ? toItem(cell) : undefined)),
		})),
	});
}

/** Findings below the question that they answer, that of the dive first. */
function toFindingSections({ findings, query }: DeepDiveReport): readonly ReportSection[] {
	const groups = new Map<string, Finding[]>();
	for (const finding of findings) {
		const group = groups.get(finding.aspect) ?? [];
		group.push(finding);
		groups.set(finding.aspect, group);
	}
	return [...groups].map(([aspect, own]) =>
		listSection(aspect === query ? "More on the question" : aspect, own.map(toFindingItem)),
	);
}

function toFindingItem(finding: Finding): ReportItem {
	const { statement, about, citation_ids, confidence, contradicted_by: against } = finding;
	const contradicted =
		against.length > 0 ? `, contradicted by ${against.map((n) => `[${n}]`).join("")}` : "";
	const note = `${about}; confidence ${confidence.toFixed(2)}${contradicted}`;
	return { text: statement, citationIds: citation_ids, note };
}

/** Both sides stand in the report already: they are named by their numbers. */
function toDispute({ one, other, reasons }: DeepDiveReport["contradictions"][number]): ReportItem {
	const citationIds = [...one.citation_ids, ...other.citation_ids];
	const sides = [one, other].map(toItem);
	return { text: `Contradict each other: ${reasons.join("; ")}`, citationIds, sides };
}

function toDate({ date, text, citation_ids: citationIds }: DeepDiveReport["timeline"][number]) {
	return { text: `${date}: ${text}`, citationIds };
}

function toRound({
	round,
	asked,
	passages_new,
	passages_printed,
}: DeepDiveReport["rounds"][number]) {
	const questions = asked
		.map(({ question }) => shorten(question.replace(/[.?!]+$/, "")))
		.join("; ");
	const note = `${passages_new} new passages, ${passages_printed} of them printed`;
	return { ...toOwnWords(`Round ${round} asked: ${questions}.`), note };
}

const QUESTION_CHARS = 64;

/** A question that quotes a passage says no more of it than which one: the passage stands in the report once. */
function shorten(question: string): string {
	if (question.length <= QUESTION_CHARS) return question;
	const space = question.lastIndexOf(" ", QUESTION_CHARS);
	const kept = question.slice(0, space > 0 ? space : QUESTION_CHARS);
	return `${kept.replace(/\p{Surrogate}$/u, "")} …`;
}

function methodOf(report: DeepDiveReport): readonly string[] {
	const { method, warnings, skipped_feeds: skipped } = report;
	return [
		...(method.mode_text === undefined ? [] : [method.mode_text]),
		`${method.aspects.length} questions were asked of ${method.graphs.length} graphs by ${method.search_mode} search.`,
		`${method.concepts_found} concepts were found, ${method.concepts_read} of them read; ${method.sentences_rated} passages were judged.`,
		...(method.ended === undefined ? [] : [`It ended because ${method.ended}.`]),
		...skipped.map(({ feed_id: id, reason }) => `The feed ${id} was left out: ${reason}`),
		...warnings,
	];
}
