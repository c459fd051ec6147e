import type { CitedTextWire } from "../../src/contract/contract.js";
import type { CitedSentence, EvidencePassage } from "../../src/evidence/evidence.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import {
	type AnswerTable,
	type CitationList,
	type ComposedAnswer,
	confidenceOfFinding,
	createCitationList,
	type Denial,
	findDatedEvents,
	type Prose,
	passagesOf,
	profileSources,
	readQuestion,
	tokensOf,
} from "../answers/answers.js";
import { conceptOf, type DeepDiveState, trendIdOf } from "./dive-state.js";
import { describeMode, PASSES_OF } from "./plan.js";

const TIMELINE_MAX = 30;

/** A passage that is printed, and the place of what it answers: a part of the question, or behind them what was raised. */
export interface Printed {
	readonly passage: EvidencePassage;
	readonly part: number;
}

/** What a report is made of. */
export interface Composition {
	readonly verdict: ComposedAnswer["verdict"];
	readonly printed: readonly Printed[];
	readonly table: AnswerTable | undefined;
	readonly open: readonly number[];
	readonly disputes: readonly Denial[];
	readonly abstract: Prose;
	/** Passages that the abstract rests on. */
	readonly inAbstract: ReadonlySet<EvidencePassage>;
}

function toId({ evidenceId }: CitedSentence): string {
	return evidenceId;
}

/** What a deep dive hands over: every sentence of evidence is cited, everything else is counted or named. JSON. */
export type DeepDiveReport = ReturnType<typeof composeReport>;

/** The report of one choice of passages, each of which stands in it once. */
export function composeReport(
	catalog: GraphCatalog,
	state: DeepDiveState,
	composition: Composition,
) {
	const { query, mode } = state.input;
	const { abstract, printed, table, inAbstract, disputes, verdict } = composition;
	const { kind } = readQuestion(query);
	const citations = createCitationList();
	const stated = abstract.sentences.map((sentence) => ({
		...citations.cite(sentence),
		/** Titles of the concepts that it is stated of. */
		about: [...new Set(sentence.evidence.map(({ concept }) => concept.title))].join(", "),
	}));
	const rest = printed.filter(({ passage }) => !inAbstract.has(passage));
	// When something happened is said by dates: what names one stands there alone.
	const dated =
		kind === "when"
			? rest
					.filter(({ passage }) => findDatedEvents(passage.sentences).length > 0)
					.slice(0, TIMELINE_MAX)
			: [];
	const asFindings = rest.filter((one) => !dated.includes(one));
	const tableWire = table && toTableWire(table, citations);
	const findings = toFindings(state, asFindings, { citations, disputes });
	const timeline = toTimelineWire(composition, { citations, dated, asFindings });
	const contradictions = disputes.map(({ one, other, reasons }) => ({
		one: citations.cite({ text: one.text, evidence: [one] }),
		other: citations.cite({ text: other.text, evidence: [other] }),
		reasons,
	}));
	const used = [
		...printed.flatMap(({ passage }) => passage.sentences),
		...(table ? passagesOf({ blocks: [], table }).flat() : []),
	];
	const gaps = toGaps(catalog, state, composition);
	return {
		title: query,
		query,
		mode,
		verdict,
		form: kind,
		abstract: stated,
		findings,
		table: tableWire ?? null,
		contradictions,
		timeline,
		evidence_table: toEvidenceTable(citations, findings),
		not_known: [
			...state.missing.map((word) => `Nothing found speaks of "${word}".`),
			...(state.outcome?.missing ?? [])
				.filter((word) => !state.missing.includes(word))
				.map((word) => `No graph covers "${word}".`),
			...gaps.map(({ message }) => message),
		],
		gaps,
		parts: toParts(state, { findings, printed, open: composition.open }),
		rounds: toRounds(state, used),
		supplemental: state.supplemental,
		skipped_feeds: state.skippedFeeds,
		source_profile: profileSources(used),
		method: toMethod(state, abstract),
		citations: citations.toWire(),
		/** What passages and table take, at some 4 characters a token. */
		tokens: printed.reduce((sum, one) => sum + tokensOf(one), 0) + tokensIn(table),
		as_of: state.asOf,
		warnings: abstract.warnings,
	};
}

