import type { SettlementWire } from "../../src/core/call.js";
import type { Clock } from "../../src/core/clock.js";
import { type Ids, siblingId } from "../../src/core/ids.js";
import type { HoldRow, PaymentRow, ReceiptRow, Store } from "../../store/store.js";
import type { Charged, Credit, HeldAdmission, Released, ReplayedAdmission } from "../admission.js";
import type { Offer, Quote } from "../challenge.js";
import { custAccount, type Ledger, type ReleaseReason } from "../ledger.js";
import type { SptIssuer } from "../spt/spt-issuer.js";
import type { PaymentClaim } from "./payment-claim.js";
import { rejectedPayment, settlementUnknown } from "./payment-errors.js";
import type { PaymentWatch } from "./payment-watch.js";
import {
	type Along,
	bookCapture,
	changePayment,
	toSettlement,
	writeReceipt,
} from "./settlement-book.js";
import type { Settler, Settling } from "./settler.js";

/** What a reserved payment may become: captured, credited, or never sent. */

export interface HeldDeps {
	readonly store: Store;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly watch: PaymentWatch;
	readonly settler: Settler;
	/** Turns money of an account into a token of its payer. */
	readonly issueCredit: SptIssuer["issueFrom"];
	readonly offers: (quote: Quote) => readonly Offer[];
}

/** Verified, and sent only once there is an answer: nothing to give back before. */
export function holdUnsent(deps: HeldDeps, claim: PaymentClaim): HeldAdmission {
	const { settler, watch } = deps;
	const { payer, id, request } = claim;
	return {
		kind: "held",
		payer,
		quote: request.quote,
		async capture() {
			try {
				const receipt = await insist(deps, claim, settler.settle(id, captureAtOnce(deps, claim)));
				watch.linger(id);
				return toCharged(claim, receipt);
			} catch (error) {
				watch.end(id);
				throw error;
			}
		},
		async release(reason) {
			await letGo(deps, claim, reason);
			return { balanceMicros: undefined };
		},
		delivered: () => markDelivered(deps, id),
	};
}

/** Its money is here, under a hold: captured for an answer, else a token of the payer's. */
export function holdSettled(
	deps: HeldDeps,
	claim: PaymentClaim,
	{ row, hold }: { row: PaymentRow; hold: HoldRow },
): HeldAdmission {
	const { watch, settler } = deps;
	const settlement = toSettlement(row);
	return {
		kind: "held",
		payer: claim.payer,
		quote: claim.request.quote,
		async capture() {
			try {
				const { value } = await settler.spend(row.id, captureHeld(deps, claim, hold));
				watch.linger(row.id);
				return toCharged(claim, value);
			} catch (error) {
				watch.end(row.id);
				throw error;
			}
		},
		async release(reason): Promise<Released> {
			const credit = await settler
				.spend(row.id, creditHeld(deps, { hold, reason }))
				.then(({ value }) => value)
				// What cannot be credited now goes back to "settled" with its hold, and is credited later.
				.catch(() => undefined);
			watch.end(row.id);
			return {
				balanceMicros: undefined,
				settlement,
				headers: receiptHeaders(claim, {
					settlement,
					amountMicros: row.amountMicros,
					at: row.updatedAt,
				}),
				...(credit && { credit }),
			};
		},
		delivered: () => markDelivered(deps, row.id),
	};
}

/** Paid for and answered before: the same receipt, the work again at price zero. */
export async function replayOf(
	deps: HeldDeps,
	claim: PaymentClaim,
	receiptId: string,
): Promise<ReplayedAdmission> {
	const receipt = await deps.store.read((reader) => reader.get("receipts", receiptId));
	if (!receipt) throw new Error(`The receipt ${receiptId} of an earlier call could not be read.`);
	deps.watch.linger(claim.id);
	const paymentId = receipt.settlement?.paymentId;
	return {
		kind: "replayed",
		payer: claim.payer,
		...toCharged(claim, receipt),
		delivered: () => markDelivered(deps, paymentId ?? claim.id, claim.id),
	};
}

/** The settled value, or the refusal that its payer is told. */
export async function insist<T>(
	{ offers }: Pick<HeldDeps, "offers">,
	claim: PaymentClaim,
	settling: Promise<Settling<T>>,
): Promise<T> {
	const settled = await settling;
	if (settled.kind === "settled") return settled.value;
	if (settled.kind === "unknown") throw settlementUnknown(claim.id);
	const { reason, message } = settled;
	throw rejectedPayment(claim, { reason, message, offers: offers(claim.request.quote) });
}

