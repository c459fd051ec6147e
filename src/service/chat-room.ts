import { grantIdOf } from "../core/account-access.js";
import type { SkillCaller } from "../core/call.js";
import { keepsText } from "../core/caller-rights.js";
import type { ChatMemory, ChatRoom, ChatSeat, ChatTurn } from "../core/chat.js";
import { CHAT_LIMITS } from "../core/chat-limits.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Ids } from "../core/ids.js";
import { type ChatRecord, type ChatRecords, toChatKey } from "./chat-records.js";
import { createTurnQueue, type TurnQueue } from "./turn-queue.js";

/** A session while somebody is in it, or an answer of its is being paid for. */
interface OpenSession {
	readonly key: string;
	readonly id: string;
	/** Answered, and not remembered yet. */
	readonly pending: Map<number, ChatTurn>;
	seats: number;
}

export interface ChatRoomDeps {
	readonly records: ChatRecords;
	/** Changes of one session follow each other; shared with whoever else changes sessions. */
	readonly writes: TurnQueue;
	readonly ids: Ids;
	readonly clock: Clock;
}

/** Turns of one session follow each other; what they leave is written down as each is paid for. */
export function createChatRoom(deps: ChatRoomDeps): ChatRoom {
	const { records, ids, clock } = deps;
	const turns = createTurnQueue();
	const openSessions = new Map<string, OpenSession>();

	const open = (key: string, record: ChatRecord | undefined): OpenSession => {
		const known = openSessions.get(key);
		const id = record?.row.id ?? known?.id ?? ids.next("cht");
		const pending = known?.pending ?? new Map<number, ChatTurn>();
		const session = known && known.id === id ? known : { key, id, pending, seats: 0 };
		openSessions.set(key, session);
		return session;
	};
	const closeIfIdle = (session: OpenSession) => {
		const isIdle = session.seats === 0 && session.pending.size === 0;
		if (isIdle && openSessions.get(session.key) === session) openSessions.delete(session.key);
	};

	/** Makes a turn known to those who come after, until it is written down or nobody has paid for it. */
	const addTurn = (session: OpenSession, turn: ChatTurn, write: () => Promise<void>) => {
		const forget = () => {
			session.pending.delete(turn.n);
			closeIfIdle(session);
		};
		session.pending.set(turn.n, turn);
		const cancelTimer = clock.after(CHAT_LIMITS.unpaidMs, forget);
		return async () => {
			try {
				await write();
			} finally {
				cancelTimer();
				forget();
			}
		};
	};

	return {
		async enter(caller, sessionId, signal) {
			if (!caller || !keepsText(caller)) return STANDING_ALONE;
			const key = toChatKey(caller, sessionId);
			if (turns.sizeOf(key) >= CHAT_LIMITS.waitingMax) throw tooManyWait();
			const leaveQueue = await turns.enter(key, signal);
			try {
				const record = await records.findOwn(caller, sessionId);
				if (!record && !openSessions.has(key)) await assertRoom(records, caller.owner);
				const session = open(key, record);
				session.seats += 1;
				const memory = toMemory(session, record);
				let isLeft = false;
				return {
					memory,
					add(turn) {
						const numbered = { ...turn, n: (memory.turns.at(-1)?.n ?? 0) + 1 };
						const write = () => writeTurn(deps, { session, caller, sessionId }, numbered);
						return { n: numbered.n, remember: addTurn(session, numbered, write) };
					},
					leave() {
						if (isLeft) return;
						isLeft = true;
						session.seats -= 1;
						closeIfIdle(session);
						leaveQueue();
					},
				};
			} catch (error) {
				leaveQueue();
				throw error;
			}
		},
	};
}

/** A turn of somebody whose text is kept nowhere. */
const STANDING_ALONE: ChatSeat = {
	memory: { id: undefined, graphs: [], turns: [], turnCount: 0 },
	add: () => ({ n: 1, remember: async () => undefined }),
	leave: () => undefined,
};

function toMemory({ id, pending }: OpenSession, record: ChatRecord | undefined): ChatMemory {
	const kept = record?.text.turns ?? [];
	const known = new Set(kept.map(({ n }) => n));
	const unkept = [...pending.values()].filter(({ n }) => !known.has(n));
	return {
		id,
		graphs: record?.text.graphs ?? [],
		turns: [...kept, ...unkept].sort((a, b) => a.n - b.n),
		turnCount: (record?.text.turn_count ?? 0) + unkept.length,
	};
}

/** Adds a turn to what is at rest by now, in its place: those behind it may have been paid for first. */
async function writeTurn(
	{ records, writes, clock }: ChatRoomDeps,
	{ session, caller, sessionId }: { session: OpenSession; caller: SkillCaller; sessionId: string },
	turn: ChatTurn,
): Promise<void> {
	const leave = await writes.enter(session.key);
	try {
		const record = await records.findOwn(caller, sessionId);
		const before = record?.text;
		if (before?.turns.some(({ n }) => n === turn.n)) return;
		const turns = [...(before?.turns ?? []), turn].sort((a, b) => a.n - b.n);
		const usedAt = clock.now();
		const row = {
			id: record?.row.id ?? session.id,
			key: session.key,
			owner: caller.owner,
			grantId: grantIdOf(caller.access),
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

async function assertRoom(records: ChatRecords, owner: string): Promise<void> {
	if ((await records.countOf(owner)) < CHAT_LIMITS.sessionsMax) return;
	throw new ServiceError(
		"RATE_LIMITED",
		`${CHAT_LIMITS.sessionsMax} sessions of yours are remembered already; go on with one of them, or delete some with DELETE /v1/research/chat/sessions/{session_id}. Nothing was charged.`,
		{ retryAfterSeconds: 3_600 },
	);
}

function tooManyWait(): ServiceError {
	return new ServiceError(
		"RATE_LIMITED",
		`${CHAT_LIMITS.waitingMax} turns of this session wait already; send the next one when they are answered. Nothing was charged.`,
		{ retryAfterSeconds: 5 },
	);
}
