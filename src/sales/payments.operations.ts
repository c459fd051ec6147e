import { z } from "zod";
import { dataOperation, LIMITS, type Services } from "../contract/contract.js";
import {
	paymentMethodsSchema,
	paymentStateSchema,
	quoteRequestSchema,
	quoteSchema,
	receiptCheckRequestSchema,
	receiptReplySchema,
} from "./payment-wire.js";
import { receiptVerdictSchema, type SignedReceipt } from "./signed-receipts.js";

/** A quote as it would be read back. */
const EXAMPLE_QUOTE = {
	quote_id: "qte_eyJvIjoic2VhcmNoLmRvbWFpbiJ9.c2lnbmF0dXJlc2lnbmF0dQ",
	status: "valid",
	operation: "search.domain",
	amount_usd: "0.50",
	billing_type: "per_call",
	request_hash: "aWqmYnmKXJfQ0qMPl3kWoyUBpZMTJwPVlGSkIu1pfE8",
	expires_at: "2026-01-31T12:10:00.000Z",
	resource: { method: "POST", url: "https://api.example.org/v1/search/domain" },
	pay: [{ type: "spt", instructions: "Send a Shared Payment Token in the header X-Pay-SPT." }],
} as const;

/** What a receipt of a call paid by token says. */
const EXAMPLE_RECEIPT: SignedReceipt = {
	iss: "https://api.example.org",
	environment: "live",
	receipt_id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
	operation: "graphs.search",
	billing_type: "per_call",
	amount_usd: "0.50",
	rail: "spt",
	request_hash: "aWqmYnmKXJfQ0qMPl3kWoyUBpZMTJwPVlGSkIu1pfE8",
	graph_ids: ["agent-payments"],
	at: "2026-01-31T12:00:00.000Z",
	payer: "tok_01kg9yz3v0f6x2m8q4t7w1ab2c",
	settlement: null,
};

const idField = (what: string) => z.string().min(1).max(1_100).describe(what);

/** Prices before paying, proofs after it. Spec: Authentication; all of it is additive to the contract. */
export const quotesCreate = dataOperation({
	id: "quotes.create",
	at: "POST /v1/quotes",
	summary: "Quote one concrete call",
	description:
		"The exact price of the call as it would be sent, promised until it expires: send the quote's id as X-Quote-Id with that very call. Nothing is stored and nothing is charged.",
	body: quoteRequestSchema,
	data: quoteSchema,
	answer: ({ payments }: Pick<Services, "payments">, { body }) => payments.quotes.create(body),
	example: {
		body: {
			operation: "search.domain",
			input: { query: "Which HTTP status code asks for payment?", limit: 3 },
		},
		data: EXAMPLE_QUOTE,
	},
});

export const quotesGet = dataOperation({
	id: "quotes.get",
	at: "GET /v1/quotes/{quote_id}",
	summary: "Read a quote",
	description: "The terms of a quote by its id, expired or not.",
	params: z.strictObject({ quote_id: idField("Id of a quote (qte_…)") }),
	data: quoteSchema,
	answer: ({ payments }: Pick<Services, "payments">, { params }) =>
		payments.quotes.get(params.quote_id),
	example: { params: { quote_id: EXAMPLE_QUOTE.quote_id }, data: EXAMPLE_QUOTE },
});

export const receiptsGet = dataOperation({
	id: "receipts.get",
	at: "GET /v1/receipts/{receipt_id}",
	summary: "Read a signed receipt",
	description:
		"The receipt of a charged call and its signature. Show the token or key that paid; a receipt paid by a wallet is read by its id alone, which nobody can guess.",
	params: z.strictObject({ receipt_id: idField("Id of a receipt (rcpt_…)") }),
	freshness: "secret",
	callsPerMinute: LIMITS.receiptReadsPerMinute,
	data: receiptReplySchema,
	answer: ({ payments }: Pick<Services, "payments">, { params, headers }) =>
		payments.receipts.get(params.receipt_id, headers),
	example: {
		params: { receipt_id: EXAMPLE_RECEIPT.receipt_id },
		data: { receipt: EXAMPLE_RECEIPT, jws: "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIifQ.c2lnbmF0dXJl" },
	},
});

export const receiptsVerify = dataOperation({
	id: "receipts.verify",
	at: "POST /v1/receipts/verify",
	summary: "Check a receipt's signature",
	description:
		"Says whether a signed receipt is this service's and unchanged. The same can be done offline with the keys of /.well-known/jwks.json.",
	body: receiptCheckRequestSchema,
	callsPerMinute: LIMITS.receiptReadsPerMinute,
	data: receiptVerdictSchema,
	answer: ({ payments }: Pick<Services, "payments">, { body }) =>
		payments.receipts.verify(body.jws),
	example: {
		body: { jws: "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIifQ.c2lnbmF0dXJl" },
		data: { valid: true, receipt: EXAMPLE_RECEIPT, reason: null },
	},
});

export const paymentsMethods = dataOperation({
	id: "payments.methods",
	at: "GET /v1/payments/methods",
	summary: "Ways to pay",
	description:
		"Every configured rail with its headers, networks, assets, recipient and limits, and how to get started on it.",
	freshness: "catalog",
	data: paymentMethodsSchema,
	answer: ({ payments }: Pick<Services, "payments">) => payments.methods(),
	example: {
		data: {
			currency: "USD",
			environment: "test",
			items: [
				{
					rail: "spt",
					title: "Shared Payment Token: a prepaid bearer balance",
					request_headers: ["X-Pay-SPT", "Authorization: Bearer"],
					how_to_start: "The operator issues tokens.",
					limits: { balance_usd_max: "10000.00" },
				},
			],
		},
	},
});

export const paymentsGet = dataOperation({
	id: "payments.get",
	at: "GET /v1/payments/{payment_id}",
	summary: "State of a payment",
	description:
		"Where one payment on a chain stands: for a caller whose reply was lost, or who was told that its outcome is unknown.",
	params: z.strictObject({ payment_id: idField("Id of a payment (pay_…), as replies tell it") }),
	query: z.strictObject({
		request_hash: z
			.string()
			.max(64)
			.optional()
			.describe("Hash of the request that was paid for, as quotes tell it; names the receipt"),
	}),
	freshness: "secret",
	callsPerMinute: LIMITS.receiptReadsPerMinute,
	data: paymentStateSchema,
	answer: ({ payments }: Pick<Services, "payments">, { params, query }) =>
		payments.paymentState(params.payment_id, query.request_hash),
	example: {
		params: { payment_id: "pay_5d1c0a9be2f34c7786d0aa15f3b9e210" },
		query: { request_hash: EXAMPLE_RECEIPT.request_hash },
		data: {
			payment_id: "pay_5d1c0a9be2f34c7786d0aa15f3b9e210",
			state: "captured",
			network: "eip155:84532",
			transaction: `0x${"4f".repeat(32)}`,
			receipt_id: EXAMPLE_RECEIPT.receipt_id,
			token_id: null,
			reason: null,
			updated_at: "2026-01-31T12:00:00.000Z",
		},
	},
});