/** Nothing was sent: the payment may be tried again, for the same request. Never throws. */
export async function letGo(
	{ store, clock, watch }: HeldDeps,
	{ id }: PaymentClaim,
	reason: string,
	{ forget = false }: { forget?: boolean } = {},
): Promise<void> {
	const released = store.transaction(
		async (tx) => {
			const row = await tx.get("payments", id);
			if (forget && row?.state === "reserved") return tx.delete("payments", id);
			const now = clock.now();
			await changePayment(
				tx,
				{ id, from: ["reserved"], now },
				{ state: "released", reason, signature: undefined },
			);
			return undefined;
		},
		{ durability: "deferred" },
	);
	// A stopped store answers every later call itself; the next start releases what is only reserved.
	await released.catch(() => undefined);
	watch.end(id);
}

/** A hold on settled money, so that only this call can use it. */
export function openHold({ ledger }: HeldDeps, claim: PaymentClaim): Along<HoldRow> {
	return async (tx, { row }) => {
		const { quote, graphIds } = claim.request;
		const hold = await ledger.authorise(tx, {
			from: custAccount(row.owner),
			owner: row.owner,
			rail: row.rail,
			amountMicros: row.amountMicros,
			operationId: row.operationId,
			billingType: quote.billingType,
			idempotencyId: undefined,
			graphIds,
			paymentId: row.id,
		});
		return { value: hold, change: { holdId: hold.id } };
	};
}

function captureAtOnce({ clock, ids }: HeldDeps, claim: PaymentClaim): Along<ReceiptRow> {
	return async (tx, booked) => {
		const now = clock.now();
		const id = ids.next("rcpt");
		const transactionId = await bookCapture(tx, booked, { receiptId: id, ids, now });
		const facts = { booked, id, holdId: booked.row.id, transactionId, now };
		const receipt = await writeReceipt(tx, claim, facts);
		return { value: receipt, change: { state: "captured", receiptId: id } };
	};
}

function captureHeld(
	{ ledger, clock }: HeldDeps,
	claim: PaymentClaim,
	hold: HoldRow,
): Along<ReceiptRow> {
	return async (tx, booked) => {
		const transactionId = await ledger.capture(tx, hold, hold.amountMicros);
		const facts = {
			booked,
			id: siblingId(hold.id, "rcpt"),
			holdId: hold.id,
			transactionId,
			now: clock.now(),
		};
		const receipt = await writeReceipt(tx, claim, facts);
		return { value: receipt, change: { state: "captured", receiptId: receipt.id } };
	};
}

function creditHeld(
	{ ledger, issueCredit }: HeldDeps,
	{ hold, reason }: { hold: HoldRow; reason: ReleaseReason },
): Along<Credit> {
	return async (tx, booked) => {
		await ledger.release(tx, hold, reason);
		const credit = await creditSettled(issueCredit)(tx, booked);
		return { ...credit, change: { ...credit.change, reason } };
	};
}

/** Settled money that bought nothing becomes a token of the wallet that paid it. */
export function creditSettled(issueCredit: SptIssuer["issueFrom"]): Along<Credit> {
	return async (tx, { row }) => {
		const { owner, amountMicros } = row;
		const { id, token } = await issueCredit(tx, custAccount(owner), {
			amountMicros,
			owner,
			origin: "credit",
			label: `credit for ${row.id}`,
		});
		return {
			value: { id, token, amountMicros },
			change: { state: "credited", tokenId: id },
		};
	};
}

/** The whole answer left: from now on a copy of the payment buys nothing. */
function markDelivered({ store, clock, watch }: HeldDeps, id: string, claimId = id): void {
	const marked = store.transaction(
		(tx) => changePayment(tx, { id, from: ["captured"], now: clock.now() }, { isDelivered: true }),
		{ durability: "deferred" },
	);
	void marked.catch(() => undefined).finally(() => watch.end(claimId));
}

export function toCharged(claim: PaymentClaim, receipt: ReceiptRow): Charged {
	const { settlement: facts, amountMicros, at } = receipt;
	if (!facts) return { receipt };
	const settlement = {
		network: facts.network,
		transaction: facts.transactionHash,
		payer: facts.payer,
		payment_id: facts.paymentId,
	};
	return { receipt, settlement, headers: receiptHeaders(claim, { settlement, amountMicros, at }) };
}

export function receiptHeaders(
	{ envelope, request }: PaymentClaim,
	settled: { settlement: SettlementWire; amountMicros: bigint; at: number },
): Readonly<Record<string, string>> {
	return envelope.receiptHeaders(request.payment, { kind: "settled", ...settled });
}
