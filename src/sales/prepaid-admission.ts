import type { PrepaidCharge, PrepaidUse } from "../../payments/mpp/mpp.js";
import type { PricedAdmission, Quote } from "../../payments/payments.js";
import type { Call, Credential } from "../contract/contract.js";

/** The challenge a token was sent with; undefined for one sent as it is. Throws PAYMENT_REJECTED. */
export function openPrepaid(
	prepaid: PrepaidCharge | undefined,
	credential: Credential | undefined,
	quote: Quote,
): PrepaidUse | undefined {
	if (credential?.scheme !== "spt" || !credential.challenge) return undefined;
	return prepaid?.open(credential.challenge, quote);
}

/** A balance used through the "Payment" scheme: held and captured as ever, once for each challenge, with its receipt. */
export async function admitPrepaid<C extends Pick<Call, "idempotencyKey">>(
	use: PrepaidUse,
	call: C,
	admit: (call: C) => Promise<PricedAdmission>,
): Promise<PricedAdmission> {
	const idempotencyKey = call.idempotencyKey ?? use.idempotencyKey;
	const admission = await admit({ ...call, idempotencyKey }).catch((error: unknown) => {
		throw use.refuse(error);
	});
	// Nothing was taken yet: its receipt comes with the job's end.
	if (admission.kind === "launched") return admission;
	if (admission.kind === "replayed") {
		return { ...admission, headers: use.receiptHeaders(admission.receipt) };
	}
	return {
		...admission,
		async capture(part) {
			const charged = await admission.capture(part);
			return { ...charged, headers: use.receiptHeaders(charged.receipt) };
		},
	};
}
