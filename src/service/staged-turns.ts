import type { Store, StoreReader } from "../../store/store.js";
import { type ChatTurn, STAGED_TURN } from "../core/chat.js";
import { CHAT_LIMITS } from "../core/chat-limits.js";
import { type Ids, siblingId } from "../core/ids.js";
import type { Logger } from "../core/logger.js";
import { type TurnWritingDeps, writeTurn } from "./chat-turn-writing.js";
import { dropStaged, readStaged, type StagedTurn } from "./staged-text.js";

/** A turn that waits beside its session for its payment. */
export interface TurnAtRest {
	/** Puts it into its session, as it is by now, and takes it away here. Safe to call again. */
	write(turn: ChatTurn): Promise<void>;
	/**
	 * Does with it what its money says: one that was paid for is written, one that nobody pays for is forgotten. Resolves to
	 * false where that is still open, or did not work; never throws.
	 */
	settle(turn: ChatTurn): Promise<boolean>;
}

/**
 * Turns that may be paid for any moment: at rest before the money moves, so that a crash loses none. A turn that is told
 * step by step is at rest with its evidence, before the first of it leaves.
 */
export interface StagedTurns {
	/** Durable before any money that moves after it. */
	stage(staged: StagedTurn): Promise<TurnAtRest>;
	/**
	 * What an earlier process left: a turn that was paid for goes into its session, one that is not any more is forgotten.
	 * To be called once open holds were released, and before anybody is served; never throws.
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
	const settle = async (id: string, turn?: ChatTurn): Promise<boolean> => {
		try {
			const staged = await readStaged(store, id);
			if (!staged) {
				await dropStaged(store, id);
				return true;
			}
			const fate = await store.read((reader) => fateOf(reader, staged.turn.callId));
			if (fate === "open") return false;
			if (fate === "paid") await write(id, { ...staged, turn: turn ?? staged.turn });
			else await dropStaged(store, id);
			return true;
		} catch (error) {
			logger.error("a chat turn could not be recovered", { turn: id, error: String(error) });
			return false;
		}
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
				write: (turn) => write(id, { ...staged, turn }),
				settle: (turn) => settle(id, turn),
			};
		},

		async recover() {
			const rows = await store.read((reader) => reader.list("artefacts"));
			for (const { id, kind } of rows) if (kind === STAGED_TURN) await settle(id);
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
	if (payment?.state === "captured") return "paid";
	if (payment) return ENDED.has(payment.state) ? "unpaid" : "open";
	return (await reader.get("receipts", siblingId(callId, "rcpt"))) ? "paid" : "unpaid";
}

const ENDED: ReadonlySet<string> = new Set(["credited", "released"]);
