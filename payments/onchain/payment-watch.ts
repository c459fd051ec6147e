import { LIMITS } from "../../src/contract/contract.js";
import type { PaymentRow, PaymentState, Store } from "../../store/store.js";

/** States that are not final. */
const OPEN_STATES: ReadonlySet<PaymentState> = new Set([
	"settling",
	"unknown",
	"refused",
	"settled",
]);

export const isOpen = ({ state }: PaymentRow): boolean => OPEN_STATES.has(state);

export interface OpenPayments {
	/** Sent, or perhaps sent, and not known how that ended. */
	readonly unknown: number;
	/** Refused by the facilitator, and looked for on the chain until it has expired. */
	readonly refused: number;
	/** Money that is here and whose work is not delivered yet. */
	readonly settled: number;
}

interface Open extends Pick<PaymentRow, "state"> {
	looks: number;
	dueAt: number;
}

export type PaymentWatch = ReturnType<typeof createPaymentWatch>;

/** Payments that are not at an end, so that the table of all payments is never searched for those to be looked at again. */
export function createPaymentWatch(store: Pick<Store, "read">) {
	const open = new Map<string, Open>();
	/** Follows a row through its states; final ones are forgotten. */
	const follow = ({ id, state }: PaymentRow): void => {
		if (open.get(id)?.state === state) return;
		open.delete(id);
		if (OPEN_STATES.has(state)) open.set(id, { state, looks: 0, dueAt: 0 });
	};

	return {
		follow,
		forget: (id: string) => void open.delete(id),
		/** Knows afterwards what other processes left open, too. */
		async refresh(): Promise<void> {
			const rows = await store.read(async (reader) => {
				const found: PaymentRow[] = [];
				for (const state of OPEN_STATES) {
					found.push(...(await reader.findBy("payments", "state", state)));
				}
				return found;
			});
			const ids = new Set(rows.map(({ id }) => id));
			for (const id of [...open.keys()]) if (!ids.has(id)) open.delete(id);
			for (const row of rows) follow(row);
		},
		/** Open payments to look at now; each is due less often the longer it stays open. */
		takeDue(now: number): readonly string[] {
			const due = [...open].filter(([, { dueAt }]) => isDue(dueAt, now));
			for (const [, entry] of due) {
				entry.dueAt = now + pauseAfter(entry);
				entry.looks += 1;
			}
			return due.map(([id]) => id);
		},
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
