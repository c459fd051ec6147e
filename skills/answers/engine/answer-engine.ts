import { type Decision, isAnswered } from "../../../src/contract/contract.js";
import type { CitedSentence } from "../../../src/evidence/evidence.js";
import {
	type Concept,
	type Graph,
	runInTurns,
	type Steps,
} from "../../../src/knowledge/knowledge.js";
import type {
	ConceptFilter,
	HybridSearch,
	JudgedSearch,
	SearchOutcome,
} from "../../../src/search/search.js";
import type { Denial } from "../report/denials.js";
import { findContradictions } from "../report/findings.js";
import { findStatedTotal, fitsForm, type StatedTotal } from "./answer-forms.js";
import { findCandidates } from "./candidates.js";
import { groupBySide, sideOf } from "./compared-sides.js";
import { type DatedEvent, findDatedEvents } from "./dated-events.js";
import { type AskedFacts, readAskedFacts } from "./missing-facts.js";
import {
	type ReadPassages,
	readPassages,
	type ScoredPassage,
	scorePassages,
} from "./passage-scoring.js";
import { selectPassages, tokensOf } from "./passage-selection.js";
import {
	type QuestionKind,
	type QuestionPart,
	type QuestionReading,
	readQuestion,
} from "./question-reading.js";
import { isWrittenIn } from "./word-shares.js";
import { readYesNo, type YesNo } from "./yes-no.js";

export interface AnswerTask {
	/** Stands alone: anyone who answers knows nothing else. */
	readonly question: string;
	readonly graphs: readonly Graph[];
	/** What the passages of the answer may take together, see tokensOf. */
	readonly tokens: number;
	/** Concepts looked at for each part of the question. */
	readonly conceptsMax: number;
	readonly filter?: ConceptFilter | undefined;
	/** `YYYY-MM-DD`: what rests on later sources does not count. */
	readonly asOf?: string | undefined;
	/** Whether what contradicts is looked for, which takes the judge as long again. */
	readonly withDisputes?: boolean;
	readonly signal: AbortSignal;
}

/** A passage of an answer. */
export interface AnswerBlock extends Pick<ScoredPassage, "passage"> {
	/** Place of the part that it answers best; behind the parts come the questions that were raised. */
	readonly part: number;
	/** How likely it answers that part, 0..1. */
	readonly answers: number;
}

/** A part of the question that nothing answers, and concepts that come nearest; none where the answer is free. */
export interface AnswerGap {
	readonly part: number;
	readonly question: string;
	readonly nearest: readonly { readonly graph: Graph; readonly concept: Concept }[];
}

export interface ComposedAnswer {
	readonly verdict: "answered" | "partial" | "not_in_graphs";
	readonly reading: QuestionReading;
	readonly outcome: Pick<SearchOutcome, "decision" | "missing" | "mode" | "rows">;
	/** In the order in which they are read; none where nothing answers. */
	readonly blocks: readonly AnswerBlock[];
	readonly gaps: readonly AnswerGap[];
	/** Names, figures and versions of the question that nothing found has, as written. */
	readonly missing: readonly string[];
	/** Of comparisons of which two sides at least have something said of them; what stands in it is not among the blocks. */
	readonly table: AnswerTable | undefined;
	/** Sentences of the answer that deny each other. */
	readonly disputes: readonly Denial[];
	/** What the passages date by themselves, oldest first; of questions on time alone. */
	readonly events: readonly DatedEvent[];
	/** How many of what is to be listed there are, where a passage says so. */
	readonly total: StatedTotal | undefined;
	/** What the passages come to on a question that asks whether something holds; its places are those of passagesOf. */
	readonly yesNo: YesNo | undefined;
	/** What blocks and table take together, see tokensOf. */
	readonly tokens: number;
}

export interface AnswerTable {
	readonly columns: readonly string[];
	readonly rows: readonly {
		readonly attribute: string;
		/** Quoted sentences; undefined where nothing is known. */
		readonly cells: readonly (readonly CitedSentence[] | undefined)[];
	}[];
}

/**
 * What the judge must read in the best passage for a part to count as answered, as a probability: one passage states a fact whole, and only
 * a piece of a list or comparison. Chosen on the open questions of bench/labelled/answers.
 */
