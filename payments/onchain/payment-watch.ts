import { LIMITS } from "../../src/contract/contract.js";
import type { PaymentRow, PaymentState } from "../../store/store.js";

/** States that are not final. */
const OPEN_STATES: ReadonlySet<PaymentState> = new Set([
	"settling",
	"unknown",
	"refused",
	"settled",
]);

export interface OpenPayments {
	/** Sent, or perhaps sent, and not known how that ended. */
	readonly unknown: number;
	/** Refused by the facilitator, and looked for on the chain until it has expired. */
	readonly refused: number;
	/** Money that is here and whose work is not delivered yet. */
	readonly settled: number;
}

interface Open extends Pick<PaymentRow, "state" | "idempotencyId"> {
	looks: number;
	dueAt: number;
}

interface Busy {
	readonly idempotencyId: string | undefined;
	/** On the monotonic clock. */
	readonly untilMs: number;
}

export type PaymentWatch = ReturnType<typeof createPaymentWatch>;

/** Index of the payments in progress and of those to be looked at again, so that the table of all payments is never searched. */
export function createPaymentWatch(monotonicMs: () => number) {
	const busy = new Map<string, Busy>();
	const busyKeys = new Map<string, string>();
	const open = new Map<string, Open>();
	const openKeys = new Map<string, string>();

	const end = (id: string) => {
		const key = busy.get(id)?.idempotencyId;
		if (key !== undefined && busyKeys.get(key) === id) busyKeys.delete(key);
		busy.delete(id);
	};
	const isBusy = (id: string) => {
		const entry = busy.get(id);
		if (entry && entry.untilMs <= monotonicMs()) end(id);
		return busy.has(id);
	};
	const forget = (id: string) => {
		const key = open.get(id)?.idempotencyId;
		if (key !== undefined && openKeys.get(key) === id) openKeys.delete(key);
		open.delete(id);
	};

	return {
		/** Marks a payment, and the retry key it came with, as being worked on until `end`. */
		begin(id: string, idempotencyId: string | undefined): void {
			busy.set(id, { idempotencyId, untilMs: Number.POSITIVE_INFINITY });
			if (idempotencyId !== undefined) busyKeys.set(idempotencyId, id);
		},
		/** Captured: being delivered, for a while. */
		linger(id: string): void {
			const entry = busy.get(id);
			if (!entry) return;
			busy.set(id, { ...entry, untilMs: monotonicMs() + LIMITS.deliveryGraceMs });
		},
		end,
		isBusy,
		isKeyBusy(idempotencyId: string): boolean {
			const id = busyKeys.get(idempotencyId);
			return id !== undefined && isBusy(id);
		},
		/** Follows a row through its states; final ones are forgotten. */
		follow({ id, state, idempotencyId }: PaymentRow): void {
			if (open.get(id)?.state === state) return;
			forget(id);
			if (!OPEN_STATES.has(state)) return;
			open.set(id, { state, idempotencyId, looks: 0, dueAt: 0 });
			if (idempotencyId !== undefined) openKeys.set(idempotencyId, id);
		},
		forget,
		/** Open payments to look at now; each is due less often the longer it stays open. */
		takeDue(now: number): readonly string[] {
			for (const id of [...busy.keys()]) isBusy(id);
			const due = [...open].filter(([id, { dueAt }]) => !busy.has(id) && isDue(dueAt, now));
			for (const [, entry] of due) {
				entry.dueAt = now + pauseAfter(entry);
				entry.looks += 1;
			}
			return due.map(([id]) => id);
		},
		/** Open payment that came with this retry key. */
		openWithKey: (idempotencyId: string) => openKeys.get(idempotencyId),
		open(): OpenPayments {
			const states = [...open.values()].map(({ state }) => state);
			const count = (...wanted: PaymentState[]) =>
				states.filter((state) => wanted.includes(state)).length;
			return {
				unknown: count("settling", "unknown"),
				refused: count("refused"),
				settled: count("settled"),
			};
		},
	};
}

/** What is here only waits for its caller, and is credited on time: no chain is asked. */
function pauseAfter({ state, looks }: Open): number {
	const backoff = state === "settled" ? 1 : 2 ** Math.min(looks, 10);
	return Math.min(LIMITS.reconcileIntervalMs * backoff, LIMITS.reconcileBackoffMs);
}

/** A clock that was set back must not put a look off for long. */
function isDue(dueAt: number, now: number): boolean {
	return dueAt <= now || dueAt > now + LIMITS.reconcileBackoffMs;
}
