import { toIsoTime } from "../../src/kernel/kernel.js";

/** Proof of one successful payment, for the payer's records. */
export interface PaymentReceipt {
	/** Payment method: `evm`, or our prepaid one. */
	readonly method: string;
	/** Transaction hash, or the id of our receipt. */
	readonly reference: string;
	/** Id of the challenge that was answered. */
	readonly challengeId: string;
	/** Epoch milliseconds. */
	readonly at: number;
	readonly chainId?: number;
}

/** The `Payment-Receipt` header of a payment that succeeded; the scheme has none for failures. */
export function toReceiptHeaders({
	at,
	...receipt
}: PaymentReceipt): Readonly<Record<string, string>> {
	const wire = { ...receipt, status: "success", timestamp: toIsoTime(at) };
	return { "Payment-Receipt": Buffer.from(JSON.stringify(wire)).toString("base64url") };
}
