import type { Store } from "../../store/store.js";
import { type ChatTurn, STAGED_TURN } from "../core/chat.js";
import { CHAT_LIMITS } from "../core/chat-limits.js";
import type { Ids } from "../core/ids.js";
import type { Logger } from "../core/logger.js";
import { type ChatPlace, type TurnWritingDeps, writeTurn } from "./chat-turn-writing.js";

const RECEIPTS_A_PAGE = 100;

interface StagedTurn {
	readonly place: ChatPlace;
	readonly turn: ChatTurn;
}

/** Turns that were answered and may be paid for any moment: at rest before the money moves, so that a crash loses none. */
export interface StagedTurns {
	/** Durable before any money that moves after it; resolves to what takes it away again, which never throws. */
	stage(staged: StagedTurn): Promise<() => Promise<void>>;
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
	const drop = async (id: string): Promise<void> => {
		// Text first: what a crash leaves is a row that is forgotten with its time.
		await store.documents.delete(id);
		await store.transaction((tx) => tx.delete("artefacts", id), { durability: "deferred" });
	};
	const recoverOne = async (id: string): Promise<void> => {
		const text = await store.documents.get(id);
		if (text !== undefined) {
			const { place, turn } = JSON.parse(text) as StagedTurn;
			const isPaid = await hasReceipt(store, place.owner, turn);
			const isOpen = await store.read((reader) => reader.get("holds", turn.callId));
			// Money that may still arrive: the next start knows more, or its time is over.
			if (!isPaid && isOpen) return;
			if (isPaid) await writeTurn(deps, place, turn);
		}
		await drop(id);
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
			return () => drop(id).catch(() => undefined);
		},

		async recover() {
			const rows = await store.read((reader) => reader.list("artefacts"));
			for (const { id } of rows.filter(({ kind }) => kind === STAGED_TURN)) {
				await recoverOne(id).catch((error: unknown) =>
					logger.error("a chat turn could not be recovered", { turn: id, error: String(error) }),
				);
			}
		},
	};
}

/** Receipts are found by their time: the capture, if there was one, came after the turn. */
async function hasReceipt(
	store: Pick<Store, "receipts">,
	owner: string,
	{ callId, at: since }: ChatTurn,
): Promise<boolean> {
	let cursor: string | undefined;
	do {
		const page = await store.receipts(owner, { limit: RECEIPTS_A_PAGE, cursor, since });
		if (page.receipts.some(({ holdId }) => holdId === callId)) return true;
		cursor = page.next;
	} while (cursor !== undefined);
	return false;
}
