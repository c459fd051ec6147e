import type { HoldRow, PaymentRow } from "../../store/store.js";
import type { HeldAdmission, Released } from "../payments.js";
import { markDelivered, receiptHeaders, toCharged } from "./delivery.js";
import type { OnchainContext } from "./onchain-context.js";
import type { PaymentClaim } from "./payment-claim.js";
import { rejectedPayment, settlementUnknown } from "./payment-errors.js";
import { captureAtOnce, captureHeld, creditHeld } from "./settled-money.js";
import { changePayment, toSettlement } from "./settlement-book.js";
import type { Settling } from "./settler.js";

/** What a reserved payment may become: captured, credited, or never sent. */

/** Verified, and sent only once there is an answer: nothing to give back before. */
export function holdUnsent(context: OnchainContext, claim: PaymentClaim): HeldAdmission {
	const { settler, watch } = context;
	const { payer, id, request } = claim;
	return {
		kind: "held",
		id,
		payer,
		quote: request.quote,
		async capture() {
			try {
				const receipt = await insist(
					context,
					claim,
					settler.settle(id, captureAtOnce(context, claim)),
				);
				watch.linger(id);
				return toCharged(claim, receipt);
			} catch (error) {
				watch.end(id);
				throw error;
			}
		},
		async release(reason) {
			await letGo(context, claim, reason);
			return { balanceMicros: undefined };
		},
		delivered: () => markDelivered(context, id),
		abandoned: () => watch.end(id),
	};
}

/** Its money is here, under a hold: captured for an answer, else a token of the payer's. */
export function holdSettled(
	context: OnchainContext,
	claim: PaymentClaim,
	{ row, hold, isProven }: { row: PaymentRow; hold: HoldRow; isProven: boolean },
): HeldAdmission {
	const { watch, settler } = context;
	const settlement = toSettlement(row);
	return {
		kind: "held",
		id: hold.id,
		payer: claim.payer,
		quote: claim.request.quote,
		async capture() {
			try {
				const { value } = await settler.spend(row.id, captureHeld(context, claim, hold));
				watch.linger(row.id);
				return toCharged(claim, value);
			} catch (error) {
				watch.end(row.id);
				throw error;
			}
		},
		async release(reason): Promise<Released> {
			const credit = await settler
				.spend(row.id, creditHeld(context, { hold, reason }))
				.then(({ value }) => value)
				// What cannot be credited now goes back to "settled" with its hold, and is credited later.
				.catch(() => undefined);
			watch.end(row.id);
			const facts = { settlement, amountMicros: row.amountMicros, at: row.updatedAt };
			// Only a missing answer is told with a success, and the "Payment" scheme has no receipts on errors.
			const hasReceipt = reason === "no_answer" || claim.envelope.rail !== "mpp";
			return {
				balanceMicros: undefined,
				settlement,
				...(hasReceipt && { headers: receiptHeaders(claim, facts) }),
				// Whoever copied the payment from the chain must not get its money.
				...(credit && isProven && { credit }),
			};
		},
		delivered: () => markDelivered(context, row.id),
		abandoned: () => watch.end(row.id),
	};
}

/** The settled value, or the refusal that its payer is told. */
export async function insist<T>(
	{ offers }: Pick<OnchainContext, "offers">,
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
	{ store, clock, watch }: OnchainContext,
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
