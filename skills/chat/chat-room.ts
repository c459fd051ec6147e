import { type Caller, grantIdOf, keepsText, STAGED_TURN } from "../../src/contract/contract.js";
import {
	type Ids,
	type Logger,
	ServiceError,
	siblingId,
	type TurnQueue,
} from "../../src/kernel/kernel.js";
import type { Store, StoreReader, StoreTransaction } from "../../store/store.js";
import {
	type ChatRecord,
	type ChatRecords,
	dropStaged,
	isSameTurn,
	readStaged,
	type StagedTurn,
	type TurnWritingDeps,
	toChatKey,
	writeTurn,
} from "./chat-records.js";
import {
	type AddedTurn,
	CHAT_LIMITS,
	type ChatMemory,
	type ChatSeat,
	type ChatTurn,
} from "./chat-turns.js";

/** A session while somebody is in it, or an answer of its is being paid for. */
interface OpenSession {
	readonly key: string;
	readonly id: string;
	/** Answered, and not remembered yet. */
	readonly pending: Map<number, ChatTurn>;
	/** It was at rest before: once it is not, it was deleted. */
	isAtRest: boolean;
	seats: number;
}

interface ChatRoomParts extends TurnWritingDeps {
	readonly ids: Ids;
	/** Turns of one session follow each other, at whichever process. */
	readonly seats: TurnQueue;
	/** Where turns are at rest until they are paid for. */
	readonly staged: Pick<StagedTurns, "stage">;
}

export type ChatRoom = ReturnType<typeof createChatRoom>;

/**
 * Turns of one session follow each other; what they leave is persisted as each is paid for. Within one process the next one begins
 * meanwhile, since it knows what is pending; where several share the books it begins once that is persisted, or unpaid.
 */
export function createChatRoom(deps: ChatRoomParts) {
	const { records, ids, seats } = deps;
	const openSessions = new Map<string, OpenSession>();

	const open = (key: string, record: ChatRecord | undefined): OpenSession => {
		const before = openSessions.get(key);
		const known = before?.isAtRest && !record ? undefined : before;
		const id = record?.row.id ?? known?.id ?? ids.next("cht");
		const pending = known?.pending ?? new Map<number, ChatTurn>();
		const isAtRest = record !== undefined;
		const session = known && known.id === id ? known : { key, id, pending, isAtRest, seats: 0 };
		session.isAtRest = isAtRest;
		openSessions.set(key, session);
		return session;
	};
	const closeIfIdle = (session: OpenSession) => {
		const isIdle = session.seats === 0 && session.pending.size === 0;
		if (isIdle && openSessions.get(session.key) === session) openSessions.delete(session.key);
	};

	return {
		/**
		 * Waits for the turns that came before, in order of arrival. For a caller whose account has zero retention, or who is no one in
		 * particular, each turn stands alone. Throws RATE_LIMITED when too many wait or too many sessions are remembered.
		 */
		async enter(
			caller: Caller | undefined,
			sessionId: string,
			signal: AbortSignal,
		): Promise<ChatSeat> {
			if (!caller || !keepsText(caller)) return STANDING_ALONE;
			const key = toChatKey(caller, sessionId);
			const leaveQueue = await seats.enter(key, { signal, admit: assertNotTooMany });
			try {
				const record = await records.findOwn(caller, sessionId);
				if (!record && !openSessions.has(key)) await assertRoom(records, caller.owner);
				const session = open(key, record);
				session.seats += 1;
				const memory = toMemory(session, record);
				let isLeft = false;
				const unsettled = new Set<object>();
				const letNextIn = () => {
					closeIfIdle(session);
					if (isLeft && (!seats.isShared || unsettled.size === 0)) leaveQueue();
				};
				return {
					memory,
					async add(turn) {
						const n = (memory.turns.at(-1)?.n ?? 0) + 1;
						const { owner, access } = caller;
						const { id, isAtRest } = session;
						const place = { id, key, owner, grantId: grantIdOf(access), sessionId, isAtRest };
						const added = { session, place, turn: { ...turn, n } };
						session.pending.set(n, added.turn);
						unsettled.add(added);
						const close = () => {
							unsettled.delete(added);
							letNextIn();
						};
						return stageTurn(deps, { ...added, close });
					},
					leave() {
						if (isLeft) return;
						isLeft = true;
						session.seats -= 1;
						letNextIn();
					},
				};
			} catch (error) {
				leaveQueue();
				throw error;
			}
		},
	};
}

