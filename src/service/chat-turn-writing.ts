import type { ChatTurn } from "../core/chat.js";
import { CHAT_LIMITS } from "../core/chat-limits.js";
import type { Clock } from "../core/clock.js";
import type { ChatRecords } from "./chat-records.js";
import type { TurnQueue } from "./turn-queue.js";

/** The session a turn belongs to, whether it is at rest already or begins with this turn. */
export interface ChatPlace {
	/** Unguessable; only of a session that begins. */
	readonly id: string;
	/** Hash of owner, grant and the client's own name for it. */
	readonly key: string;
	readonly owner: string;
	readonly grantId: string | undefined;
	readonly sessionId: string;
}

export interface TurnWritingDeps {
	readonly records: ChatRecords;
	/** Changes of one session follow each other; shared with whoever else changes sessions. */
	readonly writes: TurnQueue;
	readonly clock: Clock;
}

/** Adds a turn to what is at rest by now, in its place: those behind it may have been paid for first. Safe to call again. */
export async function writeTurn(
	{ records, writes, clock }: TurnWritingDeps,
	{ id, key, owner, grantId, sessionId }: ChatPlace,
	turn: ChatTurn,
): Promise<void> {
	const leave = await writes.enter(key);
	try {
		const record = await records.findByKey(key);
		const before = record?.text;
		if (before?.turns.some(({ n }) => n === turn.n)) return;
		const turns = [...(before?.turns ?? []), turn].sort((a, b) => a.n - b.n);
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
