import type { Decision } from "../../src/contract/contract.js";
import { type CitedSentence, titled } from "../../src/evidence/evidence.js";
import type { Graph } from "../../src/knowledge/knowledge.js";
import { type HybridSearch, type JudgedSearch, readPairs } from "../../src/search/search.js";
import {
	composeAnswer,
	decisionOf,
	findCandidates,
	passagesOf,
	scorePassages,
} from "../answers/answers.js";
import { CONSULT_LIMITS } from "../experts/experts.js";
import { readStances } from "../verify/verify.js";

/** What the graphs say to a question, and what of it is held against the rest. */
export interface Thesis {
	/** The best passage, as it stands in the graph. */
	readonly passage: readonly [CitedSentence, ...CitedSentence[]];
	/** Its sentence that answers best: sides are read towards it. */
	readonly claim: CitedSentence;
	/** What else answers, in the order in which it is read. */
	readonly others: readonly (readonly CitedSentence[])[];
}

/** Which side of a thesis a sentence speaks for. */
export type Side = "for" | "against";
export type Sides = Readonly<Record<Side, readonly CitedSentence[]>>;

interface ThesisTask {
	readonly question: string;
	readonly graphs: readonly Graph[];
	readonly signal: AbortSignal;
}

type Search = HybridSearch & JudgedSearch;

/** The thesis is undefined where the graphs do not answer; then nothing of them is given away. */
export interface FoundThesis {
	readonly decision: Decision;
	readonly mode: "hybrid" | "keyword";
	/** Words of the question that nothing covers. */
	readonly missing: readonly string[];
	/** Parts of the question that nothing answers. */
	readonly gaps: readonly string[];
	readonly thesis: Thesis | undefined;
}

/** The best passage that answers a question, taken as a claim. */
export async function findThesis(search: Search, task: ThesisTask): Promise<FoundThesis> {
	const { question, signal } = task;
	const { conceptsMax, viewTokens: tokens } = CONSULT_LIMITS;
	const found = await composeAnswer(search, { ...task, conceptsMax, tokens });
	const [first, ...others] = passagesOf(found);
	const [lead, ...rest] = first ?? [];
	const passage = lead && ([lead, ...rest] as const);
	return {
		decision: decisionOf(found),
		mode: found.outcome.mode,
		missing: [...new Set([...found.outcome.missing, ...found.missing])],
		gaps: found.gaps.map((gap) => gap.question),
		thesis: passage && {
			passage,
			claim: await chooseClaim(search, { question, passage, signal }),
			others,
		},
	};
}

/** The sentence that the judge reads to answer best; the first where it is not there. */
async function chooseClaim(
	{ judge }: Pick<JudgedSearch, "judge">,
	{ question, passage, signal }: Pick<Thesis, "passage"> & Pick<ThesisTask, "question" | "signal">,
): Promise<CitedSentence> {
	const stating = passage.filter(({ text }) => readMark(text, undefined) === undefined);
	const [lead = passage[0]] = stating;
	if (stating.length < 2) return lead;
	const pairs = stating.map((sentence) => ({ text: question, passage: textOf(sentence) }));
	const { readings = [] } = await readPairs(judge, pairs, signal);
	const answers = readings.map((reading) => reading.answers);
	return stating[answers.indexOf(Math.max(...answers))] ?? lead;
}

/** From which reading on a sentence is on a side: where the judge is less sure it speaks for neither. */
const SIDE_LEAST = 0.7;

/** Passages that sides are looked for in. */
const POOL_PASSAGES = 40;

/** Sentences that may bear on a thesis, and those of them that their own text puts on a side of what it is about. */
export interface Bearing {
	readonly sentences: readonly CitedSentence[];
	readonly marked: Sides;
}

const NO_SENTENCES: Sides = { for: [], against: [] };
export const NO_BEARING: Bearing = { sentences: [], marked: NO_SENTENCES };

/**
 * What may bear on a thesis: an answer leaves out what repeats it in other words, and so would leave out what bears it out. Marks count
 * in concepts that answer the question: what speaks for another subject is no argument here.
 */
export async function findBearing(
	search: Search,
	{ claim, passage, others }: Thesis,
	{ question, graphs, signal }: ThesisTask,
): Promise<Bearing> {
	const { conceptsMax } = CONSULT_LIMITS;
	const parts = [question, claim.text].map((asked) => ({ question: asked, weight: 1 }));
	const { candidates } = await findCandidates(search, { graphs, parts, conceptsMax, signal });
	const scored = await scorePassages(search, parts, candidates, signal);
	const answering = new Set([passage, ...others].flat().map(({ concept }) => concept));
	const own = candidates.filter((candidate) => answering.has(candidate.passage.concept));
	const marked = (side: Side) =>
		own.flatMap(({ passage: { heading, sentences } }) =>
			sentences.filter(({ text }) => readMark(text, heading) === side),
		);
	return {
		sentences: scored.slice(0, POOL_PASSAGES).flatMap((one) => one.passage.sentences),
		marked: { for: marked("for"), against: marked("against") },
	};
}

/** First words, and headings, by which authors say themselves which side an argument is on. */
const MARKS = {
	for: {
		opening: /^(?:for|in favou?r|pros?|benefits?|advantages?|upsides?)\s*:/i,
		heading: /^(?:the )?(?:pros|benefits|advantages|upsides)$/i,
	},
	against: {
		opening: /^(?:against|cons?|drawbacks?|disadvantages?|downsides?|objections?)\s*:/i,
		heading: /^(?:the )?(?:cons|drawbacks|disadvantages|downsides|objections|criticism)$/i,
	},
} as const;

/** The side that a sentence's own text puts it on. */
function readMark(text: string, heading: string | undefined): Side | undefined {
	const last = heading?.split(" > ").at(-1)?.trim() ?? "";
	const sides = ["for", "against"] as const;
	return (
		sides.find((side) => MARKS[side].opening.test(text)) ??
		sides.find((side) => MARKS[side].heading.test(last))
	);
}

/**
 * Those of some sentences that bear a thesis out, and those that speak against it: the marked ones, then as the judge reads them, surest
 * first. Without a judge only the marked ones: other words alone do not say which side they are on.
 */
export async function readSides(
	search: Search,
	{ claim, passage }: Pick<Thesis, "claim" | "passage">,
	{ sentences, marked, signal }: Bearing & { readonly signal: AbortSignal },
): Promise<Sides> {
	const placed = [...passage, ...marked.for, ...marked.against].map(({ text }) => text);
	const own = new Set(placed);
	const pool = new Map(sentences.map((sentence) => [sentence.text, sentence]));
	const passages = [...pool.values()]
		.filter(({ text }) => !own.has(text))
		.map((sentence) => ({
			sentence,
			text: textOf(sentence),
			names: [sentence.concept.title, ...sentence.concept.aliases],
		}));
	const { stances } = await readStances(search.judge, { claim: claim.text, passages }, signal);
	const sideOf = (side: "supports" | "refutes") =>
		stances
			.filter(({ stance, score }) => stance === side && score >= SIDE_LEAST)
			.sort((a, b) => b.score - a.score)
			.map(({ sentence }) => sentence);
	return {
		for: [...marked.for, ...sideOf("supports")],
		against: [...marked.against, ...sideOf("refutes")],
	};
}

function textOf({ concept, text }: CitedSentence): string {
	return titled([concept.title], [text]);
}