/** Throws RATE_LIMITED. */
function assertNotTooMany(waiting: number): void {
	if (waiting < CHAT_LIMITS.waitingMax) return;
	throw new ServiceError(
		"RATE_LIMITED",
		`${CHAT_LIMITS.waitingMax} turns of this session wait already; send the next one when they are answered. Nothing was charged.`,
		{ retryAfterSeconds: 5 },
	);
}

/** Puts a turn to rest until it is persisted or no one has paid for it; `close` when no one has to wait for it any more. */
async function stageTurn(
	{ staged, clock }: ChatRoomParts,
	{ session, place, turn, close }: StagedTurn & { session: OpenSession; close: () => void },
): Promise<AddedTurn> {
	const { n } = turn;
	let latest = turn;
	// A number that was forgotten may be another turn's by now.
	const isPending = () => session.pending.get(n) === latest;
	/** Those who come after know it from what is at rest, or not at all. */
	const forget = () => {
		if (isPending()) session.pending.delete(n);
		close();
	};
	const atRest = await staged.stage({ place, turn }).catch((error: unknown) => {
		forget();
		throw error;
	});
	let cancelTimer: () => void = () => undefined;
	const lookLater = () => {
		cancelTimer = clock.after(CHAT_LIMITS.unpaidMs, () => void look());
	};
	const look = async () => {
		const fate = await atRest.settle(latest);
		// One that could not be written may be paid for: it is known until it is.
		if (fate === "failed") close();
		else forget();
		if (fate !== "settled") lookLater();
	};
	lookLater();
	return {
		n,
		amend(changed) {
			const isKnown = isPending();
			latest = { ...changed, n };
			if (isKnown) session.pending.set(n, latest);
		},
		async remember() {
			// What does not work now is looked at later, and known until then.
			await atRest.write(latest, session.isAtRest);
			session.isAtRest = true;
			cancelTimer();
			forget();
		},
		forget,
	};
}

/** A turn of somebody whose text is kept nowhere. */
const STANDING_ALONE: ChatSeat = {
	memory: { id: undefined, graphs: [], turns: [], paid: undefined, turnCount: 0 },
	add: async () => ({
		n: 1,
		amend: () => undefined,
		remember: async () => undefined,
		forget: () => undefined,
	}),
	leave: () => undefined,
};

function toMemory({ id, pending }: OpenSession, record: ChatRecord | undefined): ChatMemory {
	const kept = record?.text.turns ?? [];
	const unkept = [...pending.values()].filter(
		(turn) => !kept.some((other) => isSameTurn(other, turn)),
	);
	return {
		id,
		graphs: record?.text.graphs ?? [],
		turns: [...kept, ...unkept].sort((a, b) => a.n - b.n),
		paid: kept.at(-1),
		turnCount: (record?.text.turn_count ?? 0) + unkept.length,
	};
}

async function assertRoom(records: ChatRecords, owner: string): Promise<void> {
	if ((await records.countOf(owner)) < CHAT_LIMITS.sessionsMax) return;
	throw new ServiceError(
		"RATE_LIMITED",
		`${CHAT_LIMITS.sessionsMax} sessions of yours are remembered already; go on with one of them, or delete some with DELETE /v1/research/chat/sessions/{session_id}. Nothing was charged.`,
		{ retryAfterSeconds: 3_600 },
	);
}

/** Settled, or still open; failed where it was paid for and could not be written, or nothing could be read. */
type TurnFate = "settled" | "open" | "failed";
export type StagedTurns = ReturnType<typeof createStagedTurns>;

