import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	leansOnBefore,
} from "../../src/evidence/evidence.js";
import type { PairJudge } from "../../src/search/search.js";
import { type DraftSentence, passCitationGate, type WrittenSentence } from "./citation-gate.js";

/** Prose that may be shown: every sentence has evidence that carries it. */
export interface Prose {
	readonly sentences: readonly WrittenSentence[];
	/** Who wrote it: "extractive", or "llm:<model>". */
	readonly writer: string;
	/** What a reader should know of how it was made. */
	readonly warnings: readonly string[];
}

/** Who drafts, and what reads drafts beside their evidence; without a judge evidence is quoted. */
export interface ProseServices {
	readonly writer: Writer;
	readonly judge: PairJudge | undefined;
}

/**
 * Has a task written and passes it through the citation gate. A writer that fails, or of whose draft nothing is left, is
 * replaced by the extractive one, and the prose says so; only the caller's leaving rejects.
 */
export async function writeProse(
	task: WritingTask,
	{ writer, judge }: ProseServices,
): Promise<Prose> {
	if (writer === extractiveWriter) return extractive(task, []);
	if (!judge) return extractive(task, ["No model is at hand that reads drafts."]);
	try {
		const { offered, signal } = task;
		const draft = await writer.draft(task);
		const { written, dropped } = await passCitationGate(draft, { offered, judge, signal });
		const sentences = written.slice(0, task.sentencesMax);
		if (sentences.length === 0) {
			const isRead = dropped.every(({ reason }) => reason !== "not read");
			return extractive(task, [
				isRead
					? "Nothing the configured writer wrote was carried by evidence."
					: "What the configured writer wrote could not be read beside its evidence.",
			]);
		}
		const left = `${dropped.length} sentences of the configured writer were left out`;
		const warnings = dropped.length === 0 ? [] : [`${left}: no evidence carries them.`];
		return { sentences, writer: writer.name, warnings };
	} catch (error) {
		task.signal.throwIfAborted();
		const why = error instanceof Error ? error.message : String(error);
		return extractive(task, [`The configured writer gave no draft (${why.slice(0, 200)}).`]);
	}
}

/** Prose from passages: quoted whole where no writer's draft is at hand. */
export interface PassageProse extends Prose {
	/** Passages that it does not rest on. */
	readonly rest: readonly WrittenSentence[];
}

/** What is written from the passages of an answer; where nothing is written, the first of them as they stand. */
export async function writeFromPassages(
	task: WritingTask & {
		readonly passages: readonly (readonly CitedSentence[])[];
		readonly quotedMax: number;
	},
	services: ProseServices,
): Promise<PassageProse> {
	const quoted = task.passages.map(
		(evidence): WrittenSentence => ({ text: evidence.map(({ text }) => text).join(" "), evidence }),
	);
	const isQuoted = services.writer === extractiveWriter;
	const prose = isQuoted ? QUOTED : await writeProse(task, services);
	if (prose.writer === extractiveWriter.name) {
		const sentences = quoted.slice(0, task.quotedMax);
		return { ...prose, sentences, rest: quoted.slice(sentences.length) };
	}
	const told = new Set(prose.sentences.flatMap(({ evidence }) => evidence));
	return {
		...prose,
		rest: quoted.filter(({ evidence }) => !evidence.some((one) => told.has(one))),
	};
}

const QUOTED: Prose = { sentences: [], writer: "extractive", warnings: [] };

async function extractive(task: WritingTask, reasons: readonly string[]): Promise<Prose> {
	const { offered, signal } = task;
	const quoted = await extractiveWriter.draft(task);
	const { written } = await passCitationGate(quoted, { offered, judge: undefined, signal });
	const warnings = reasons.map((reason) => `${reason} The text quotes its evidence instead.`);
	return { sentences: written, writer: extractiveWriter.name, warnings };
}

/** What a writer is asked for: prose on a question from the evidence it is offered, and from nothing else. */
export interface WritingTask {
	/** What the prose is for, in one English sentence: "Answer the question." */
	readonly purpose: string;
	readonly question: string;
	/** Best first. Their text is data: whatever it says is no instruction. */
	readonly offered: readonly CitedSentence[];
	readonly sentencesMax: number;
	readonly signal: AbortSignal;
}

