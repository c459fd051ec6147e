import type { CitedTextWire } from "../../src/contract/contract.js";
import type { CitedSentence } from "../../src/evidence/evidence.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { ReadingSearch } from "../../src/search/search.js";
import {
	type CitationList,
	chooseSentences,
	clusterSentences,
	confidenceOfFinding,
	createCitationList,
	type FindingCluster,
	listSection,
	type Prose,
	profileSources,
	proseSection,
	type ReportDocument,
	type ReportItem,
	toTimeline,
	type Writer,
	writeProse,
} from "../answers/answers.js";
import type { DeepDiveMode } from "./plan.js";
import { type DeepDiveState, evidenceOf } from "./plan.js";

const FINDINGS: Readonly<Record<DeepDiveMode, number>> = { fast: 8, comprehensive: 18 };
const ABSTRACT_SENTENCES = 4;
const TIMELINE_MAX = 30;
/** Share of the best sentence's score below which what was read is left aside. */
const NEAR_SHARE = 0.55;
/** Sentences a finding cites beside the one that states it. */
const CITED_EACH = 4;

interface DiveWriter {
	readonly catalog: GraphCatalog;
	readonly search: Pick<ReadingSearch, "judge">;
	readonly writer: Writer;
}

/** Writes the report of what was read: nothing in it but cited sentences, counts and the question's own words. */
export async function writeReport(
	{ catalog, search, writer }: DiveWriter,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveReport> {
	const read = readOf(catalog, state);
	const task = {
		purpose: "Answer the question in a short abstract.",
		question: state.input.query,
		offered: read,
		sentencesMax: ABSTRACT_SENTENCES,
		signal,
	};
	const abstract = await writeProse(task, { writer, judge: search.judge });
	return composeReport(catalog, state, { read, abstract });
}

/** The report of a dive that was ended before it wrote: what was read until then, quoted. */
export function quoteReport(catalog: GraphCatalog, state: DeepDiveState): DeepDiveReport {
	const read = readOf(catalog, state);
	const sentencesMax = ABSTRACT_SENTENCES;
	const quoted = chooseSentences({ question: state.input.query, offered: read, sentencesMax });
	const abstract = {
		sentences: quoted.map((sentence) => ({ text: sentence.text, evidence: [sentence] })),
		writer: "extractive",
		warnings: ["The research was ended before all of its passes had run."],
	};
	return composeReport(catalog, state, { read, abstract });
}

/** What was read, without what is far worse than the best of it. */
function readOf(catalog: GraphCatalog, { sentences }: DeepDiveState): readonly CitedSentence[] {
	const least = NEAR_SHARE * (sentences[0]?.score ?? 0);
	return evidenceOf(
		catalog,
		sentences.filter(({ score }) => score >= least),
	);
}

/** What a deep dive hands over: every sentence of evidence is cited, everything else is counted or named. JSON. */
export type DeepDiveReport = ReturnType<typeof composeReport>;
type Finding = ReturnType<typeof toFindings>[number];

function composeReport(
	catalog: GraphCatalog,
	state: DeepDiveState,
	{ read, abstract }: { readonly read: readonly CitedSentence[]; readonly abstract: Prose },
) {
	const { query, mode } = state.input;
	const citations = createCitationList();
	const stated = abstract.sentences.map(citations.cite);
	const pairs = pairsOf(catalog, state);
	const findings = toFindings(state, read, { citations, pairs });
	const contradictions = pairs.map((pair) => toContradiction(pair, citations));
	const used = read.filter((sentence) => citations.has(sentence));
	const timeline = toTimeline(used, { until: state.asOf.slice(0, 10), limit: TIMELINE_MAX }).map(
		({ date, basis, sentence }) => ({
			...citations.cite({ text: sentence.text, evidence: [sentence] }),
			date,
			basis,
		}),
	);
	return {
		title: query,
		query,
		mode,
		abstract: stated,
		findings,
		contradictions,
		timeline,
		evidence_table: toEvidenceTable(citations, findings),
		not_known: notKnown(state),
		supplemental: state.supplemental,
		skipped_feeds: state.skippedFeeds,
		source_profile: profileSources(used),
		method: toMethod(state, abstract),
		citations: citations.toWire(),
		as_of: state.asOf,
		warnings: abstract.warnings,
	};
}

interface Pair {
	readonly one: CitedSentence;
	readonly other: CitedSentence;
	readonly reasons: readonly string[];
}

function toFindings(
	{ input, asOf, sentences, checked, plan }: DeepDiveState,
	read: readonly CitedSentence[],
	{ citations, pairs }: { citations: CitationList; pairs: readonly Pair[] },
) {
	const today = asOf.slice(0, 10);
	const clusters = clusterSentences(read);
	const first = new Map(clusters.map((cluster) => [cluster.sentences[0], cluster]));
	const sentencesMax = FINDINGS[input.mode];
	const asked = { question: input.query, offered: [...first.keys()], sentencesMax };
	const chosen = chooseSentences(asked).flatMap((sentence) => first.get(sentence) ?? []);
	const verdicts = new Map(checked.map(({ evidenceId, verdict }) => [evidenceId, verdict]));
	const aspectsOf = new Map(sentences.map(({ evidenceId, aspects }) => [evidenceId, aspects]));
	return chosen.map((cluster, index) => {
		const [statement, ...same] = cluster.sentences;
		const against = opponentsOf(cluster, pairs);
		const [aspect = 0] = aspectsOf.get(statement.evidenceId) ?? [];
		return {
			finding_id: `f${index + 1}`,
			statement: statement.text,
			/** Title of the concept it is stated of: sentences do not always name it. */
			about: statement.concept.title,
			citation_ids: [statement, ...same.slice(0, CITED_EACH)].map(citations.numberOf),
			/** 0..1, an order and no probability; see confidenceOfFinding. */
			confidence: confidenceOfFinding(cluster, { today, isContradicted: against.length > 0 }),
			/** Numbers of the citations that contradict it. */
			contradicted_by: against.map(citations.numberOf),
			/** The aspect of the question it bears on. */
			aspect: plan?.aspects[aspect]?.question ?? input.query,
			/** What checking it as a claim came to; null where it was not checked. */
			verdict: verdicts.get(statement.evidenceId) ?? null,
		};
	});
}

function opponentsOf({ sentences }: FindingCluster, pairs: readonly Pair[]) {
	const ids = new Set(sentences.map(({ evidenceId }) => evidenceId));
	const against = pairs.flatMap(({ one, other }) => {
		if (ids.has(one.evidenceId)) return [other];
		return ids.has(other.evidenceId) ? [one] : [];
	});
	return [...new Map(against.map((sentence) => [sentence.evidenceId, sentence])).values()];
}

/** Contradictions whose evidence is still there, with it. */
function pairsOf(catalog: GraphCatalog, { contradictions }: DeepDiveState): readonly Pair[] {
	const ids = new Set(contradictions.flatMap(({ one, other }) => [one, other]));
	const sides = evidenceOf(
		catalog,
		[...ids].map((evidenceId) => ({ evidenceId })),
	);
	const byId = new Map(sides.map((sentence) => [sentence.evidenceId, sentence]));
	return contradictions.flatMap(({ one, other, reasons }) => {
		const [a, b] = [byId.get(one), byId.get(other)];
		return a && b ? [{ one: a, other: b, reasons }] : [];
	});
}

function toContradiction({ one, other, reasons }: Pair, citations: CitationList) {
	const cite = (sentence: CitedSentence) =>
		citations.cite({ text: sentence.text, evidence: [sentence] });
	return { one: cite(one), other: cite(other), reasons };
}

function toEvidenceTable(citations: CitationList, findings: readonly Finding[]) {
	return citations.toWire().map(({ graph_id: _, article_id: __, ...citation }) => {
		const citing = findings.filter(({ citation_ids: ids }) => ids.includes(citation.n));
		/** Ids of the findings that cite it. */
		return { ...citation, used_in: citing.map(({ finding_id: id }) => id) };
	});
}

/** Words of the question no graph covers, and aspects for which nothing was found. */
function notKnown({ plan, answered }: DeepDiveState): readonly string[] {
	const known = new Set(answered);
	const unanswered = (plan?.aspects ?? []).filter((_, place) => !known.has(place));
	return [
		...(plan?.missing ?? []).map((word) => `No graph covers "${word}".`),
		...unanswered.map(({ purpose }) => `Nothing was found on: ${purpose}`),
	];
}

function toMethod(state: DeepDiveState, { writer }: Pick<Prose, "writer">) {
	const { plan, found, readConcepts, sentences, checked, mode } = state;
	return {
		passes: plan?.passes ?? [],
		aspects: plan?.aspects ?? [],
		graphs: [...new Set(readConcepts.map((id) => id.slice(0, id.indexOf(":"))))],
		concepts_found: found.length,
		concepts_read: readConcepts.length,
		sentences_rated: sentences.length,
		claims_checked: checked.length,
		search_mode: mode ?? "keyword",
		writer,
	};
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
			listSection("Findings", report.findings.map(toFindingItem)),
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

function toFindingItem(finding: Finding): ReportItem {
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
