import { generateKeyPairSync } from "node:crypto";
import { createQuoteSeal } from "../../payments/price-list.js";
import { toKeySet } from "../../src/accounts/key-folder.js";
import { ServiceError } from "../../src/kernel/errors.js";
import {
	createPaymentOperations,
	type PaymentOperations,
} from "../../src/sales/payment-operations.js";
import type { PaymentServices } from "../../src/sales/payment-services.js";
import type { ReceiptRow } from "../../store/rows/call-rows.js";
import type { PaymentRow } from "../../store/rows/payment-rows.js";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const RECEIPT_JWK = { ...privateKey.export({ format: "jwk" }), kid: "receipt-key-1" };

export const TEST_PEPPER = new Uint8Array(32).fill(5);

/** The real payment operations, without a chain and without anybody known to the door. */
export function createTestPayments(
	deps: Pick<PaymentServices, "info" | "clock" | "catalog" | "prices" | "skills" | "store">,
): PaymentOperations {
	return createPaymentOperations({
		...deps,
		rails: ["spt", "plan"],
		environment: "test",
		terms: undefined,
		seal: createQuoteSeal(TEST_PEPPER),
		offersOf: () => [],
		identify: async () => {
			throw new ServiceError("UNAUTHENTICATED", "Nobody is known here.");
		},
		signingKeys: () => [RECEIPT_JWK],
		keySet: () => toKeySet([RECEIPT_JWK]),
	});
}

const PAYER = `0x${"ab".repeat(20)}`;
const SETTLEMENT = {
	network: "eip155:84532",
	transactionHash: `0x${"4f".repeat(32)}`,
	payer: PAYER,
	paymentId: "pay_5d1c0a9be2f34c7786d0aa15f3b9e210",
};

/** The receipt of a call that a wallet paid for. */
export const WALLET_RECEIPT: ReceiptRow = {
	id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
	holdId: "hold_01kg9yz3v0f6x2m8q4t7w1ab2c",
	transactionId: "txn_01kg9yz3v0f6x2m8q4t7w1ab2d",
	owner: `eip155:84532:${PAYER}`,
	rail: "x402",
	operationId: "graphs.search",
	billingType: "per_call",
	amountMicros: 500_000n,
	balanceAfterMicros: 0n,
	fingerprint: "aWqmYnmKXJfQ0qMPl3kWoyUBpZMTJwPVlGSkIu1pfE8",
	at: Date.parse("2026-01-31T12:00:00.000Z"),
	graphIds: ["web-payments"],
	settlement: SETTLEMENT,
};

/** Its payment. */
export const CAPTURED_PAYMENT: PaymentRow = {
	id: SETTLEMENT.paymentId,
	state: "captured",
	rail: "x402",
	network: SETTLEMENT.network,
	asset: `0x${"cd".repeat(20)}`,
	payer: PAYER,
	nonce: `0x${"01".repeat(32)}`,
	payTo: `0x${"ef".repeat(20)}`,
	validAfter: 0,
	validBefore: 1_769_860_800,
	amountMicros: WALLET_RECEIPT.amountMicros,
	owner: WALLET_RECEIPT.owner,
	fingerprint: WALLET_RECEIPT.fingerprint,
	authorizationHash: "c0ffee",
	operationId: WALLET_RECEIPT.operationId,
	billingType: WALLET_RECEIPT.billingType,
	graphIds: ["web-payments"],
	transactionHash: SETTLEMENT.transactionHash,
	receiptId: WALLET_RECEIPT.id,
	createdAt: WALLET_RECEIPT.at,
	updatedAt: WALLET_RECEIPT.at,
	expiresAt: WALLET_RECEIPT.at + 86_400_000,
};
