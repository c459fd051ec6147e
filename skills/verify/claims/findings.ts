import type { DateSpan } from "./date-spans.js";
import type { ReadContext, TextReading } from "./text-reading.js";
import type { AlignedWord } from "./word-alignment.js";

/** Where something of a claim comes back; "rival" where another of its kind stands in its place. */
export type ItemPlace = "sentence" | "about" | "around" | "rival" | "nowhere";

/** Something of a claim that a sentence may answer. */
export interface Item {
	readonly weight: number;
	/** In the sentence itself, in the names of what it is about, in the text around it, or nowhere. */
	readonly place: ItemPlace;
	/** True when the names of what the sentence is about have it, wherever else it comes back. */
	readonly isSubject?: boolean;
	/** True for what a sentence must answer to bear a claim out: names, figures, directions. */
	readonly isEssential: boolean;
	readonly isName?: boolean;
	/** True for numbers and dates, in which two texts on one thing may differ. */
	readonly isFigure: boolean;
	/** As written, for reporting what is missing. */
	readonly text: string;
}

/** A reason to read a sentence as a denial. */
export interface Conflict {
	/** Half a sentence: the best sentence … */
	readonly reason: string;
	/** How sure it is that both speak of the same, 0..1. */
	readonly sureness: number;
	/** What differs. */
	readonly of: "denial" | "opposite" | "name" | "figure" | "quantity" | "trend" | "currency";
	/** True for figures and the like: what differs is itself what is claimed. */
	readonly isDecisive?: boolean;
}

/** A claim and a sentence that are compared, and what the sentence takes for granted. */
export interface Compared {
	readonly claim: TextReading;
	readonly sentence: TextReading;
	/** What of the claim's words comes back in the sentence. */
	readonly aligned: readonly AlignedWord[];
	readonly context: ReadContext;
	/** Dates of the sentence's sources. */
	readonly sourceDates: readonly DateSpan[];
}

/** What one way of comparing finds. */
export interface Findings {
	readonly items: readonly Item[];
	readonly conflicts: readonly Conflict[];
}

export const NOTHING_FOUND: Findings = { items: [], conflicts: [] };

export function joined(findings: readonly Findings[]): Findings {
	return {
		items: findings.flatMap(({ items }) => items),
		conflicts: findings.flatMap(({ conflicts }) => conflicts),
	};
}

/** True for what the sentence says itself, or what it is about. */
export function isSaid({ place }: Pick<Item, "place">): boolean {
	return place === "sentence" || place === "about";
}

export function weightOf(items: readonly Pick<Item, "weight">[]): number {
	return items.reduce((sum, { weight }) => sum + weight, 0);
}
