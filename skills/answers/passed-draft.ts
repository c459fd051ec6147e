import type { PairJudge } from "../../src/search/search.js";
import { type DroppedSentence, passCitationGate, type WrittenSentence } from "./citation-gate.js";
import type { DraftSentence, Writer, WritingTask } from "./writer/writing-task.js";

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
	services: ProseServices,
): AsyncGenerator<WrittenSentence, DraftOutcome, undefined> {
	const dropped: DroppedSentence[] = [];
	const { judge } = services;
	if (!judge) return { dropped, failure: "No model is at hand that reads drafts." };
	let shown = 0;
	try {
		const passed = withoutRepeats(passedOf(task, { ...services, judge }, dropped));
		for await (const sentence of passed) {
			yield sentence;
			shown += 1;
			if (shown >= task.sentencesMax) break;
		}
	} catch (error) {
		task.signal.throwIfAborted();
		const why = (error instanceof Error ? error.message : String(error)).slice(0, 200);
		const what = shown > 0 ? "broke off its draft" : "gave no draft";
		return { dropped, failure: `The configured writer ${what} (${why}).` };
	}
	return { dropped, failure: shown > 0 ? undefined : whyNothing(dropped) };
}

function whyNothing(dropped: readonly DroppedSentence[]): string {
	return dropped.every(({ reason }) => reason !== "not read")
		? "Nothing the configured writer wrote was carried by evidence."
		: "What the configured writer wrote could not be read beside its evidence.";
}

async function* passedOf(
	task: WritingTask,
	{ writer, judge }: ProseServices,
	dropped: DroppedSentence[],
): AsyncGenerator<WrittenSentence> {
	const { offered, signal } = task;
	for await (const sentences of batchesOf(writer.draft(task))) {
		const passed = await passCitationGate(sentences, { offered, judge, signal });
		dropped.push(...passed.dropped);
		yield* passed.written;
	}
}

/** Small models say what they have said. */
async function* withoutRepeats(
	sentences: AsyncIterable<WrittenSentence>,
): AsyncGenerator<WrittenSentence> {
	const seen = new Set<string>();
	for await (const sentence of sentences) {
		if (!seen.has(sentence.text)) yield sentence;
		seen.add(sentence.text);
	}
}

/** A whole draft is read at once, which takes the judge fewer turns; one that is still being written, sentence by sentence. */
async function* batchesOf(
	draft: ReturnType<Writer["draft"]>,
): AsyncGenerator<readonly DraftSentence[]> {
	if (!(Symbol.asyncIterator in draft)) yield await draft;
	else for await (const sentence of draft) yield [sentence];
}
