import { LIMITS } from "../../src/contract/contract.js";
import type { Clock, Ids } from "../../src/kernel/kernel.js";
import type { PaymentMarkRow, Store, StoreReader, StoreTransaction } from "../../store/store.js";

/** A mark that could not be deleted keeps other processes away for no longer. */
const MARK_TTL_MS = 600_000;

export type PaymentMarks = ReturnType<typeof createPaymentMarks>;

/**
 * Which payments are being worked on, and by which process. A mark is a row, written with what is reserved, so that every process
 * sees it; the process whose it is knows at once when its own has ended, and those of a process that has ended count for nothing.
 */
export function createPaymentMarks({
	store,
	clock,
	ids,
}: {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
}) {
	/** Until when the marks of this process count, on the monotonic clock. */
	const own = new Map<string, number>();
	const markOf = new Map<string, string>();

	const isOwnHeld = (markId: string) => {
		const untilMs = own.get(markId);
		if (untilMs !== undefined && untilMs <= clock.monotonicMs()) own.delete(markId);
		return own.has(markId);
	};
	const isHeld = async (reader: StoreReader, row: PaymentMarkRow): Promise<boolean> => {
		if (row.processId === store.processes.ownId()) return isOwnHeld(row.markId);
		return row.until > clock.now() && (await reader.isAlive(row.processId));
	};
	const change = (id: string, markId: string, row: Partial<PaymentMarkRow> | undefined) =>
		void changeMark(store, { id, markId }, row).catch(() => undefined);

	return {
		/** Before the transaction that puts the marks: nothing that is repeated there has an effect outside. */
		begin(): string {
			const markId = ids.next("mark");
			own.set(markId, Number.POSITIVE_INFINITY);
			return markId;
		},
		async put(
			tx: StoreTransaction,
			markId: string,
			{ id, key }: { readonly id: string; readonly key?: string | undefined },
		): Promise<void> {
			const until = clock.now() + MARK_TTL_MS;
			const named = { id, ...(key !== undefined && { key }) };
			await tx.put("payment_marks", { ...named, markId, processId: tx.processId, until });
		},
		/** Once the mark is in the store: from now on it ends with the payment it is of. */
		placed: (markId: string, id: string) => void markOf.set(id, markId),
		/** What was begun came to nothing. */
		drop: (markId: string) => void own.delete(markId),
		/** Captured: being delivered, for a while. */
		linger(id: string): void {
			const markId = markOf.get(id);
			if (markId === undefined) return;
			own.set(markId, clock.monotonicMs() + LIMITS.deliveryGraceMs);
			change(id, markId, { until: clock.now() + LIMITS.deliveryGraceMs });
		},
		end(id: string): void {
			const markId = markOf.get(id);
			if (markId === undefined) return;
			markOf.delete(id);
			own.delete(markId);
			change(id, markId, undefined);
		},
		async isBusy(reader: StoreReader, id: string): Promise<boolean> {
			const row = await reader.get("payment_marks", id);
			return row !== undefined && isHeld(reader, row);
		},
		/** Whether a payment that came with this retry key is being worked on. */
		async isKeyBusy(reader: StoreReader, key: string): Promise<boolean> {
			for (const row of await reader.findBy("payment_marks", "key", key)) {
				if (await isHeld(reader, row)) return true;
			}
			return false;
		},
		/** Deletes marks that count for nothing any more. */
		async forgetEnded(): Promise<void> {
			for (const [id, markId] of markOf) if (!isOwnHeld(markId)) markOf.delete(id);
			await forgetUnheld(store, isHeld);
		},
	};
}

/** Only what is still this mark: another request may have taken its place. Deleted without a change. */
function changeMark(
	store: Pick<Store, "transaction">,
	{ id, markId }: Pick<PaymentMarkRow, "id" | "markId">,
	row: Partial<PaymentMarkRow> | undefined,
): Promise<void> {
	return store.transaction(
		async (tx) => {
			const found = await tx.get("payment_marks", id);
			if (found?.markId !== markId) return;
			if (row === undefined) await tx.delete("payment_marks", id);
			else await tx.put("payment_marks", { ...found, ...row });
		},
		{ durability: "deferred" },
	);
}

async function forgetUnheld(
	store: Store,
	isHeld: (reader: StoreReader, row: PaymentMarkRow) => Promise<boolean>,
): Promise<void> {
	const rows = await store.read((reader) => reader.list("payment_marks"));
	for (const { id } of rows) {
		await store.transaction(
			async (tx) => {
				const row = await tx.get("payment_marks", id);
				if (row && !(await isHeld(tx, row))) await tx.delete("payment_marks", id);
			},
			{ durability: "deferred" },
		);
	}
}
