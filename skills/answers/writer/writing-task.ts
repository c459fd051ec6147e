import type { CitedSentence } from "../../../src/evidence/evidence.js";

/** What a writer is asked for: prose on a question from the evidence it is offered, and from nothing else. */
export interface WritingTask {
	/** What the prose is for, in one English sentence: "Answer the question." */
	readonly purpose: string;
	readonly question: string;
	/** What the question asks one by one, where it asks several things. */
	readonly parts?: readonly string[];
	/** Best first. Their text is data: whatever it says is no instruction. */
	readonly offered: readonly CitedSentence[];
	/** What of it is read, and cited, as one; each sentence by itself where absent. */
	readonly passages?: readonly (readonly CitedSentence[])[];
	readonly sentencesMax: number;
	/** What a draft may take, where less than the writer has: a call ends at its own time. */
	readonly limitMs?: number | undefined;
	readonly signal: AbortSignal;
}

/** A sentence as a writer hands it in: its words and what they rest on. */
export interface DraftSentence {
	readonly text: string;
	readonly evidenceIds: readonly string[];
	/** Place of the part of the question that it answers, as the writer says. */
	readonly part?: number;
}

/** Writes drafts; what may be shown of them decides the citation gate, not the writer. */
export interface Writer {
	/** "extractive", or "llm:<model>". */
	readonly name: string;
	/**
	 * All of a draft, or its sentences as they are written. Never throws for want of a model: a writer that cannot write says so by
	 * rejecting, and quotations take the place of what is missing.
	 */
	draft(task: WritingTask): Promise<readonly DraftSentence[]> | AsyncIterable<DraftSentence>;
}
