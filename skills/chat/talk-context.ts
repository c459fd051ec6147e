/** What was talked about so far, as far as a follow-up can refer to it. */
export interface TalkContext {
	/** The latest question, as it stands alone; undefined at the beginning. */
	readonly question: string | undefined;
	/** What the latest answer spoke of, in its order: names and what else they are called. */
	readonly spokenOf: readonly SpokenOf[];
}

export interface SpokenOf {
	readonly name: string;
	readonly aliases: readonly string[];
}
