import type { InvariantGuard } from "../../payments/audit/audit.js";
import {
	balanceOf,
	fingerprintOf,
	type PaymentMethod,
	toReceipt,
} from "../../payments/payments.js";
import { refundedOf } from "../../payments/refunds/refunds.js";
import {
	dayAfter,
	type HeldWeek,
	isCovered,
	NotPaid,
	type ScheduleBilling,
	WEEK_DAYS,
} from "../../skills/briefings/briefings.js";
import type { ScheduleRenewal, ScheduleRow, Store } from "../../store/store.js";
import type { Caller, PriceList } from "../contract/contract.js";
import { type Clock, type Micros, ServiceError, siblingId, unavailable } from "../kernel/kernel.js";

export interface ScheduleBillingDeps {
	readonly store: Pick<Store, "read" | "transaction">;
	readonly clock: Clock;
	readonly prices: Pick<PriceList, "priceOf">;
	readonly methods: readonly Pick<PaymentMethod, "balance">[];
	readonly guard: Pick<InvariantGuard, "isSelling">;
}

const OPERATION = "research.schedules.create";

export function createScheduleBilling(deps: ScheduleBillingDeps): ScheduleBilling {
	const { store, clock, prices, methods } = deps;
	return {
		weekMicros: () => prices.priceOf(OPERATION).amountMicros,

		async isPaid({ callId, isPaid }) {
			// Where nothing was held, nothing was asked for.
			if (isPaid || !callId.startsWith("hold_")) return true;
			const receiptId = siblingId(callId, "rcpt");
			return store.read(async (reader) => {
				const receipt = await reader.get("receipts", receiptId);
				return (
					receipt !== undefined && (await refundedOf(reader, receiptId)) < receipt.amountMicros
				);
			});
		},

		async reserve(row, slotDay) {
			if (stateOf(row, slotDay) !== "unpaid" || priceOf(deps, row) === 0n) return undefined;
			return hold(deps, row);
		},

		async begin(tx, row, { day, held }) {
			const state = stateOf(row, day);
			if (state !== "unpaid" && held)
				await balanceOf(methods, held.hold).release(tx, held.hold, "no_answer");
			if (state === "covered") return { row };
			const coveredThrough = dayAfter(day, WEEK_DAYS - 1);
			if (state === "prepaid") {
				return { row: { ...row, coveredThrough, prepaidWeeks: row.prepaidWeeks - 1 } };
			}
			// Delivered, and its hold was gone: the next briefing begins the week.
			if (!held) return priceOf(deps, row) === 0n ? { row: { ...row, coveredThrough } } : { row };
			const captured = await balanceOf(methods, held.hold).capture(tx, held.hold);
			const fingerprint = fingerprintOf(OPERATION, { schedule_id: row.id, week: day });
			const receipt = toReceipt(held.hold, captured, { fingerprint, at: clock.now() });
			await tx.put("receipts", receipt);
			return { row: { ...row, coveredThrough }, receiptId: receipt.id };
		},

		release: (tx, held, reason) => balanceOf(methods, held.hold).release(tx, held.hold, reason),

		async releaseWeek(held, reason) {
			if (!held) return;
			await store
				.transaction((tx) => balanceOf(methods, held.hold).release(tx, held.hold, reason), {
					durability: "deferred",
				})
				.catch(() => undefined);
		},
	};
}

function stateOf(
	{ coveredThrough, prepaidWeeks }: ScheduleRow,
	day: string,
): "covered" | "prepaid" | "unpaid" {
	if (isCovered({ coveredThrough }, day)) return "covered";
	return prepaidWeeks > 0 ? "prepaid" : "unpaid";
}

/** Never more than was agreed on; what became cheaper is cheaper for everybody. */
function priceOf({ prices }: ScheduleBillingDeps, { weekMicros }: ScheduleRow): Micros {
	const { amountMicros } = prices.priceOf(OPERATION);
	return amountMicros < weekMicros ? amountMicros : weekMicros;
}

async function hold(deps: ScheduleBillingDeps, row: ScheduleRow): Promise<HeldWeek> {
	const { store, prices, methods, guard } = deps;
	const { renewal } = row;
	if (!renewal) throw new NotPaid("no_renewal");
	if (!guard.isSelling()) {
		throw unavailable("Nothing is sold until the ledger was looked at.");
	}
	const payer = toPayer(renewal);
	// A rail that is not configured any more pauses the schedule: trying again would not help.
	if (!methods.some((method) => method.balance?.rail === payer.rail)) {
		throw new NotPaid("no_renewal");
	}
	const balance = balanceOf(methods, payer);
	const { billingType } = prices.priceOf(OPERATION);
	const quote = {
		operationId: OPERATION,
		amountMicros: priceOf(deps, row),
		billingType,
		resourceUrl: "",
		description: "A week of briefings",
		isAgreed: true, // When the schedule was made.
	} as const;
	try {
		const held = await store.transaction((tx) =>
			balance.authorize(tx, payer, { quote, graphIds: [], idempotencyId: undefined }),
		);
		return { hold: held };
	} catch (cause) {
		throw toRefusal(cause);
	}
}

function toPayer({ owner, keyId, grantId, scope }: ScheduleRenewal): Caller {
	const rail = owner.startsWith("tok_") ? "spt" : "plan";
	if (rail === "spt") return { owner, rail };
	const access = { accountId: owner, keyId, grantId, scope, isManager: false, keepsNoText: false };
	return { owner, rail, access };
}

/** What will not go away by itself pauses the schedule; the rest is tried again. */
function toRefusal(cause: unknown): unknown {
	if (!(cause instanceof ServiceError)) return cause;
	switch (cause.code) {
		case "INSUFFICIENT_BALANCE":
			return new NotPaid("balance_too_low", { cause });
		case "SPENDING_LIMIT":
		case "QUOTA_EXCEEDED":
		case "SCOPE_FORBIDDEN":
		case "UNAUTHENTICATED":
			return new NotPaid("payment_refused", { cause });
		default:
			return cause;
	}
}
