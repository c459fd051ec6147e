import { sptOrderSchema, sptPurchaseSchema, sptTopUpSchema } from "../accounts/accounts.js";
import { LIMITS, purchaseOperation, type Services } from "../contract/contract.js";
import { formatUsd } from "../kernel/kernel.js";

const callsPerMinute = LIMITS.sptChangesPerMinute;

const PRICE_NOTE = `The price is amount_usd, at least ${formatUsd(LIMITS.sptMinMicros)}: without a payment the answer is 402 with the ways to pay it on the chain.`;

const bought = {
	id: "tok_01kg9yz3v0f6x2m8q4t7w1ab2c",
	balance_usd: "5.00",
	environment: "test",
	receipt: {
		receipt_id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
		network: "eip155:84532",
		transaction: `0x${"5e".repeat(32)}`,
		payer: `0x${"a1".repeat(20)}`,
		payment_id: "x402_9f1c5b",
	},
} as const;

/** Balance for money that settles on a chain. */
export const sptPurchase = purchaseOperation({
	id: "spt.purchase",
	at: "POST /v1/spt",
	summary: "Buy a Shared Payment Token",
	description: `One payment on the chain buys a token that pays for many calls without it; it belongs to the paying wallet. ${PRICE_NOTE} A reply that was lost loses no money: buy again with "recover": true.`,
	callsPerMinute,
	body: sptOrderSchema,
	status: 201,
	data: sptPurchaseSchema,
	answer: ({ purchases }: Pick<Services, "purchases">, { body, ...call }) =>
		purchases.buySpt(call, body),
	example: {
		body: { amount_usd: "5.00", label: "research crew", max_per_call_usd: "1.00" },
		data: {
			token: "spt_test_0123456789abcdefghijklmnopqrstuvwxyz",
			...bought,
			recovered_usd: "0.00",
		},
	},
});

export const sptTopUp = purchaseOperation({
	id: "spt.top_up",
	at: "POST /v1/spt/top-up",
	summary: "Top up a Shared Payment Token",
	description: `Adds balance to the token in the X-Pay-SPT header, paid on the chain by any wallet. ${PRICE_NOTE}`,
	callsPerMinute,
	scheme: "spt",
	body: sptTopUpSchema,
	data: sptPurchaseSchema,
	answer: ({ purchases }: Pick<Services, "purchases">, { body, ...call }) =>
		purchases.topUpSpt(call, body),
	example: { body: { amount_usd: "5.00" }, data: bought },
});