const CHARS_PER_TOKEN = 4;

function tokensIn(table: AnswerTable | undefined): number {
	const cells = table ? passagesOf({ blocks: [], table }).flat() : [];
	return Math.ceil(cells.reduce((sum, { text }) => sum + text.length, 0) / CHARS_PER_TOKEN);
}

function toFindings(
	state: DeepDiveState,
	printed: readonly Printed[],
	{ citations, disputes }: { citations: CitationList; disputes: readonly Denial[] },
) {
	const today = state.asOf.slice(0, 10);
	const questions = questionsOf(state);
	const rounds = roundsOf(state);
	return [...printed]
		.sort((a, b) => a.part - b.part)
		.map(({ passage, part }, index) => {
			const against = opponentsOf(passage, disputes);
			const { sentences, concept, heading, passageId } = passage;
			const isContradicted = against.length > 0;
			return {
				finding_id: `f${index + 1}`,
				statement: passage.text,
				/** Title of the concept it is stated of: sentences do not always name it. */
				about: concept.title,
				heading: heading ?? null,
				citation_ids: sentences.map(citations.numberOf),
				/** 0..1, an order and no probability; see confidenceOfFinding. */
				confidence: confidenceOfFinding({ sentences }, { today, isContradicted }),
				/** Numbers of the citations that contradict it. */
				contradicted_by: against.map(citations.numberOf),
				/** The part of the question, or the question raised on the way, that it answers. */
				aspect: questions[part]?.question ?? state.input.query,
				part,
				/** The round that found it. */
				round: rounds.get(passageId) ?? 1,
				/** Of claims that are checked one by one, which findings, being quoted, are not. */
				verdict: null,
			};
		});
}

type Finding = ReturnType<typeof toFindings>[number];

function opponentsOf({ sentences }: EvidencePassage, disputes: readonly Denial[]) {
	const ids = new Set(sentences.map(toId));
	return disputes.flatMap(({ one, other }) => {
		if (ids.has(one.evidenceId)) return [other];
		return ids.has(other.evidenceId) ? [one] : [];
	});
}

function roundsOf({ passages }: DeepDiveState): ReadonlyMap<string, number> {
	return new Map(passages.map(({ passageId, round }) => [passageId, round]));
}

/** What was asked, at its place: the parts of the question, then what was raised. */
function questionsOf({ input, raised }: DeepDiveState) {
	const { parts } = readQuestion(input.query);
	return [
		...parts.map(({ question }, at) => ({ question, origin: at === 0 ? "question" : "part" })),
		...raised.map(({ question, origin }) => ({ question, origin })),
	];
}

