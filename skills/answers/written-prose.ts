import type { CitedSentence } from "../../src/evidence/evidence.js";
import type { PairJudge } from "../../src/search/search.js";
import { type DroppedSentence, passCitationGate, type WrittenSentence } from "./citation-gate.js";
import { keepsEvidence, type PassageWeight, uncited } from "./evidence-recall.js";
import { extractiveWriter, quoteBest } from "./extractive-writer.js";
import type { DraftSentence, Writer, WritingTask } from "./writer/writing-task.js";

export { chooseSentences, extractiveWriter } from "./extractive-writer.js";
export type { Writer, WritingTask } from "./writer/writing-task.js";

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

/** What became of a draft. */
export interface DraftOutcome {
	readonly dropped: readonly DroppedSentence[];
	/** Why nothing is left of it, or no more than was shown; undefined for one that was written to its end. */
	readonly failure: string | undefined;
}

/**
 * Has a task written, and gives each sentence as soon as it has passed the citation gate, none of them twice. Only the caller's
 * leaving rejects.
 */
export async function* passDraft(
	task: WritingTask,
	{ writer, judge }: ProseServices,
): AsyncGenerator<WrittenSentence, DraftOutcome, undefined> {
	const { offered, signal, sentencesMax } = task;
	const dropped: DroppedSentence[] = [];
	const shown = new Set<string>();
	if (!judge) return { dropped, failure: "No model is at hand that reads drafts." };
	try {
		for await (const sentences of batchesOf(writer.draft(task))) {
			const passed = await passCitationGate(sentences, { offered, judge, signal });
			dropped.push(...passed.dropped);
			for (const sentence of passed.written) {
				if (shown.has(sentence.text)) continue;
				shown.add(sentence.text);
				yield sentence;
				if (shown.size >= sentencesMax) return { dropped, failure: undefined };
			}
		}
	} catch (error) {
		signal.throwIfAborted();
		const why = (error instanceof Error ? error.message : String(error)).slice(0, 200);
		const what = shown.size > 0 ? "broke off its draft" : "gave no draft";
		return { dropped, failure: `The configured writer ${what} (${why}).` };
	}
	if (shown.size > 0) return { dropped, failure: undefined };
	const isRead = dropped.every(({ reason }) => reason !== "not read");
	const failure = isRead
		? "Nothing the configured writer wrote was carried by evidence."
		: "What the configured writer wrote could not be read beside its evidence.";
	return { dropped, failure };
}

/** A whole draft is read at once, which takes the judge fewer turns; one that is still being written, sentence by sentence. */
async function* batchesOf(
	draft: ReturnType<Writer["draft"]>,
): AsyncGenerator<readonly DraftSentence[]> {
	if (!(Symbol.asyncIterator in draft)) yield await draft;
	else for await (const sentence of draft) yield [sentence];
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
	const drafted = isQuoted ? undefined : await draftWhole(task, services);
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
