import type {
	SettlementTerms,
	TransferAuthorization,
} from "../../../payments/onchain/facilitator.js";
import type { PaymentEnvelope } from "../../../payments/onchain/payment-claim.js";
import { createX402Envelope } from "../../../payments/x402/x402.js";
import type { PaymentRow } from "../../../store/rows/payment-rows.js";
import type { OnchainProcess } from "./start-onchain.js";

/** An envelope whose receipts hold all that is reported of a payment. */
export function reportingEnvelope(
	terms: SettlementTerms,
	rail: PaymentEnvelope["rail"] = "x402",
): PaymentEnvelope {
	const asText = (_name: string, value: unknown) =>
		typeof value === "bigint" ? `${value}` : value;
	return {
		...createX402Envelope(terms),
		rail,
		receiptHeaders: (_payment, report) => ({ Report: JSON.stringify(report, asText) }),
	};
}

export function reportIn(headers: Readonly<Record<string, string>> | undefined): unknown {
	return headers && JSON.parse(headers["Report"] ?? "null");
}

/** Members that are undefined are as good as none. */
export const plain = (row: object | undefined) =>
	row && Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

/** Writes the row of a payment as something else left it. */
export async function changeRow(
	{ row, store }: OnchainProcess,
	authorization: TransferAuthorization,
	changes: Partial<PaymentRow>,
): Promise<PaymentRow> {
	const found = await row(authorization);
	if (!found) throw new Error("The payment has no row.");
	const changed = { ...found, ...changes };
	await store.transaction((tx) => tx.put("payments", changed));
	return changed;
}