/** Dates that the text tells. What is printed elsewhere is only named here. */
function toTimelineWire(
	{ printed, inAbstract }: Pick<Composition, "printed" | "inAbstract">,
	{
		citations,
		dated,
		asFindings,
	}: {
		readonly citations: CitationList;
		readonly dated: readonly Printed[];
		readonly asFindings: readonly Printed[];
	},
) {
	const order = [...asFindings].sort((a, b) => a.part - b.part);
	// What is printed here alone is never left out.
	const named = printed.filter((one) => !dated.includes(one));
	return [...dated, ...named]
		.flatMap((one) => {
			const [entry] = findDatedEvents(one.passage.sentences);
			if (!entry) return [];
			const { concept, heading, text, sentences } = one.passage;
			const isWhole = dated.includes(one);
			const place = order.indexOf(one);
			const name = heading === undefined ? concept.title : `${concept.title}: ${heading}`;
			return [
				{
					text: isWhole ? text : name,
					citation_ids: (isWhole ? sentences : [entry.sentence]).map(citations.numberOf),
					date: entry.date,
					basis: "told" as const,
					/** Where it is printed; null for what stands in the abstract, or here. */
					finding_id: inAbstract.has(one.passage) || place < 0 ? null : `f${place + 1}`,
				},
			];
		})
		.slice(0, TIMELINE_MAX)
		.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

function toTableWire({ columns, rows }: AnswerTable, citations: CitationList) {
	return {
		columns,
		rows: rows.map(({ attribute, cells }) => ({
			attribute,
			/** One for each column; null: not known. */
			cells: cells.map((cell): CitedTextWire | null =>
				cell
					? citations.cite({ text: cell.map(({ text }) => text).join(" "), evidence: cell })
					: null,
			),
		})),
	};
}

function toEvidenceTable(citations: CitationList, findings: readonly Finding[]) {
	return citations.toWire().map(({ graph_id: _, article_id: __, ...citation }) => {
		const citing = findings.filter(({ citation_ids: ids }) => ids.includes(citation.n));
		/** Ids of the findings that cite it. */
		return { ...citation, used_in: citing.map(({ finding_id: id }) => id) };
	});
}

/** Parts that nothing answers, in the words of the question, with the concepts that come nearest. */
function toGaps(catalog: GraphCatalog, { input, outcome }: DeepDiveState, { open }: Composition) {
	const { parts } = readQuestion(input.query);
	const nearest = (outcome?.nearest ?? []).flatMap((trendId) => {
		const known = conceptOf(catalog, trendId);
		return known ? [{ trend_id: trendId, title: known.concept.title }] : [];
	});
	const near = nearest.map(({ title }) => title).join(", ");
	return open.map((part) => {
		const question = parts[part]?.question ?? input.query;
		const message = `Nothing in these graphs answers: ${question}`;
		return { question, message: near === "" ? message : `${message} Nearest: ${near}.`, nearest };
	});
}

function toParts(
	state: DeepDiveState,
	{
		findings,
		printed,
		open,
	}: { readonly findings: readonly Finding[] } & Pick<Composition, "printed" | "open">,
) {
	const parts = readQuestion(state.input.query).parts.length;
	return questionsOf(state).flatMap(({ question, origin }, place) => {
		const own = findings.filter(({ part }) => part === place);
		const passages = printed.filter(({ part }) => part === place).length;
		if (place >= parts && passages === 0) return [];
		const answered = place < parts ? !open.includes(place) : true;
		return [
			{ question, origin, answered, passages, finding_ids: own.map((one) => one.finding_id) },
		];
	});
}

/** What each round asked and added. */
function toRounds(state: DeepDiveState, used: readonly CitedSentence[]) {
	const printed = new Set(used.map(toId));
	return state.rounds.map(({ asked, pairs, open, value }, at) => ({
		round: at + 1,
		asked: asked.map(({ question, why, passagesNew }) => ({
			...{ question, why },
			passages_new: passagesNew,
		})),
		passages_new: asked.reduce((sum, { passagesNew }) => sum + passagesNew, 0),
		/** Of those it found, in the report. */
		passages_printed: state.passages.filter(
			({ passageId, round }) => round === at + 1 && printed.has(passageId),
		).length,
		pairs_judged: pairs,
		gaps_open: open.length,
		/** What the best choice of passages so far is worth: a sum of square roots of likelihoods. */
		value,
	}));
}

function toMethod(state: DeepDiveState, { writer }: Pick<Prose, "writer">) {
	const { input, rounds, found, passages, outcome, ended } = state;
	const read = new Set(passages.map(({ passageId }) => trendIdOf(passageId)));
	const asked = rounds.flatMap((round) => round.asked);
	return {
		passes: PASSES_OF[input.mode],
		mode_text: describeMode(input.mode),
		aspects: asked.map(({ question, why }) => ({ question, purpose: why })),
		graphs: [...new Set([...read].map((id) => id.slice(0, id.indexOf(":"))))],
		concepts_found: found.length,
		concepts_read: read.size,
		sentences_rated: passages.length,
		passages_judged: passages.length,
		pairs_judged: rounds.reduce((sum, { pairs }) => sum + pairs, 0),
		claims_checked: state.raised.filter(({ origin }) => origin === "counter").length,
		rounds: rounds.length,
		ended: ended ?? "it was ended before all rounds had run",
		search_mode: outcome?.mode ?? "keyword",
		writer,
	};
}
