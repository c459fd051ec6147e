import { z } from "zod";
import {
	digitsField,
	LIMITS,
	ownerOperation,
	replyComponent,
	replyList,
	requestComponent,
	type Services,
	usdField,
} from "../contract/contract.js";

const RECEIPT_ID = "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c";
const REFUND_ID = "rfd_01kg9yz3v0f6x2m8q4t7w1ab2c";
const REASON_CHARS = 500;

const REQUESTED = {
	refund_id: REFUND_ID,
	receipt_id: RECEIPT_ID,
	state: "requested",
	amount_usd: null,
	destination: null,
	transaction: null,
	created_at: "2026-01-31T12:05:00.000Z",
	decided_at: null,
	paid_at: null,
};
const PAID = {
	...REQUESTED,
	state: "paid",
	amount_usd: "0.50",
	decided_at: "2026-01-31T12:10:00.000Z",
	paid_at: "2026-01-31T12:10:00.000Z",
};

const timeField = z.iso.datetime().describe("ISO 8601, UTC");
const idField = (what: string) => z.string().min(1).max(80).describe(what);

const receiptItemSchema = replyComponent(
	"ReceiptItem",
	z.object({
		receipt_id: z.string(),
		at: timeField,
		operation: z.string(),
		billing_type: z.string(),
		rail: z.string(),
		request_hash: z.string().describe("sha256 of operation and canonical input, in base64url"),
		graph_ids: z.array(z.string()),
		key_id: z.string().nullable(),
		amount_usd: usdField,
		refunded_usd: usdField.describe("What of it went back since"),
		balance_after_usd: usdField,
	}),
);

const refundStateSchema = replyComponent(
	"RefundState",
	z.object({
		refund_id: z.string(),
		receipt_id: z.string().nullable().describe("Null for the rest of a token"),
		state: z
			.enum(["requested", "declined", "pending", "paying", "paid"])
			.describe(
				"requested waits for the operator; pending and paying are on their way to a wallet; paid is on the balance or in the wallet",
			),
		amount_usd: usdField.nullable().describe("Null until it is granted"),
		destination: z.string().nullable().describe("CAIP-10 account; null for a balance here"),
		transaction: z.string().nullable(),
		created_at: timeField,
		decided_at: timeField.nullable(),
		paid_at: timeField.nullable(),
	}),
);

const refundAskSchema = requestComponent(
	"RefundAsk",
	z.strictObject({
		receipt_id: idField("Receipt (rcpt_…) of the call whose answer did not arrive"),
		reason: z
			.string()
			.trim()
			.min(1, "must say something, or be left out")
			.max(REASON_CHARS)
			.optional()
			.describe("For the operator who decides; kept as long as queries are"),
		idempotency_key: z
			.string()
			.min(1)
			.max(LIMITS.idempotencyKeyChars)
			.optional()
			.describe(
				"Idempotency-Key of the call, or its A2A message id: a wallet shows by it that it paid",
			),
	}),
);

export const receiptsList = ownerOperation({
	id: "receipts.list",
	at: "GET /v1/receipts",
	summary: "Receipts of a payer",
	description:
		"Receipts of the token or account behind the credential, newest first, each with what of it was refunded; GET /v1/receipts/{receipt_id} has the signature. One question reads a bounded part of the books: a page may be short, or empty, and the list is at its end only when next_cursor is null. A wallet that pays each call by itself has no session, and reads its receipts by their ids.",
	callsPerMinute: LIMITS.sptLedgerReadsPerMinute,
	query: z.strictObject({
		limit: digitsField(LIMITS.accountCallsMax)
			.default(LIMITS.accountCallsDefault)
			.describe("Number of receipts wanted"),
		cursor: z.string().min(1).max(200).optional().describe("next_cursor of the page before"),
	}),
	isList: true,
	data: replyList("ReceiptList", receiptItemSchema),
	answer: ({ paymentRecords }: Services, { caller, query, signal }) =>
		paymentRecords.receipts(caller, query, signal),
	example: { query: { limit: "20" } },
});

export const refundsAsk = ownerOperation({
	id: "refunds.ask",
	at: "POST /v1/refunds",
	summary: "Ask for a refund",
	description: `Asks back the price of a call whose answer did not arrive, up to ${LIMITS.refundAskDays} days after it, by the credential that paid; what a wallet paid by itself is asked back by the Idempotency-Key it was sent with. It is granted at once, on a balance before anyone asks, where the connection closed before a byte of the answer was written, the call was not sent again, and nothing of it stays here: no task, kept result, session or schedule. Everything else waits for the operator's decision. Once granted, the answer can not be had by its retry key any more. The money goes back to the balance or wallet that paid. Asked again it is the same request. An answer of which a part was lost on the way can also be had again, for free, by the same call with its Idempotency-Key.`,
	opensById: true,
	callsPerMinute: LIMITS.refundAsksPerMinute,
	body: refundAskSchema,
	status: 202,
	data: refundStateSchema,
	answer: ({ paymentRecords }: Services, { caller, body }) =>
		paymentRecords.askRefund(caller, body),
	example: {
		body: { receipt_id: RECEIPT_ID, reason: "The connection broke before the answer came." },
		data: REQUESTED,
	},
});

export const refundsGet = ownerOperation({
	id: "refunds.get",
	at: "GET /v1/refunds/{refund_id}",
	summary: "State of a refund",
	description:
		"What became of a refund that was asked for, or that a token or the operator gave. One that goes to a wallet opens by its id alone.",
	opensById: true,
	callsPerMinute: LIMITS.receiptReadsPerMinute,
	params: z.strictObject({ refund_id: idField("Id of a refund (rfd_…)") }),
	data: refundStateSchema,
	answer: ({ paymentRecords }: Services, { caller, params }) =>
		paymentRecords.refund(caller, params.refund_id),
	example: { params: { refund_id: REFUND_ID }, data: PAID },
});
