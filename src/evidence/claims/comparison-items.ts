/** Something of a claim that a sentence may answer. */
export interface Item {
	readonly weight: number;
	/** How far it is answered, 0..1. */
	readonly credit: number;
	/** True when the sentence's own words answer it. */
	readonly isOwn: boolean;
	/** True for what a sentence must answer to bear a claim out: names, figures, directions. */
	readonly isEssential: boolean;
	/** As written, for telling what is missing. */
	readonly text: string;
}

/** A reason to read a sentence as a denial. */
export interface Conflict {
	/** Half a sentence: the best sentence … */
	readonly reason: string;
	/** How sure it is that both speak of the same, 0..1. */
	readonly sureness: number;
}

/** What one way of comparing finds. */
export interface Findings {
	readonly items: readonly Item[];
	readonly conflicts: readonly Conflict[];
}

export const CREDIT = { sentence: 1, about: 1, around: 0.6, nowhere: 0 } as const;
