import { passCitationGate, type WrittenSentence } from "./citation-gate.js";
import { extractiveWriter } from "./extractive-writer.js";
import type { Writer, WritingTask } from "./writer.js";

/** Prose that may be shown: every sentence has evidence that carries it. */
export interface Prose {
	readonly sentences: readonly WrittenSentence[];
	/** Who wrote it: "extractive", or "llm:<model>". */
	readonly writer: string;
	/** What a reader should know of how it was made. */
	readonly warnings: readonly string[];
}

/**
 * Has a task written and passes it through the citation gate. A writer that fails, or of whose draft nothing is left, is
 * replaced by the extractive one, and the prose says so; only the caller's leaving rejects.
 */
export async function writeProse(task: WritingTask, writer: Writer): Promise<Prose> {
	if (writer === extractiveWriter) return extractive(task, []);
	try {
		const { written, dropped } = passCitationGate(await writer.draft(task), task.offered);
		const sentences = written.slice(0, task.sentencesMax);
		if (sentences.length === 0) {
			return extractive(task, ["Nothing the configured writer wrote was carried by evidence."]);
		}
		const warnings =
			dropped.length === 0
				? []
				: [
						`${dropped.length} sentences of the configured writer were left out: no evidence carries them.`,
					];
		return { sentences, writer: writer.name, warnings };
	} catch (error) {
		task.signal.throwIfAborted();
		const why = error instanceof Error ? error.message : String(error);
		return extractive(task, [`The configured writer gave no draft (${why.slice(0, 200)}).`]);
	}
}

async function extractive(task: WritingTask, reasons: readonly string[]): Promise<Prose> {
	const { written } = passCitationGate(await extractiveWriter.draft(task), task.offered);
	const warnings = reasons.map((reason) => `${reason} The text quotes its evidence instead.`);
	return { sentences: written, writer: extractiveWriter.name, warnings };
}
