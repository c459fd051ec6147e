import type { Concept, Graph } from "../knowledge/knowledge.js";
import { type CitedSentence, toCitedSentences } from "./cited-sentences.js";
import { normalizeName } from "./content-words.js";

/** Sentences of a concept that follow one another and can be read without what stands before them. */
export interface EvidencePassage {
	/** The evidence id of its first sentence. */
	readonly passageId: string;
	readonly graph: Graph;
	readonly concept: Concept;
	/** What it stands under, where that says more than the concept's title. */
	readonly heading: string | undefined;
	readonly sentences: readonly [CitedSentence, ...CitedSentence[]];
	/** Its sentences, one after the other. */
	readonly text: string;
	/** False where it begins with a word that stands for something named before it. */
	readonly standsAlone: boolean;
}

const WORDS_MOST = 90;
/** Steps of one list, and a table with the sentence before it, are read together up to here: without those before it a step is none. */
const STEPS_WORDS_MOST = 180;
/** Fewer words say too little by themselves. */
const WORDS_LEAST = 16;

/** Openings that lean on the sentence before. */
const LEANING =
	/^(?:(?:together|therefore|thus|hence|here|there|then|otherwise|instead|likewise|similarly|also|still|yet|but|and|so|however|moreover|furthermore|nevertheless|as a result|in (?:that|this|both|either) cases?|for (?:that|this) (?:reason|purpose)|by contrast|conversely|the (?:latter|former|same|other|first|second|third|two|three|rest|design|proposal|extension|document|draft|text|specification|framework|scheme|mechanism|idea|field|list|table|attack)),?\s|(?:it|its|they|their|them|this|that|these|those|such|both|neither|each|he|she|one|another|others)\b)/i;

/** Whether a sentence begins with what only the one before it explains. */
export function leansOnBefore(text: string): boolean {
	return LEANING.test(text);
}

/**
 * The cited sentences of a concept in passages, in reading order: its summary first, then the sentences under one heading, each
 * joined to those before it where it leans on them, where they announce it, or where one of both is too short to be read alone, up
 * to 90 words; the steps of a numbered list, and a table with the sentence before it, up to 180.
 */
export function toEvidencePassages(graph: Graph, concept: Concept): readonly EvidencePassage[] {
	const passages: [CitedSentence, ...CitedSentence[]][] = [];
	let words = 0;
	for (const sentence of toCitedSentences(graph, concept)) {
		const open = passages.at(-1);
		const more = countWords(sentence.text);
		if (open && isJoined(open, words, sentence, more)) {
			open.push(sentence);
			words += more;
		} else {
			passages.push([sentence]);
			words = more;
		}
	}
	return passages.map((sentences) => toPassage(graph, concept, sentences));
}

function isJoined(
	open: readonly [CitedSentence, ...CitedSentence[]],
	words: number,
	sentence: CitedSentence,
	more: number,
): boolean {
	const last = open.at(-1) ?? open[0];
	if (last.heading !== sentence.heading) return false;
	if (sentence.isRow || isStepOf(open, sentence)) {
		const isOne = !sentence.isRow || isOfTable(last, sentence);
		return isOne && words + more <= STEPS_WORDS_MOST;
	}
	if (last.isRow || words + more > WORDS_MOST) return false;
	return isSamePoint(last, sentence, Math.min(words, more));
}

/** Whether a sentence of prose leans on the one before it, or one of both says too little by itself. */
function isSamePoint(last: CitedSentence, sentence: CitedSentence, fewer: number): boolean {
	// The summary is whole by itself.
	if (last.paragraph === 0 || sentence.paragraph === 0)
		return last.paragraph === sentence.paragraph;
	if (leansOnBefore(sentence.text) || last.text.endsWith(":")) return true;
	return last.paragraph === sentence.paragraph && fewer < WORDS_LEAST;
}

/** Whether a row follows another one of its table, or the sentence before the table. */
function isOfTable(last: CitedSentence, { paragraph }: CitedSentence): boolean {
	return last.isRow ? last.paragraph === paragraph : last.paragraph === paragraph - 1;
}

/** Whether a sentence goes on with the numbered list that a passage holds. */
function isStepOf(open: readonly CitedSentence[], { step, paragraph }: CitedSentence): boolean {
	const isInList = open.some((one) => one.step !== undefined && one.paragraph === paragraph);
	return isInList && (step === undefined || step > 1);
}

function toPassage(
	graph: Graph,
	concept: Concept,
	sentences: readonly [CitedSentence, ...CitedSentence[]],
): EvidencePassage {
	const [{ evidenceId: passageId, heading, text: first, paragraph }] = sentences;
	const isTitle = heading === undefined || normalizeName(heading) === normalizeName(concept.title);
	return {
		...{ passageId, graph, concept, sentences },
		heading: isTitle ? undefined : heading,
		text: sentences.map(({ text }) => text).join(" "),
		standsAlone: paragraph === 0 || !leansOnBefore(first),
	};
}

function countWords(text: string): number {
	return text.split(/\s+/).length;
}
