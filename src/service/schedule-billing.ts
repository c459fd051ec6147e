import type { InvariantGuard } from "../../payments/invariants.js";
import type { ReleaseReason } from "../../payments/ledger.js";
import type { Payer, PaymentMethod, Rail } from "../../payments/payment-method.js";
import type { PriceList } from "../../payments/price-list.js";
import { toReceipt } from "../../payments/receipt.js";
import type { HoldRow } from "../../store/rows/call-rows.js";
import type { ScheduleRenewal, ScheduleRow } from "../../store/rows/schedule-rows.js";
import type { Store, StoreTransaction } from "../../store/store.js";
import { isWallet } from "../core/account-access.js";
import type { SkillCaller } from "../core/call.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import { siblingId } from "../core/ids.js";
import type { Micros } from "../core/money.js";
import type { PauseReason } from "../core/schedule-wire.js";
import { dayAfter } from "../jobs/schedule-slots.js";
import { fingerprintOf } from "./idempotency.js";

export interface ScheduleBillingDeps {
	readonly store: Pick<Store, "read" | "transaction">;
	readonly clock: Clock;
	readonly prices: Pick<PriceList, "priceOf">;
	readonly methods: readonly PaymentMethod[];
	readonly guard: Pick<InvariantGuard, "isSelling">;
}

/** A week whose price is reserved. */
export interface HeldWeek {
	readonly method: PaymentMethod;
	readonly hold: HoldRow;
}

/** D13: a week is paid for with its first delivered briefing; one in which nothing is delivered costs nothing. */
export interface ScheduleBilling {
	/** What a new schedule promises to pay for a week at most. */
	weekMicros(): Micros;
	/** Whether the payment a schedule was made with has been captured. */
	isPaid(row: ScheduleRow): Promise<boolean>;
	/**
	 * Reserves the next week's price where a slot begins one that is not paid for; undefined where it does not. Throws
	 * NotPaid, or another ServiceError when it can be tried again.
	 */
	reserve(row: ScheduleRow, slotDay: string): Promise<HeldWeek | undefined>;
	/** Begins the week a delivered slot is of, inside the transaction that says so; the receipt's id when it was paid now. */
	begin(
		tx: StoreTransaction,
		row: ScheduleRow,
		week: { readonly day: string; readonly held: HeldWeek | undefined },
	): Promise<{ readonly row: ScheduleRow; readonly receiptId?: string }>;
	/** Never throws: what cannot be given back now expires. */
	giveBack(held: HeldWeek | undefined, reason: ReleaseReason): Promise<void>;
}

/** Nobody pays for the next week: the schedule pauses. */
export class NotPaid extends Error {
	readonly reason: PauseReason;
	constructor(reason: PauseReason, options?: { readonly cause?: unknown }) {
		super(`The next week is not paid for: ${reason}.`, options);
		this.name = "NotPaid";
		this.reason = reason;
	}
}

const OPERATION = "research.schedules.create";
const WEEK_DAYS = 7;

/**
 * What of a caller can pay for weeks to come; wallets sign each payment anew, so that they cannot, and a secret that was
 * replaced ends with its overlap.
 */
export function toRenewal(caller: SkillCaller | undefined): ScheduleRenewal | undefined {
	if (!caller || isWallet(caller.owner) || caller.access?.isReplaced) return undefined;
	const { keyId, grantId, scope } = caller.access ?? {};
	return {
		owner: caller.owner,
		...(keyId !== undefined && { keyId }),
		...(grantId !== undefined && { grantId }),
		...(scope && { scope }),
	};
}

export function createScheduleBilling(deps: ScheduleBillingDeps): ScheduleBilling {
	const { store, clock, prices } = deps;
	return {
		weekMicros: () => prices.priceOf(OPERATION).amountMicros,

		async isPaid({ callId, isPaid }) {
			// Where nothing was held, nothing was asked for.
			if (isPaid || !callId.startsWith("hold_")) return true;
			const receiptId = siblingId(callId, "rcpt");
			return (await store.read((reader) => reader.get("receipts", receiptId))) !== undefined;
		},

		async reserve(row, slotDay) {
			if (stateOf(row, slotDay) !== "unpaid" || priceOf(deps, row) === 0n) return undefined;
			return hold(deps, row);
		},

		async begin(tx, row, { day, held }) {
			const state = stateOf(row, day);
			if (state !== "unpaid" && held) await held.method.release(tx, held.hold, "no_answer");
			if (state === "covered") return { row };
			const coveredThrough = dayAfter(day, WEEK_DAYS - 1);
			if (state === "prepaid") {
				return { row: { ...row, coveredThrough, prepaidWeeks: row.prepaidWeeks - 1 } };
			}
			// Delivered, and its hold was gone: the next briefing begins the week.
			if (!held) return priceOf(deps, row) === 0n ? { row: { ...row, coveredThrough } } : { row };
			const captured = await held.method.capture(tx, held.hold);
			const fingerprint = fingerprintOf(OPERATION, { schedule_id: row.id, week: day });
			const receipt = toReceipt(held.hold, captured, { fingerprint, at: clock.now() });
			await tx.put("receipts", receipt);
			return { row: { ...row, coveredThrough }, receiptId: receipt.id };
		},

		async giveBack(held, reason) {
			if (!held) return;
			await store
				.transaction((tx) => held.method.release(tx, held.hold, reason), { durability: "deferred" })
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

/**
 * Whether a local day is of the week that was paid for last. The days of one week before it count as well: what begins a week
 * too early, by a clock that is set back or a zone further west, is not paid twice; what lies further back is.
 */
export function isCovered(
	{ coveredThrough }: Pick<ScheduleRow, "coveredThrough">,
	day: string,
): boolean {
	return (
		coveredThrough !== undefined &&
		day <= coveredThrough &&
		day > dayAfter(coveredThrough, -2 * WEEK_DAYS)
	);
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
		throw new ServiceError("UNAVAILABLE", "Nothing is sold until the ledger was looked at.");
	}
	const payer = toPayer(renewal);
	const method = methods.find(({ rail }) => rail === payer.rail);
	if (!method) throw new NotPaid("no_renewal");
	const { billingType } = prices.priceOf(OPERATION);
	const quote = {
		operationId: OPERATION,
		amountMicros: priceOf(deps, row),
		billingType,
		resourceUrl: "",
		description: "A week of briefings",
	} as const;
	try {
		const held = await store.transaction((tx) =>
			method.authorize(tx, payer, { quote, graphIds: [], idempotencyId: undefined }),
		);
		return { method, hold: held };
	} catch (cause) {
		throw toRefusal(cause);
	}
}

function toPayer({ owner, keyId, grantId, scope }: ScheduleRenewal): Payer {
	const rail: Rail = owner.startsWith("tok_") ? "spt" : "plan";
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
