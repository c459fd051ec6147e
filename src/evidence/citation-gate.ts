import type { CitedSentence } from "./cited-sentences.js";
import { contentTerms, contentWords, coverageOf } from "./content-words.js";

/** A sentence as a writer hands it in: its words and what they rest on. */
export interface DraftSentence {
	readonly text: string;
	readonly evidenceIds: readonly string[];
}

/** A sentence that may be shown, with the evidence that carries it. */
export interface WrittenSentence {
	readonly text: string;
	/** At least one. */
	readonly evidence: readonly CitedSentence[];
}

export interface GateReport {
	readonly written: readonly WrittenSentence[];
	/** Sentences that were left out, and why. */
	readonly dropped: readonly { readonly text: string; readonly reason: DropReason }[];
}

export type DropReason = "uncited" | "unknown citation" | "not supported" | "unsafe";

/** Share of a sentence's content words that its evidence must hold. */
const SUPPORT_SHARE = 0.6;
const DIGITS = /\d+(?:[.,]\d+)*/g;
const NEGATION = /\b(?:not|no|never|none|nor|neither|cannot|without|n't)\b|n['’]t\b/i;
/** Links, pictures and addresses: a reader is sent to evidence by its citation, never by prose. */
const UNSAFE = /https?:\/\/|www\.|!?\[[^\]]*\]\(|<[a-z/!]|javascript:|data:/i;

/**
 * Lets through what its own citations carry. A writer names evidence by ids it was offered; a sentence without one, with an
 * unknown one, whose words or numbers its evidence does not hold, that turns its meaning around, or that holds an address
 * is dropped. What is quoted word for word always passes.
 */
export function passCitationGate(
	draft: readonly DraftSentence[],
	offered: readonly CitedSentence[],
): GateReport {
	const byId = new Map(offered.map((sentence) => [sentence.evidenceId, sentence]));
	const written: WrittenSentence[] = [];
	const dropped: { text: string; reason: DropReason }[] = [];
	for (const { text, evidenceIds } of draft) {
		const evidence = [...new Set(evidenceIds)].flatMap((id) => byId.get(id) ?? []);
		const reason = reasonToDrop({ text, evidenceIds, evidence });
		if (reason) dropped.push({ text, reason });
		else written.push({ text, evidence });
	}
	return { written, dropped };
}

function reasonToDrop({
	text,
	evidenceIds,
	evidence,
}: DraftSentence & { readonly evidence: readonly CitedSentence[] }): DropReason | undefined {
	if (evidenceIds.length === 0) return "uncited";
	if (evidence.length < new Set(evidenceIds).size) return "unknown citation";
	if (evidence.some((sentence) => sentence.text === text)) return undefined;
	if (UNSAFE.test(text)) return "unsafe";
	return isSupported(text, evidence.map((sentence) => sentence.text).join("\n"))
		? undefined
		: "not supported";
}

/** Whether a text's words, numbers and negation are those of its evidence. */
export function isSupported(text: string, evidence: string): boolean {
	const words = contentWords(text);
	if (words.length === 0) return false;
	if (coverageOf(words, contentTerms(evidence)) < SUPPORT_SHARE) return false;
	const numbers = new Set(evidence.match(DIGITS) ?? []);
	if ((text.match(DIGITS) ?? []).some((number) => !numbers.has(number))) return false;
	return NEGATION.test(text) === NEGATION.test(evidence) || !NEGATION.test(text);
}
