import type { Clock, TurnQueue } from "../../src/kernel/kernel.js";
import { CHAT_LIMITS } from "./chat-limits.js";
import type { ChatPlace } from "./chat-place.js";
import type { ChatRecord, ChatRecords } from "./chat-records.js";
import type { ChatTurn } from "./chat-turns.js";

export interface TurnWritingDeps {
	readonly records: ChatRecords;
	/** Changes of one session follow each other; shared with whoever else changes sessions. */
	readonly writes: TurnQueue;
	readonly clock: Clock;
}

export interface WrittenTurn {
	readonly place: ChatPlace;
	readonly turn: ChatTurn;
	/** Asked alone with the session: false once somebody deleted it. */
	readonly isWanted: () => Promise<boolean>;
}

/**
 * Adds a turn to what is at rest by now, in its place: those behind it may have been paid for first. Where its number was
 * given to another meanwhile it gets the next one. Safe to call again; a session that was deleted is not brought back.
 */
export async function writeTurn(
	{ records, writes, clock }: TurnWritingDeps,
	{ place, turn, isWanted }: WrittenTurn,
): Promise<void> {
	const { id, key, owner, grantId, sessionId } = place;
	const leave = await writes.enter(key);
	try {
		const record = await records.findByKey(key);
		if (isDeleted(place, record) || !(await isWanted())) return;
		const before = record?.text;
		const kept = before?.turns ?? [];
		if (kept.some((other) => isSameTurn(other, turn))) return;
		const isTaken = kept.some(({ n }) => n === turn.n);
		const n = isTaken ? (kept.at(-1)?.n ?? 0) + 1 : turn.n;
		const turns = [...kept, { ...turn, n }].sort((a, b) => a.n - b.n);
		const usedAt = clock.now();
		const row = {
			...{ id: record?.row.id ?? id, key, owner, grantId },
			createdAt: record?.row.createdAt ?? usedAt,
			usedAt,
		};
		await records.put(row, {
			session_id: sessionId,
			title: before?.title ?? null,
			graphs: before?.graphs ?? [],
			turn_count: (before?.turn_count ?? 0) + 1,
			turns: turns.slice(-CHAT_LIMITS.turnsKept),
		});
	} finally {
		leave();
	}
}

/** Where nothing was paid the call is named by its request, and callers name requests as they like. */
export function isSameTurn(
	one: Pick<ChatTurn, "callId" | "message">,
	other: Pick<ChatTurn, "callId" | "message">,
): boolean {
	return one.callId === other.callId && one.message === other.message;
}

function isDeleted({ id, isAtRest = false }: ChatPlace, record: ChatRecord | undefined): boolean {
	return isAtRest && record?.row.id !== id;
}