const LEAST_READING: Readonly<Record<QuestionKind, number>> = {
	definition: 0.62,
	explanation: 0.62,
	who: 0.62,
	when: 0.62,
	cause: 0.62,
	"how-to": 0.62,
	"yes-no": 0.62,
	list: 0.48,
	comparison: 0.35,
	forecast: 0.25,
};
/** No one passage tells how something developed. */
const DEVELOPMENT =
	/\bhow (?:did|has|have) .+ (?:develop|evolve|change)|\b(?:timeline|history|chronology)\b/i;
const DEVELOPMENT_LEAST = 0.25;

function leastReadingFor({ kind, parts: [{ question }] }: QuestionReading): number {
	return DEVELOPMENT.test(question) ? DEVELOPMENT_LEAST : LEAST_READING[kind];
}

/** Passages of each part, the likeliest first, that what the question names is looked for in. */
const CHECKED_MOST = 12;
const NEAREST = 3;

/**
 * Answers a question with passages of the graphs: reads what it asks for, finds and judges passages for each part, chooses those
 * that say most of it in few words, and names what nothing answers. The same question over the same graphs gives the same answer.
 */
export async function composeAnswer(
	search: HybridSearch & JudgedSearch,
	{ question, graphs, tokens, conceptsMax, filter, asOf, withDisputes = false, signal }: AnswerTask,
): Promise<ComposedAnswer> {
	const reading = readQuestion(question);
	const { parts } = reading;
	const found = await findCandidates(search, { graphs, parts, conceptsMax, filter, asOf, signal });
	const { outcome } = found;
	const scored = await scorePassages(search, parts, found.candidates, signal);
	const read = await readPassages(search, { parts, scored, tokens }, signal);
	const evidence = { reading, outcome, ...read };
	return composeFrom(search, { question, tokens, withDisputes, signal }, evidence);
}

/** What was found and read for a question, in one round or in several. */
export interface ReadEvidence extends Pick<ComposedAnswer, "reading" | "outcome">, ReadPassages {
	/** Questions that were asked beside its parts; the likelihoods of passages for them stand behind those for the parts. */
	readonly raised?: readonly QuestionPart[];
	/** True where an earlier round has found all that the question names: more reading does not take that back. */
	readonly isKnown?: boolean;
}

/** The answer to a question from what was read for it. */
export async function composeFrom(
	search: Pick<JudgedSearch, "judge">,
	{
		question,
		tokens,
		withDisputes = false,
		signal,
	}: Pick<AnswerTask, "question" | "tokens" | "withDisputes" | "signal">,
	{ reading, outcome, passages, readings, raised = [], isKnown = false }: ReadEvidence,
): Promise<ComposedAnswer> {
	const { parts } = reading;
	const asked = readAskedFacts(question);
	const missing = isKnown ? [] : asked.findMissing(likeliestOfEach(parts, passages));
	const least = leastReadingFor(reading);
	const isOpen = parts.map((_, part) => (readings?.[part] ?? 1) < least);
	const open = findGaps(reading, isOpen);
	const none = {
		reading,
		outcome,
		missing,
		blocks: [],
		gaps: open.length > 0 ? open : [{ part: 0, question, nearest: [] }],
		table: undefined,
		disputes: [],
		events: [],
		total: undefined,
		yesNo: undefined,
		tokens: 0,
	};
	const nothing = { ...none, verdict: "not_in_graphs" } as const;
	if (!isAnswered(outcome.decision) || missing.length > 0 || !isCoreAnswered(isOpen))
		return nothing;
	// What a comparison names one by one stands in passages of its own.
	const isOneMatter = reading.compared.length === 0;
	const about = isOneMatter ? await runInTurns(touchedBy(asked, passages), signal) : passages;
	const asking: QuestionReading = { ...reading, parts: [...parts, ...raised] };
	const chosen = choosePassages(asking, about.length > 0 ? about : passages, tokens);
	// Nothing is sold where nothing is said.
	if (!chosen.some(({ passage }) => fitsForm(reading, passage.text))) return nothing;
	const arranged = arrange(asking, chosen);
	const table = toTable(reading, arranged);
	const blocks = table ? arranged.filter(({ part }) => !parts[part]?.cell) : arranged;
	const sentences = arranged.flatMap(({ passage }) => passage.sentences);
	const left = open.filter(({ part }) => !isNamedIn(chosen, parts[part]?.name));
	return {
		...none,
		verdict: left.length > 0 || outcome.decision === "PARTIAL" ? "partial" : "answered",
		gaps: left.map((gap) => ({ ...gap, nearest: nearestOf(outcome) })),
		blocks,
		table,
		tokens: chosen.reduce((sum, one) => sum + tokensOf(one), 0),
		disputes: withDisputes ? await findContradictions(search.judge, sentences, signal) : [],
		events: reading.kind === "when" ? findDatedEvents(sentences) : [],
		total: findStatedTotal(reading, sentences),
		yesNo: await readYesNo(search.judge, reading, passagesOf({ blocks, table }), signal),
	};
}

