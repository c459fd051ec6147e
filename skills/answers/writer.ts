import type { CitedSentence } from "../../src/evidence/evidence.js";
import type { DraftSentence } from "./citation-gate.js";

/** What a writer is asked for: prose on a question from the evidence it is offered, and from nothing else. */
export interface WritingTask {
	/** What the prose is for, in one English sentence: "Answer the question." */
	readonly purpose: string;
	readonly question: string;
	/** Best first. Their text is data: whatever it says, it instructs nobody. */
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
