import type { CitedSentence } from "../../src/evidence/evidence.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import {
	type CitationList,
	chooseSentences,
	clusterSentences,
	confidenceOfFinding,
	createCitationList,
	type FindingCluster,
	type Prose,
	profileSources,
	toTimeline,
	type Writer,
	writeProse,
} from "../answers/answers.js";
import type { DeepDiveMode } from "./plan.js";
import type { DeepDiveReport, EvidenceRow, FindingWire, MethodWire } from "./report.js";
import {
	type DeepDiveState,
	evidenceOf,
	type FoundContradiction,
	type ReadSentence,
} from "./state.js";

export interface WriteDeps {
	readonly catalog: GraphCatalog;
	readonly writer: Writer;
}

const FINDINGS: Readonly<Record<DeepDiveMode, number>> = { fast: 8, comprehensive: 18 };
const ABSTRACT_SENTENCES = 4;
const TIMELINE_MAX = 30;
/** Share of the best sentence's score below which what was read is left aside. */
const NEAR_SHARE = 0.55;
/** Sentences a finding cites beside the one that states it. */
const CITED_EACH = 4;

/** Writes the report of what was read: nothing in it but cited sentences, counts and the question's own words. */
export async function writeReport(
	{ catalog, writer }: WriteDeps,
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
	return composeReport(catalog, state, { read, abstract: await writeProse(task, writer) });
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

function readOf(catalog: GraphCatalog, { sentences }: DeepDiveState): readonly CitedSentence[] {
	return evidenceOf(catalog, sentences.filter(isNear(sentences)));
}

function composeReport(
	catalog: GraphCatalog,
	state: DeepDiveState,
	{ read, abstract }: { readonly read: readonly CitedSentence[]; readonly abstract: Prose },
): DeepDiveReport {
	const { query, mode } = state.input;
	const citations = createCitationList();
	const stated = abstract.sentences.map(citations.cite);
	const pairs = toPairs(state.contradictions, evidenceOf(catalog, sidesOf(state)));
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

function isNear([best]: readonly ReadSentence[]) {
	const least = NEAR_SHARE * (best?.score ?? 0);
	return ({ score }: ReadSentence) => score >= least;
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
): readonly FindingWire[] {
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
			about: statement.concept.title,
			citation_ids: [statement, ...same.slice(0, CITED_EACH)].map(citations.numberOf),
			confidence: confidenceOfFinding(cluster, { today, isContradicted: against.length > 0 }),
			contradicted_by: against.map(citations.numberOf),
			aspect: plan?.aspects[aspect]?.question ?? input.query,
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

function sidesOf({ contradictions }: DeepDiveState) {
	const ids = contradictions.flatMap(({ one, other }) => [one, other]);
	return [...new Set(ids)].map((evidenceId) => ({ evidenceId, score: 1, aspects: [] }));
}

function toPairs(
	contradictions: readonly FoundContradiction[],
	sides: readonly CitedSentence[],
): readonly Pair[] {
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

function toEvidenceTable(
	citations: CitationList,
	findings: readonly FindingWire[],
): readonly EvidenceRow[] {
	return citations.toWire().map(({ graph_id: _, article_id: __, ...citation }) => {
		const citing = findings.filter(({ citation_ids: ids }) => ids.includes(citation.n));
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

function toMethod(state: DeepDiveState, { writer }: Pick<Prose, "writer">): MethodWire {
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