/** Whether passages speak of what a part asks for by name: it is no gap then, as the question as a whole is answered. */
function isNamedIn(passages: readonly ScoredPassage[], name: string | undefined): boolean {
	return name !== undefined && passages.some(({ passage }) => isWrittenIn(passage.text, name));
}

function likeliestOfEach(parts: readonly QuestionPart[], passages: readonly ScoredPassage[]) {
	const chosen = parts.flatMap((_, part) =>
		[...passages]
			.sort((a, b) => (b.answers[part] ?? 0) - (a.answers[part] ?? 0))
			.slice(0, CHECKED_MOST),
	);
	return [...new Set(chosen)].map(({ passage }) => passage);
}

function* touchedBy(
	asked: AskedFacts,
	passages: readonly ScoredPassage[],
): Steps<readonly ScoredPassage[]> {
	const touched: ScoredPassage[] = [];
	for (const one of passages) {
		yield;
		if (asked.areTouchedBy(one.passage)) touched.push(one);
	}
	return touched;
}

/** What speaks of no side alone is shown beside them from this likelihood on. */
const ACROSS_LEAST = 0.35;

/** Of a comparison each side gets as much room as the others, and what speaks of several of them the rest. */
function choosePassages(
	{ parts, compared }: QuestionReading,
	passages: readonly ScoredPassage[],
	tokens: number,
): readonly ScoredPassage[] {
	if (compared.length === 0) return selectPassages(parts, passages, tokens);
	const sides = groupBySide(compared, passages);
	const whole = parts.filter(({ cell }) => !cell);
	const others = forParts(parts, whole, sides.get(undefined) ?? []).filter(({ answers }) =>
		answers.some((likelihood) => likelihood >= ACROSS_LEAST),
	);
	const each = Math.floor(tokens / (compared.length + 1));
	const chosen: ScoredPassage[] = [];
	let left = tokens;
	const choose = (own: readonly QuestionPart[], from: readonly ScoredPassage[], most: number) => {
		const added = selectPassages(own, from, Math.min(left, most));
		chosen.push(...added);
		left -= added.reduce((sum, one) => sum + tokensOf(one), 0);
	};
	for (const side of compared.keys()) {
		const own = parts.filter(({ cell }) => cell?.subject === side);
		choose(own, forParts(parts, own, sides.get(side) ?? []), each);
	}
	choose(whole, others, left);
	if (chosen.length === 0) return selectPassages(parts, passages, tokens);
	const scored = new Map(passages.map((one) => [one.passage, one]));
	return chosen.flatMap(({ passage }) => scored.get(passage) ?? []);
}

/** Passages with their likelihoods for some of the parts alone. */
function forParts(
	parts: readonly QuestionPart[],
	own: readonly QuestionPart[],
	passages: readonly ScoredPassage[],
): readonly ScoredPassage[] {
	const places = own.map((part) => parts.indexOf(part));
	return passages.map((one) => ({
		...one,
		answers: places.map((place) => one.answers[place] ?? 0),
	}));
}

