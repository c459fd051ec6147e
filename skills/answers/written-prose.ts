import { WRITER_LIMITS } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	leansOnBefore,
} from "../../src/evidence/evidence.js";
import { type DroppedSentence, passCitationGate, type WrittenSentence } from "./citation-gate.js";
import { keepsEvidence, type PassageWeight, uncited } from "./evidence-recall.js";
import { type DraftOutcome, type ProseServices, passDraft } from "./passed-draft.js";
import type { DraftSentence, Writer, WritingTask } from "./writer/writing-task.js";

/** Prose that may be shown: every sentence has evidence that carries it. */
export interface Prose {
	readonly sentences: readonly WrittenSentence[];
	/** Who wrote it: "extractive", or "llm:<model>". */
	readonly writer: string;
	/** What a reader should know of how it was made. */
	readonly warnings: readonly string[];
}

/**
 * Has a task written and passes it through the citation gate. A writer that fails, of whose draft nothing is left, or which loses
 * evidence of the passages it was given, is replaced by the extractive one, and the prose says so; only the caller's leaving rejects.
 */
export async function writeProse(task: WritingTask, services: ProseServices): Promise<Prose> {
	if (services.writer === extractiveWriter) return extractive(task, []);
	const drafted = await draftWhole(task, services);
	return drafted.prose ?? extractive(task, drafted.reasons);
}

/** A task to write from the passages of an answer. */
export interface PassageTask extends WritingTask {
	readonly passages: readonly (readonly CitedSentence[])[];
	/** How they count, in their order; all alike where absent. */
	readonly weights?: readonly PassageWeight[];
	/** Quoted at the most where nothing is written. */
	readonly quotedMax: number;
}

/** Prose from passages: quoted whole where no writer's draft is at hand. */
export interface PassageProse extends Prose {
	/** Passages that it does not rest on. */
	readonly rest: readonly WrittenSentence[];
}

/** What is written from the passages of an answer; where nothing is written, or evidence is lost, the first of them as they stand. */
export async function writeFromPassages(
	task: PassageTask,
	services: ProseServices,
): Promise<PassageProse> {
	const isQuoted = services.writer === extractiveWriter;
	const limitMs = task.limitMs ?? WRITER_LIMITS.callMs;
	const drafted = isQuoted ? undefined : await draftWhole({ ...task, limitMs }, services);
	if (drafted?.prose) {
		const { prose } = drafted;
		return { ...prose, rest: uncited(prose.sentences, task.passages).map(toQuoted) };
	}
	const quoted = task.passages.map(toQuoted);
	const sentences = quoted.slice(0, task.quotedMax);
	const rest = quoted.slice(sentences.length);
	const { name: writer } = extractiveWriter;
	return { sentences, rest, writer, warnings: quotedInstead(drafted?.reasons ?? []) };
}

/**
 * The same sentence by sentence, for those who watch. What was shown cannot be taken back, and needs not, since evidence carries it:
 * passages that a draft leaves out, and those behind the place where it broke off, are quoted after it.
 */
export async function* writeStepwise(
	task: PassageTask,
	services: ProseServices,
): AsyncGenerator<WrittenSentence, Omit<Prose, "sentences">, undefined> {
	const { passages, quotedMax, weights } = task;
	const shown: WrittenSentence[] = [];
	let outcome: DraftOutcome | undefined;
	if (services.writer !== extractiveWriter) {
		const draft = passDraft(task, services);
		try {
			let step = await draft.next();
			for (; !step.done; step = await draft.next()) {
				shown.push(step.value);
				yield step.value;
			}
			outcome = step.value;
		} finally {
			// Nobody waits for the rest of a draft whose reader has left.
			await draft.return({ dropped: [], failure: undefined });
		}
	}
	const quoted = passages.slice(0, quotedMax);
	const isWhole = shown.length > 0 && keepsEvidence(shown, quoted, weights);
	const left = isWhole ? [] : uncited(shown, quoted);
	for (const passage of left) yield toQuoted(passage);
	const failures = outcome?.failure === undefined ? [] : [outcome.failure];
	if (shown.length === 0)
		return { writer: extractiveWriter.name, warnings: quotedInstead(failures) };
	const added =
		left.length === 0 ? [] : [`${left.length} passages it leaves out are quoted behind it.`];
	const warnings = [...toldOf(outcome?.dropped ?? []), ...failures, ...added];
	return { writer: services.writer.name, warnings };
}

/** A draft that may be shown in the place of an extract, or why there is none. */
async function draftWhole(
	task: WritingTask & Partial<Pick<PassageTask, "quotedMax" | "weights">>,
	services: ProseServices,
) {
	const sentences: WrittenSentence[] = [];
	const draft = passDraft(task, services);
	let step = await draft.next();
	for (; !step.done; step = await draft.next()) sentences.push(step.value);
	const { dropped, failure } = step.value;
	const reasons = failure === undefined ? [] : [failure];
	if (sentences.length === 0) return { reasons };
	const { passages = [], quotedMax = task.sentencesMax, weights } = task;
	if (!keepsEvidence(sentences, passages.slice(0, quotedMax), weights)) {
		return { reasons: [...reasons, "What the configured writer wrote left out evidence."] };
	}
	const warnings = [...toldOf(dropped), ...reasons];
	return { reasons, prose: { sentences, writer: services.writer.name, warnings } };
}

function toldOf({ length }: readonly DroppedSentence[]): readonly string[] {
	const left = `${length} sentences of the configured writer were left out`;
	return length === 0 ? [] : [`${left}: no evidence carries them.`];
}

const quotedInstead = (reasons: readonly string[]) =>
	reasons.map((reason) => `${reason} The text quotes its evidence instead.`);

function toQuoted(evidence: readonly CitedSentence[]): WrittenSentence {
	return { text: evidence.map(({ text }) => text).join(" "), evidence };
}

async function extractive(task: WritingTask, reasons: readonly string[]): Promise<Prose> {
	const { offered, signal } = task;
	const quoted = quoteBest(task);
	const { written } = await passCitationGate(quoted, { offered, judge: undefined, signal });
	return { sentences: written, writer: extractiveWriter.name, warnings: quotedInstead(reasons) };
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
	draft: async (task) => quoteBest(task),
};

/** Its draft. */
function quoteBest(task: WritingTask): readonly DraftSentence[] {
	return chooseSentences(task).map(({ text, evidenceId }) => ({ text, evidenceIds: [evidenceId] }));
}

interface Candidate {
	readonly sentence: CitedSentence;
	readonly words: readonly (readonly string[])[];
	readonly terms: ReadonlySet<string>;
	readonly relevance: number;
}

/** The sentences that would be quoted, best first; those that can be read alone before those that lean on others. */
function chooseSentences({
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
