import { type Caller, isWallet, type ReleaseReason } from "../../src/contract/contract.js";
import type { Micros } from "../../src/kernel/kernel.js";
import type { HoldRow, ScheduleRenewal, ScheduleRow, StoreTransaction } from "../../store/store.js";
import { dayAfter } from "./schedule-slots.js";
import type { PauseReason } from "./schedule-wire.js";

export const WEEK_DAYS = 7;

/** A week whose price is reserved. */
export interface HeldWeek {
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
	/** Gives the week's price back, inside the transaction that says why. */
	release(tx: StoreTransaction, held: HeldWeek, reason: ReleaseReason): Promise<void>;
	/** Never throws: what cannot be released now expires. */
	releaseWeek(held: HeldWeek | undefined, reason: ReleaseReason): Promise<void>;
}

/** The next week cannot be charged: the schedule pauses. */
export class NotPaid extends Error {
	readonly reason: PauseReason;
	constructor(reason: PauseReason, options?: { readonly cause?: unknown }) {
		super(`The next week is not paid for: ${reason}.`, options);
		this.name = "NotPaid";
		this.reason = reason;
	}
}

/**
 * What of a caller can pay for weeks to come; wallets sign each payment again, so that they cannot, and a secret that was
 * replaced ends with its overlap.
 */
export function toRenewal(caller: Caller | undefined): ScheduleRenewal | undefined {
	if (!caller || isWallet(caller.owner) || caller.access?.isReplaced) return undefined;
	const { keyId, grantId, scope } = caller.access ?? {};
	return {
		owner: caller.owner,
		...(keyId !== undefined && { keyId }),
		...(grantId !== undefined && { grantId }),
		...(scope && { scope }),
	};
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
