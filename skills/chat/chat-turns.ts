import { findCitedSentence } from "../../src/evidence/evidence.js";
import { invalidArgument, visibleText } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";

/** What chats may take and how long they are remembered. */
export const CHAT_LIMITS = {
	sessionIdChars: 128,
	titleChars: 200,
	/** Sessions of one owner that are remembered at once. */
	sessionsMax: 1_000,
	/** Turns of one session that are remembered; the oldest go first. */
	turnsKept: 200,
	/** Turns of one session that wait for those before them. */
	waitingMax: 100,
	/** Graphs a session may be limited to. */
	graphsMax: 20,
	/** Since its last turn; never more than twelve months. */
	keptMs: 365 * 24 * 3_600_000,
	/** How long a turn that was answered may wait for its payment before those behind it forget it. */
	unpaidMs: 120_000,
	/** How long a turn is at rest whose process died before anybody knew whether it was paid for. */
	stagedMs: 24 * 3_600_000,
	listDefault: 20,
	listMax: 100,
} as const;

/** How a message refers to what was said before; "alone" for what needs nothing of it. */
export const FOLLOW_UP_KINDS = [
	...(["alone", "pronoun", "ordinal", "ellipsis"] as const),
	...(["bare", "more", "aspect", "again"] as const),
] as const;
export type FollowUpKind = (typeof FOLLOW_UP_KINDS)[number];

/** One turn as it is remembered: what was asked and which evidence answered it, never the answer's text (D5). */
export interface ChatTurn {
	/** Counted from 1 in order of arrival; a turn that was not paid for leaves a gap. */
	readonly n: number;
	/** Epoch milliseconds. */
	readonly at: number;
	/** The call it was paid with: sent again, it is this turn. */
	readonly callId: string;
	readonly message: string;
	/** The message as it stands alone. */
	readonly question: string;
	/** How it refers to what was said before. */
	readonly kind: FollowUpKind;
	/** Ids of the evidence of each sentence of the answer; of all that was reported, where none was written. */
	readonly cited: readonly (readonly string[])[];
	/** Of the text of each, see textHash; turns of earlier versions have none. */
	readonly hashes?: readonly (readonly string[])[];
	/** Words of the question nothing covered. */
	readonly missing: readonly string[];
	readonly writer: string;
}

/** What a session knows when a turn begins. */
export interface ChatMemory {
	/** Unguessable: it alone opens what a wallet said. Undefined where nothing is remembered. */
	readonly id: string | undefined;
	/** Graphs it is limited to; all of them where empty. */
	readonly graphs: readonly string[];
	/** Oldest first, answered ones that are being paid for among them. */
	readonly turns: readonly ChatTurn[];
	/** The latest of them that is paid for: what it said may be said again. */
	readonly paid: ChatTurn | undefined;
	/** Turns so far, those that are remembered no longer included. */
	readonly turnCount: number;
}

export interface AddedTurn {
	readonly n: number;
	/** What is remembered instead, and what those who come after know. */
	amend(turn: NewTurn): void;
	/** Keeps it, once it is paid for. */
	remember(): Promise<void>;
	/** Those who come after do not know of it any more, unless it turns out to be paid for. */
	forget(): void;
}

/** A turn before it has its place. */
export type NewTurn = Omit<ChatTurn, "n">;

/** A caller's place in a session: no one else's turn begins before it is left. */
export interface ChatSeat {
	readonly memory: ChatMemory;
	/**
	 * Those who come after know of the turn from now on. At rest before it resolves, as it is given here: one that is paid for
	 * and never remembered, because the process died, is found by the next.
	 */
	add(turn: NewTurn): Promise<AddedTurn>;
	/** Lets the next one in; harmless when called again. */
	leave(): void;
}

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

const NAME_CHARS = 120;
const ALIASES_MAX = 20;

/** What the latest turn was about: its question, and the concepts its evidence is of, in the order of its answer. */
export function toContext(catalog: Pick<GraphCatalog, "find">, { turns }: ChatMemory): TalkContext {
	const last = turns.at(-1);
	const cited = last?.cited.flat() ?? [];
	const concepts = cited.flatMap((id) => findCitedSentence(catalog, id)?.concept ?? []);
	return {
		question: last?.question,
		spokenOf: [...new Set(concepts)].map(({ title, aliases }) => ({
			name: toName(title),
			aliases: aliases.slice(0, ALIASES_MAX).map(toName),
		})),
	};
}

/** A graph's own words become part of a question: one line of what can be seen, no longer than a name is. */
export function toName(title: string): string {
	return visibleText(title).replace(/\s+/g, " ").trim().slice(0, NAME_CHARS);
}

/** Evidence that was reported in the session. */
export function toldBefore({ turns }: ChatMemory): ReadonlySet<string> {
	return new Set(turns.flatMap(({ cited }) => cited.flat()));
}

/** Graphs the session is limited to, as far as they are still there. */
export function graphsOf(catalog: GraphCatalog, { graphs }: ChatMemory) {
	if (graphs.length === 0) return catalog.list();
	const known = graphs.slice(0, CHAT_LIMITS.graphsMax).flatMap((id) => catalog.find(id) ?? []);
	if (known.length > 0) return known;
	throw invalidArgument(
		`None of the graphs this session is limited to is on sale any more. ${graphs.slice(0, 3).map(catalog.explain).join(" ")} Change them with PATCH /v1/research/chat/sessions/{session_id}.`,
	);
}
