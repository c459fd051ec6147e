import { STAGED_TURN } from "../../src/contract/contract.js";
import { type Ids, type Logger, siblingId } from "../../src/kernel/kernel.js";
import type { Store, StoreReader } from "../../store/store.js";
import { CHAT_LIMITS } from "./chat-limits.js";
import { type TurnWritingDeps, writeTurn } from "./chat-turn-writing.js";
import type { ChatTurn } from "./chat-turns.js";
import { dropStaged, readStaged, type StagedTurn } from "./staged-text.js";

/** A turn that waits beside its session for its payment. */
export interface TurnAtRest {
	/** Puts it into its session, as both are by now, and takes it away here. Safe to call again. */
	write(turn: ChatTurn, isSessionAtRest: boolean): Promise<void>;
	/**
	 * Does with it what its money says: one that was paid for is written, one that nobody pays for is forgotten. Never throws.
	 */
	settle(turn: ChatTurn): Promise<TurnFate>;
}

/** Settled, or still open; failed where it was paid for and could not be written, or nothing could be read. */
export type TurnFate = "settled" | "open" | "failed";

/**
 * Turns that may be paid for any moment: at rest before the money moves, so that a crash loses none. A turn that is told
 * step by step is at rest with its evidence, before the first of it leaves.
 */
export interface StagedTurns {
	/** Durable before any money that moves after it. */
	stage(staged: StagedTurn): Promise<TurnAtRest>;
	/**
	 * What an earlier process left: a turn that was paid for goes into its session, one that is not any more is forgotten.
	 * To be called once open holds were released, and before anybody is served. What does not work is tried again later.
	 */
	recover(): Promise<void>;
}

export interface StagedTurnDeps extends TurnWritingDeps {
	readonly store: Store;
	readonly ids: Ids;
	readonly logger: Pick<Logger, "error">;
}

export function createStagedTurns(deps: StagedTurnDeps): StagedTurns {
	const { store, clock, ids, logger } = deps;
	const write = async (id: string, { place, turn }: StagedTurn): Promise<void> => {
		// Whoever deletes a session takes what is staged of it away.
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
		async stage(staged) {
			const { owner, grantId } = staged.place;
			const id = ids.next("art");
			const createdAt = clock.now();
			const expiresAt = createdAt + CHAT_LIMITS.stagedMs;
			const row = { id, owner, grantId, kind: STAGED_TURN, createdAt, expiresAt };
			await store.documents.put(id, JSON.stringify(staged), expiresAt);
			// Nothing is captured before what was written earlier.
			await store.transaction((tx) => tx.put("artefacts", row), { durability: "deferred" });
			return {
				write: (turn, isAtRest) => write(id, { place: { ...staged.place, isAtRest }, turn }),
				settle: (turn) => settle(id, turn),
			};
		},

		async recover() {
			const rows = await store.read((reader) => reader.list("artefacts"));
			for (const { id, kind } of rows) if (kind === STAGED_TURN) await recoverOne(id);
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
