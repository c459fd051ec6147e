import {
	type Charged,
	costOf,
	type HeldAdmission,
	noCost,
	type Released,
} from "../../payments/payments.js";
import type { Call, CallResult, CostWire, ReleaseReason } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";
import { answeredPart } from "./call-price.js";
import { toCreditReply, withCredit } from "./credit-reply.js";
import type { OpenedCall } from "./open-call.js";

/** Cost and receipts of a call, however it ended. */
export type Settled = { readonly cost: CostWire } & Pick<
	CallResult,
	"settlement" | "paymentHeaders" | "onDelivered" | "onAbandoned"
>;

/** What became of the work, as far as money is concerned. */
export interface Delivered {
	readonly isAnswer: boolean;
	/** Places of the units that had an answer; all of them where absent. */
	readonly answered?: readonly number[] | undefined;
}

/** An answer is captured, a missing one is released, a replay was paid before. */
export async function settleCall(
	{ admission, payer, skill, input }: OpenedCall,
	{ isAnswer, answered }: Delivered,
): Promise<Settled> {
	if (admission.kind === "free") {
		const { billingType } = admission.quote;
		const rail = payer?.rail ?? "free";
		return { cost: noCost({ billingType, rail, balanceMicros: undefined }) };
	}
	if (admission.kind === "replayed") return toSettled(admission, admission, { replayed: true });
	if (isAnswer) {
		const { amountMicros } = admission.quote;
		const part = answeredPart(amountMicros, skill, { input, answered });
		return toSettled(await admission.capture(part), admission);
	}
	const released = await admission.release("no_answer");
	const { quote, payer: holder } = admission;
	const cost = noCost({
		billingType: quote.billingType,
		rail: holder.rail,
		balanceMicros: released.balanceMicros,
	});
	return { cost: withCredit(cost, released.credit), ...receiptOf(released) };
}

/** What a replay may deliver: units that had no answer when the call was paid for have none now. */
export function paidPartOf({ admission, skill }: OpenedCall, output: unknown): unknown {
	const paid = admission.kind === "replayed" ? admission.receipt.paidUnits : undefined;
	return paid && skill.units?.keepOnly ? skill.units.keepOnly(output, paid) : output;
}

/** Gives the price back after a failure; money that had settled already becomes a credit, and the error says so. */
export async function refundFailed(
	admission: HeldAdmission,
	error: unknown,
	call: Call,
): Promise<unknown> {
	const released = await admission.release(reasonOf(error, call));
	return released.credit ? toCreditReply(error, released) : error;
}

function toSettled(
	charged: Charged,
	{ delivered, abandoned }: Pick<HeldAdmission, "delivered" | "abandoned">,
	options: { replayed?: boolean } = {},
): Settled {
	return {
		cost: costOf(charged.receipt, options),
		...receiptOf(charged),
		...(delivered && { onDelivered: delivered }),
		...(abandoned && { onAbandoned: abandoned }),
	};
}

function receiptOf({ settlement, headers }: Pick<Released, "settlement" | "headers">) {
	return { ...(settlement && { settlement }), ...(headers && { paymentHeaders: headers }) };
}

function reasonOf(error: unknown, call: Call): ReleaseReason {
	if (!call.signal.aborted) return "failed";
	return error instanceof ServiceError ? "timeout" : "client_gone";
}
