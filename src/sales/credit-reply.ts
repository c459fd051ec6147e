import type { Credit, Released } from "../../payments/payments.js";
import type { CostWire, CreditWire } from "../contract/contract.js";
import { toServiceError } from "../http/http.js";
import { formatUsd, ServiceError } from "../kernel/kernel.js";

/** Decision D8: money that settled before the work failed is a token of the payer's now. */
function toCreditWire({ token, id, amountMicros }: Credit): CreditWire {
	return {
		token,
		id,
		balance_usd: formatUsd(amountMicros),
		instructions:
			"The payment had settled before the work ended without an answer. This Shared Payment Token holds all of it; keep it, it is shown once.",
	};
}

/** The cost of a call without an answer, with what its payer got back. */
export function withCredit(cost: CostWire, credit: Credit | undefined): CostWire {
	return credit ? { ...cost, credit: toCreditWire(credit) } : cost;
}

/** The failure, saying what became of the money. */
export function toCreditReply(error: unknown, { credit, headers }: Released): ServiceError {
	const failure = toServiceError(error);
	if (!credit) return failure;
	return new ServiceError(
		failure.code,
		`${failure.message} The ${formatUsd(credit.amountMicros)} USD that had settled are credited to the Shared Payment Token in "credit".`,
		{
			cause: error,
			retryable: failure.retryable,
			reply: { body: { credit: toCreditWire(credit) }, ...(headers && { headers }) },
		},
	);
}
