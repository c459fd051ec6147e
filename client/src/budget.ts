/** What may be spent in a session and in a day. A price is counted before anything is sent, and corrected by what was charged. */
import { ClientError } from "./errors.js";
import { formatUsd } from "./money.js";

/**
 * Keeps what was spent on each day beyond this session. Where several processes share one, `add` must be atomic, as an
 * increment in a database is.
 */
export interface Ledger {
	/** Adds micro-USD, which may be negative, to a day in UTC (`2026-01-31`), and gives the day's new amount. */
	add(day: string, micros: bigint): bigint | Promise<bigint>;
}

/** Remembers nothing beyond this process. */
export function memoryLedger(): Ledger {
	const days = new Map<string, bigint>();
	return {
		add(day, micros) {
			const amount = (days.get(day) ?? 0n) + micros;
			days.set(day, amount);
			return amount;
		},
	};
}

/** What one call takes of the budgets. */
export interface Reservation {
	/** Counts another amount instead, e.g. what was charged; may be called again when more is known. */
	count(micros: bigint): Promise<void>;
	/** What is counted now. */
	readonly counted: () => bigint;
}

export interface BudgetOptions {
	readonly session: bigint | undefined;
	readonly day: bigint | undefined;
	readonly ledger: Ledger;
	/** Epoch milliseconds. */
	readonly now: () => number;
}

export type Budget = ReturnType<typeof createBudget>;

export function createBudget({ session, day, ledger, now }: BudgetOptions) {
	let counted = 0n;
	return {
		isLimited: session !== undefined || day !== undefined,
		/** Charged or reserved in this session. */
		counted: () => counted,

		/** Takes a price off both budgets, before anything is sent. Throws BUDGET_EXCEEDED, LEDGER_FAILED. */
		async reserve(micros: bigint): Promise<Reservation> {
			if (session !== undefined && counted + micros > session) {
				throw exceeded("session", micros, session - counted);
			}
			// Counted before anything is awaited: another call of the same moment sees it.
			counted += micros;
			const today = new Date(now()).toISOString().slice(0, 10);
			try {
				const total = await ledger.add(today, micros);
				if (day !== undefined && total > day) {
					await ledger.add(today, -micros);
					throw exceeded("day", micros, day - total + micros);
				}
			} catch (error) {
				counted -= micros;
				throw error instanceof ClientError ? error : ledgerFailed(error);
			}
			return toReservation(micros, async (change) => {
				counted += change;
				// A store that is away leaves the reservation counted: too much, never too little.
				await Promise.resolve(ledger.add(today, change)).catch(() => undefined);
			});
		},
	};
}

function toReservation(micros: bigint, onChange: (change: bigint) => Promise<void>): Reservation {
	let current = micros;
	return {
		counted: () => current,
		async count(next) {
			const change = next - current;
			current = next;
			if (change !== 0n) await onChange(change);
		},
	};
}

function exceeded(name: string, micros: bigint, left: bigint): ClientError {
	const rest = formatUsd(left > 0n ? left : 0n);
	return new ClientError(
		"BUDGET_EXCEEDED",
		`This call costs ${formatUsd(micros)} USD, and ${rest} USD are left of the budget of the ${name}.`,
	);
}

function ledgerFailed(cause: unknown): ClientError {
	return new ClientError(
		"LEDGER_FAILED",
		"The ledger of day budgets did not answer, so nothing was sent.",
		{ cause, retryable: true },
	);
}