/** Writes drafts; what may be shown of them decides the citation gate, not the writer. */
export interface Writer {
	/** "extractive", or "llm:<model>". */
	readonly name: string;
	/** Never throws for want of a model: a writer that cannot write says so by rejecting, and the extractive one takes its place. */
	draft(task: WritingTask): Promise<readonly DraftSentence[]>;
}

/** What counts for a sentence: the question's words it holds itself, those it holds with its title, and its place among those offered. */
const WEIGHTS = { own: 1, titled: 0.5, rank: 0.5 } as const;
/** How much being like what is chosen already counts against a sentence (maximal marginal relevance). */
const SAMENESS = 0.8;
/** A summary says by itself what its concept is; a sentence that begins with "It" does not say what it speaks of. */
const SUMMARY_BONUS = 0.25;
const LEANING_LOSS = 0.5;
/** So does one that shares no word with the name of what it is about. */
const NAMELESS_LOSS = 0.3;
/** Sentences looked at: the best of what was offered. */
const LOOKED_AT = 80;

/**
 * Quotes the sentences that say most about the question and least of the same: maximal marginal relevance (Carbonell and
 * Goldstein 1998) over shared content words. What it quotes stands in the order of its choice, each sentence word for word.
 */
export const extractiveWriter: Writer = {
	name: "extractive",
	draft: async (task) =>
		chooseSentences(task).map(({ text, evidenceId }) => ({ text, evidenceIds: [evidenceId] })),
};

interface Candidate {
	readonly sentence: CitedSentence;
	readonly words: readonly (readonly string[])[];
	readonly terms: ReadonlySet<string>;
	readonly relevance: number;
}

/** The sentences that would be quoted, best first; those that can be read alone before those that lean on others. */
export function chooseSentences({
	question,
	offered,
	sentencesMax,
}: Pick<WritingTask, "question" | "offered" | "sentencesMax">): readonly CitedSentence[] {
	const rest = new Set(toCandidates(question, offered.slice(0, LOOKED_AT)));
	const chosen: Candidate[] = [];
	while (chosen.length < sentencesMax && rest.size > 0) {
		let best: Candidate | undefined;
		let bestScore = Number.NEGATIVE_INFINITY;
		for (const candidate of rest) {
			const alike = Math.max(0, ...chosen.map(({ terms }) => coverageOf(candidate.words, terms)));
			const score = candidate.relevance - SAMENESS * alike;
			if (score > bestScore) [best, bestScore] = [candidate, score];
		}
		if (!best) break;
		rest.delete(best);
		chosen.push(best);
	}
	return chosen.map(({ sentence }) => sentence);
}

function toCandidates(question: string, offered: readonly CitedSentence[]): readonly Candidate[] {
	const read = offered.map((sentence) => {
		const words = contentWords(sentence.text);
		return { sentence, words, terms: new Set(words.flat()) };
	});
	const asked = weighWords(contentWords(question), read);
	return read.map((one, rank) => {
		const { text, place, concept } = one.sentence;
		const title = contentTerms(concept.title);
		const titled = new Set([...one.terms, ...title]);
		const isNamed = [...title].some((term) => one.terms.has(term));
		const relevance =
			WEIGHTS.own * shareOf(asked, one.terms) +
			WEIGHTS.titled * shareOf(asked, titled) +
			WEIGHTS.rank * (1 - rank / read.length) +
			(place === 0 ? SUMMARY_BONUS : 0) -
			(leansOnBefore(text) ? LEANING_LOSS : 0) -
			(isNamed ? 0 : NAMELESS_LOSS);
		return { ...one, relevance };
	});
}

type WeighedWord = { readonly word: readonly string[]; readonly weight: number };

/** Words of the question by how few of those offered hold them (inverse document frequency); a word that none holds asks for nothing here. */
function weighWords(
	words: readonly (readonly string[])[],
	offered: readonly { readonly terms: ReadonlySet<string> }[],
): readonly WeighedWord[] {
	return words.flatMap((word) => {
		const held = offered.filter(({ terms }) => word.some((term) => terms.has(term))).length;
		return held === 0 ? [] : [{ word, weight: Math.log(1 + offered.length / held) }];
	});
}

function shareOf(asked: readonly WeighedWord[], terms: ReadonlySet<string>): number {
	let [held, all] = [0, 0];
	for (const { word, weight } of asked) {
		all += weight;
		if (word.some((term) => terms.has(term))) held += weight;
	}
	return all === 0 ? 0 : held / all;
}
