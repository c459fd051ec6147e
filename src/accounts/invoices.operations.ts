import { z } from "zod";
import {
	LIMITS,
	ownerOperation,
	replyComponent,
	replyList,
	type Services,
	usdField,
} from "../contract/contract.js";
import { ACCOUNT_BASE, ACCOUNT_ID, accessOf } from "./account-owner.js";
import { INVOICE_FORMATS } from "./invoice-wire.js";

const INVOICE_ID = "inv_01kg9yz3v0f6x2m8q4t7w1ab2c";

const signedUsd = z
	.string()
	.regex(/^-?\d+\.\d{2,6}$/)
	.describe("USD; below zero where more went back than was charged");

const partySchema = z
	.object({
		name: z.string(),
		address: z.string(),
		country: z.string().nullable().describe("ISO 3166-1 alpha-2"),
		vat_id: z.string().nullable(),
	})
	.nullable();

const invoiceItem = {
	invoice_id: z.string(),
	number: z.string().describe("Over all accounts, without gaps"),
	kind: z.enum(["invoice", "credit_note"]),
	month: z.string().describe("UTC month, e.g. 2026-03"),
	issued_at: z.iso.datetime(),
	currency: z.literal("USD"),
	total_usd: signedUsd.describe("VAT included; below zero for a credit note"),
	due_usd: usdField.describe("0.00: everything was paid from the balance"),
};

const invoiceSchema = replyComponent(
	"Invoice",
	z.object({
		...invoiceItem,
		seller: partySchema,
		customer: partySchema.describe("As the account said when it was issued: PATCH /v1/account"),
		account_id: z.string(),
		lines: z.array(z.object({ operation: z.string(), calls: z.int(), amount_usd: usdField })),
		credits: z.array(
			z.object({
				refund_id: z.string(),
				receipt_id: z.string(),
				at: z.iso.datetime(),
				amount_usd: signedUsd.describe("Below zero"),
				vat_percent: z.string().describe("As the invoice of its call has it"),
			}),
		),
		net_usd: signedUsd,
		vat_percent: z.string().nullable().describe("Null where it has several rates"),
		vat_usd: signedUsd,
		vat_rates: z.array(
			z.object({ vat_percent: z.string(), net_usd: signedUsd, vat_usd: signedUsd }),
		),
		reverse_charge: z.boolean(),
		note: z.string().nullable().describe("What the law wants to be said, e.g. of reverse charge"),
	}),
);

const params = z.strictObject({
	invoice_id: z.string().min(1).max(80).describe("Id of an invoice (inv_…)"),
});

const EXAMPLE_ITEM = {
	invoice_id: INVOICE_ID,
	number: "INV-000001",
	kind: "invoice",
	month: "2026-03",
	issued_at: "2026-04-02T08:00:00.000Z",
	currency: "USD",
	total_usd: "11.90",
	due_usd: "0.00",
} as const;

const EXAMPLE_INVOICE = {
	...EXAMPLE_ITEM,
	seller: {
		name: "Example Ltd",
		address: "1 Example Street",
		country: "DE",
		vat_id: "DE123456789",
	},
	customer: null,
	account_id: ACCOUNT_ID,
	lines: [{ operation: "graphs.search", calls: 24, amount_usd: "12.00" }],
	credits: [
		{
			refund_id: "rfd_01kg9yz3v0f6x2m8q4t7w1ab2c",
			receipt_id: "rcpt_01kg9yz3v0f6x2m8q4t7w1ab2c",
			at: "2026-03-12T09:00:00.000Z",
			amount_usd: "-0.10",
			vat_percent: "19",
		},
	],
	net_usd: "10.00",
	vat_percent: "19",
	vat_usd: "1.90",
	vat_rates: [{ vat_percent: "19", net_usd: "10.00", vat_usd: "1.90" }],
	reverse_charge: false,
	note: null,
} as const;

/** What the owner of an account files. */
export const accountInvoices = ownerOperation({
	id: "account.invoices.list",
	at: "GET /v1/account/invoices",
	...ACCOUNT_BASE,
	summary: "Invoices of the account",
	description:
		"One for each UTC month with charges or refunds, issued when it is first asked for after the month's end, newest first. What went back is a credit of the month in which it did. Everything was paid from the balance, so nothing is due.",
	callsPerMinute: LIMITS.sptLedgerReadsPerMinute,
	isList: true,
	data: replyList("InvoiceList", replyComponent("InvoiceItem", z.object(invoiceItem))),
	answer: ({ accountInvoices: list }: Services, request) => list(accessOf(request), request.signal),
	example: { data: { items: [EXAMPLE_ITEM] } },
});

export const accountInvoice = ownerOperation({
	id: "account.invoices.get",
	at: "GET /v1/account/invoices/{invoice_id}",
	...ACCOUNT_BASE,
	summary: "One invoice",
	description:
		"Its lines by operation, its credits by refund, VAT within its total by rate, where what went back has that of the invoice that charged it, and the note on reverse charge where its customer is a business of another country.",
	callsPerMinute: LIMITS.accountReadsPerMinute,
	params,
	data: invoiceSchema,
	answer: ({ accountInvoice: get }: Services, request) =>
		get(accessOf(request), request.params.invoice_id),
	example: { params: { invoice_id: INVOICE_ID }, data: EXAMPLE_INVOICE },
});

export const accountInvoiceExport = ownerOperation({
	id: "account.invoices.export",
	at: "GET /v1/account/invoices/{invoice_id}/export",
	...ACCOUNT_BASE,
	summary: "An invoice as a file",
	description: "PDF, CSV or JSON.",
	callsPerMinute: LIMITS.accountReadsPerMinute,
	params,
	query: z.strictObject({
		format: z
			.enum(INVOICE_FORMATS, `must be one of ${INVOICE_FORMATS.join(", ")}`)
			.default("pdf")
			.describe("Format of the file"),
	}),
	sends: { kind: "document", mediaTypes: ["application/pdf", "text/csv", "application/json"] },
	data: z.string().describe("The file"),
	answer: ({ accountInvoiceFile }: Services, request) =>
		accountInvoiceFile(accessOf(request), request.params.invoice_id, request.query.format),
	example: {
		params: { invoice_id: INVOICE_ID },
		query: { format: "csv" },
		data: "position,reference,calls,amount_usd\ngraphs.search,,24,12.00\n",
	},
});