/**
 * Turns that may be paid for any moment: persisted before the money moves, so that a crash loses none. A turn that is
 * reported step by step is persisted with its evidence, before the first of it leaves.
 */
export function createStagedTurns(
	deps: TurnWritingDeps & {
		readonly store: Store;
		readonly ids: Ids;
		readonly seats: TurnQueue;
		readonly logger: Pick<Logger, "error">;
	},
) {
	const { store, clock, ids, seats, writes, logger } = deps;
	const write = async (id: string, { place, turn }: StagedTurn): Promise<void> => {
		// Anyone who deletes a session takes what is staged of it away.
		const isWanted = async () => (await store.documents.get(id)) !== undefined;
		await writeTurn(deps, { place, turn, isWanted });
		await dropStaged(store, id);
	};
	const settle = async (id: string, turn?: ChatTurn): Promise<TurnFate> => {
		try {
			const staged = await readStaged(store, id);
			if (!staged) {
				await dropStaged(store, id);
				return "settled";
			}
			const fate = await store.read((reader) => fateOf(reader, staged.turn.callId));
			if (fate === "open") return "open";
			if (fate === "paid") await write(id, { ...staged, turn: turn ?? staged.turn });
			else await dropStaged(store, id);
			return "settled";
		} catch (error) {
			logger.error("a chat turn could not be recovered", { turn: id, error: String(error) });
			return "failed";
		}
	};
	const recoverOne = async (id: string): Promise<void> => {
		if ((await settle(id)) === "settled") return;
		clock.after(CHAT_LIMITS.unpaidMs, () => void recoverOne(id));
	};
	return {
		/** Durable before any money that moves after it. */
		async stage(staged: StagedTurn) {
			const { owner, grantId } = staged.place;
			const id = ids.next("art");
			const createdAt = clock.now();
			const expiresAt = createdAt + CHAT_LIMITS.stagedMs;
			const row = { id, owner, grantId, kind: STAGED_TURN, createdAt, expiresAt };
			await store.documents.put(id, JSON.stringify(staged), expiresAt);
			// Nothing is captured before what was written earlier.
			const put = (tx: StoreTransaction) =>
				tx.put("artefacts", { ...row, processId: tx.processId });
			await store.transaction(put, { durability: "deferred" });
			return {
				/** Moves it into its session, as both are by now. Safe to call again. */
				write: (turn: ChatTurn, isAtRest: boolean) =>
					write(id, { place: { ...staged.place, isAtRest }, turn }),
				/** Follows its payment: a paid turn is written, an unpaid one is deleted. Never throws. */
				settle: (turn: ChatTurn) => settle(id, turn),
			};
		},

		/**
		 * Settles what processes left that have ended, and then lets those go on who wait for them. To be called once open holds were
		 * released, and before any request is served. What does not work is tried again later.
		 */
		async recover(): Promise<void> {
			await writes.forgetEnded();
			for await (const { id, kind, processId } of store.rows("artefacts")) {
				if (kind !== STAGED_TURN) continue;
				const isFollowed = await store.read(
					async (reader) => processId !== undefined && (await reader.isAlive(processId)),
				);
				if (!isFollowed) await recoverOne(id);
			}
			await seats.forgetEnded();
		},
	};
}

/**
 * What became of the money of a call: of a hold, or of a payment that was sent once there was an answer, whose receipt has
 * an id of its own. What is open comes first: money that moves meanwhile is found by the next question.
 */
async function fateOf(reader: StoreReader, callId: string): Promise<"open" | "paid" | "unpaid"> {
	if (await reader.get("holds", callId)) return "open";
	const payment = await reader.get("payments", callId);
	// With a hold it paid for a later call, which its payer sent when this one had no answer.
	if (payment?.state === "captured") return payment.holdId === undefined ? "paid" : "unpaid";
	if (payment) return ENDED.has(payment.state) ? "unpaid" : "open";
	return (await reader.get("receipts", siblingId(callId, "rcpt"))) ? "paid" : "unpaid";
}

const ENDED: ReadonlySet<string> = new Set(["credited", "released"]);
