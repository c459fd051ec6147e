import type { FeedbackRow, Store } from "../../store/store.js";
import {
	type Caller,
	grantIdOf,
	isTheirs,
	LIMITS,
	maySeeAgain,
	type PageRequest,
	readCursor,
	takePage,
} from "../contract/contract.js";
import { notFound, ServiceError, toIsoTime } from "../kernel/kernel.js";
import type { AccountServices } from "./account-services.js";
import { sortByAge } from "./api-keys.js";
import type { FeedbackOrder, FeedbackWire } from "./feedback.operations.js";

/** What callers say of answers they got: kept for twelve months, shown to its author, to those who manage the account and to the operator, deleted on request. */
export type Feedback = ReturnType<typeof createFeedback>;

type FeedbackServices = Pick<AccountServices, "store" | "catalog" | "clock" | "ids">;

const MONTHS = 12;
const LIST = { list: "feedback", asked: {} };

export function createFeedback(deps: FeedbackServices) {
	const { store, clock, ids } = deps;
	return {
		/** Throws NOT_FOUND for a receipt that is not the caller's and a trend no one knows, RATE_LIMITED for too many. */
		async give(caller: Caller, order: FeedbackOrder): Promise<FeedbackWire> {
			await assertKnown(deps, caller, order);
			const { note, ...stated } = order;
			const at = clock.now();
			const id = ids.next("fbk");
			const keepsNote = note !== undefined && caller.access?.keepsNoText !== true;
			const grantId = grantIdOf(caller.access);
			const row = toRow(stated, { id, owner: caller.owner, grantId, at, hasNote: keepsNote });
			await store.transaction(async (tx) => {
				const { length } = await tx.findBy("feedback", "owner", caller.owner);
				if (length >= LIMITS.feedbackMax) {
					throw new ServiceError(
						"RATE_LIMITED",
						`${LIMITS.feedbackMax} pieces of feedback are kept for you already; delete some with DELETE /v1/feedback/{feedback_id}.`,
						{ retryAfterSeconds: 3_600 },
					);
				}
				await tx.put("feedback", row);
			});
			if (keepsNote) await putNote(store, row, note);
			return toWire(row, keepsNote ? note : undefined);
		},

		/** Oldest first. */
		async list({ owner, access }: Caller, { limit, cursor }: PageRequest) {
			const [after = ""] = cursor === undefined ? [] : readCursor(cursor, LIST, 1);
			const rest = (await rowsOf(store, owner)).filter(
				({ id, grantId, expiresAt }) =>
					id > after && expiresAt > clock.now() && maySeeAgain(access, grantId),
			);
			const { page, next_cursor } = takePage(rest, limit, LIST, ({ id }) => [id]);
			return { items: await Promise.all(page.map((row) => readWire(store, row))), next_cursor };
		},

		/** Throws NOT_FOUND. */
		async remove(caller: Caller, id: string) {
			const row = await store.read((reader) => reader.get("feedback", id));
			if (!row || !isTheirs(caller, row)) throw noSuch("feedback", id);
			// Text first: what a crash leaves is a row that can be deleted again.
			await store.documents.delete(id);
			await store.transaction((tx) => tx.delete("feedback", id));
			return { id, status: "deleted" as const };
		},
	};
}

/** Keeps a note of a row that is there already, so that every text kept can be found by its owner. Throws NOT_FOUND when it was erased meanwhile. */
async function putNote(store: Store, { id, expiresAt }: FeedbackRow, note: string): Promise<void> {
	try {
		await store.documents.put(id, note, expiresAt);
		const row = await store.read((reader) => reader.get("feedback", id));
		if (!row) throw noSuch("feedback", id);
	} catch (error) {
		await store.documents.delete(id);
		await store.transaction((tx) => tx.delete("feedback", id));
		throw error;
	}
}

/** All that an owner has said, for an export. */
export async function* feedbackOf(store: Store, owner: string): AsyncIterable<FeedbackWire> {
	for (const row of await rowsOf(store, owner)) yield readWire(store, row);
}

async function assertKnown(
	{ store, catalog }: FeedbackServices,
	{ owner }: Caller,
	{ receipt_id: receiptId, trend_id: trendId }: FeedbackOrder,
): Promise<void> {
	if (receiptId !== undefined) {
		const receipt = await store.read((reader) => reader.get("receipts", receiptId));
		if (receipt?.owner !== owner) throw noSuch("receipt", receiptId);
	}
	if (trendId === undefined) return;
	const colon = trendId.indexOf(":");
	const graph = catalog.find(trendId.slice(0, colon));
	const nodeId = trendId.slice(colon + 1);
	if (!graph?.concepts.some(({ id }) => id === nodeId)) throw noSuch("trend", trendId);
}

function toRow(
	{ request_id, receipt_id, trend_id, useful }: Omit<FeedbackOrder, "note">,
	facts: Pick<FeedbackRow, "id" | "owner" | "grantId" | "at" | "hasNote">,
): FeedbackRow {
	const expires = new Date(facts.at);
	expires.setUTCMonth(expires.getUTCMonth() + MONTHS);
	return {
		...facts,
		expiresAt: expires.getTime(),
		isUseful: useful,
		...(request_id !== undefined && { requestId: request_id }),
		...(receipt_id !== undefined && { receiptId: receipt_id }),
		...(trend_id !== undefined && { trendId: trend_id }),
	};
}

async function rowsOf(store: Store, owner: string): Promise<readonly FeedbackRow[]> {
	return sortByAge(await store.read((reader) => reader.findBy("feedback", "owner", owner)));
}

async function readWire({ documents }: Store, row: FeedbackRow): Promise<FeedbackWire> {
	return toWire(row, row.hasNote ? await documents.get(row.id) : undefined);
}

function toWire(row: FeedbackRow, note: string | undefined): FeedbackWire {
	return {
		id: row.id,
		request_id: row.requestId ?? null,
		receipt_id: row.receiptId ?? null,
		trend_id: row.trendId ?? null,
		useful: row.isUseful,
		note: note ?? null,
		created_at: toIsoTime(row.at),
		expires_at: toIsoTime(row.expiresAt),
	};
}

function noSuch(kind: string, id: string): ServiceError {
	return notFound(`No ${kind} of yours is called "${id.slice(0, 200)}".`);
}