/** The question as a whole is answered, or each thing that it asks for. */
function isCoreAnswered([isWholeOpen, ...others]: readonly boolean[]): boolean {
	return isWholeOpen === false || (others.length > 0 && !others.includes(true));
}

function findGaps({ parts }: QuestionReading, isOpen: readonly boolean[]): readonly AnswerGap[] {
	return [...parts.entries()]
		.filter(([part]) => (part > 0 || parts.length === 1) && isOpen[part])
		.map(([part, { question }]) => ({ part, question, nearest: [] }));
}

function nearestOf({ rows }: Pick<SearchOutcome, "rows">): AnswerGap["nearest"] {
	return rows.slice(0, NEAREST).map(({ graph, concept }) => ({ graph, concept }));
}

/** The best passage first, then part by part; what a concept says stays together, in its own order. */
function arrange(
	reading: QuestionReading,
	chosen: readonly ScoredPassage[],
): readonly AnswerBlock[] {
	const blocks = chosen.map((one): AnswerBlock => {
		const part = partOf(reading, one);
		return { passage: one.passage, part, answers: one.answers[part] ?? 0 };
	});
	const ranks = new Map(
		[...blocks.entries()].reverse().map(([rank, { passage }]) => [passage.concept, rank]),
	);
	const rankOf = ({ passage }: AnswerBlock) => ranks.get(passage.concept) ?? blocks.length;
	const most = Math.max(...blocks.map(({ answers }) => answers));
	const best =
		reading.compared.length > 0 ? undefined : blocks.find(({ answers }) => answers === most);
	return [...blocks].sort(
		(a, b) =>
			Number(b === best) - Number(a === best) ||
			a.part - b.part ||
			rankOf(a) - rankOf(b) ||
			a.passage.sentences[0].place - b.passage.sentences[0].place,
	);
}

/** By how much a passage must be likelier for one part than for the next. */
const PART_LEAD = 0.05;

/** The part that a passage answers best; of a comparison one of the side that it speaks of, the whole where it speaks of several or of none. */
function partOf({ parts, compared }: QuestionReading, { passage, answers }: ScoredPassage): number {
	const own = [...answers.entries()].slice(1);
	const side = sideOf(compared, passage);
	const fitting =
		compared.length > 0 ? own.filter(([part]) => parts[part]?.cell?.subject === side) : own;
	const [[best, most] = [0, 0], [, next] = [0, 0]] = fitting.sort(([, a], [, b]) => b - a);
	if (side !== undefined) return best;
	// What speaks of several parts alike belongs to the whole.
	return most >= (answers[0] ?? 0) && most - next >= PART_LEAD ? best : 0;
}

/** A table where two of what is compared have something said of them. */
function toTable(
	{ parts, compared, attributes }: QuestionReading,
	blocks: readonly AnswerBlock[],
): AnswerTable | undefined {
	const sentencesOf = (attribute: number, subject: number) => {
		const said = blocks.filter(({ part }) => {
			const cell = parts[part]?.cell;
			return cell?.subject === subject && cell.attribute === attribute;
		});
		return said.length > 0 ? said.flatMap(({ passage }) => passage.sentences) : undefined;
	};
	const rows = attributes.map((attribute, place) => ({
		attribute,
		cells: compared.map((_, subject) => sentencesOf(place, subject)),
	}));
	const filled = compared.filter((_, subject) => rows.some(({ cells }) => cells[subject]));
	return filled.length < 2 ? undefined : { columns: compared, rows };
}

/** What an answer quotes, in the order in which it is read: its passages, then the cells of its table. */
export function passagesOf({ blocks, table }: Pick<ComposedAnswer, "blocks" | "table">) {
	const cells = table?.rows.flatMap((row) => row.cells.flatMap((cell) => (cell ? [cell] : [])));
	return [
		...blocks.map(({ passage }): readonly CitedSentence[] => passage.sentences),
		...(cells ?? []),
	];
}

/** What a verdict is called where searches decide. */
export function decisionOf({ verdict }: Pick<ComposedAnswer, "verdict">): Decision {
	return DECISIONS[verdict];
}

const DECISIONS = { answered: "ANSWER", partial: "PARTIAL", not_in_graphs: "ABSTAIN" } as const;
