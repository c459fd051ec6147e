import type { InvoiceParty, InvoiceRow } from "../../store/store.js";
import { formatUsd, toIsoTime } from "../kernel/kernel.js";
import { vatByRate } from "./invoice-vat.js";

/** An invoice as its account reads it. */

export const INVOICE_FORMATS = ["pdf", "csv", "json"] as const;
export type InvoiceFormat = (typeof INVOICE_FORMATS)[number];

const NUMBER_DIGITS = 6;

function numberOf({ number }: Pick<InvoiceRow, "number">): string {
	return `INV-${String(number).padStart(NUMBER_DIGITS, "0")}`;
}

export function toInvoiceItem(row: InvoiceRow) {
	return {
		invoice_id: row.id,
		number: numberOf(row),
		kind: row.totalMicros < 0n ? ("credit_note" as const) : ("invoice" as const),
		month: row.month,
		issued_at: toIsoTime(row.issuedAt),
		currency: "USD",
		total_usd: formatUsd(row.totalMicros),
		/** Everything was paid from the balance when it was bought. */
		due_usd: formatUsd(0n),
	};
}

export type InvoiceWire = ReturnType<typeof toInvoiceWire>;

const REVERSE_CHARGE = "Reverse charge: VAT is accounted for by the recipient of the service.";

export function toInvoiceWire(row: InvoiceRow) {
	const vat = row.vatMicros;
	const rates = vatByRate(row);
	const [rate, ...others] = rates;
	return {
		...toInvoiceItem(row),
		seller: toPartyWire(row.seller),
		customer: toPartyWire(row.customer),
		account_id: row.accountId,
		lines: row.lines.map(({ operationId: operation, calls, amountMicros }) => ({
			...{ operation, calls },
			amount_usd: formatUsd(amountMicros),
		})),
		credits: row.credits.map(
			({ refundId: refund_id, receiptId: receipt_id, at, amountMicros, vatBasisPoints }) => ({
				...{ refund_id, receipt_id },
				at: toIsoTime(at),
				amount_usd: formatUsd(-amountMicros),
				vat_percent: toPercent(vatBasisPoints),
			}),
		),
		net_usd: formatUsd(row.totalMicros - vat),
		vat_percent: rate && others.length === 0 ? toPercent(rate.basisPoints) : null,
		vat_usd: formatUsd(vat),
		vat_rates: rates.map(({ basisPoints, grossMicros, vatMicros }) => ({
			vat_percent: toPercent(basisPoints),
			net_usd: formatUsd(grossMicros - vatMicros),
			vat_usd: formatUsd(vatMicros),
		})),
		reverse_charge: row.isReverseCharge,
		note: hasReverseCharge(row) ? REVERSE_CHARGE : null,
	};
}

function hasReverseCharge({ isReverseCharge, credits }: InvoiceRow): boolean {
	return isReverseCharge || credits.some((credit) => credit.isReverseCharge);
}

function toPercent(basisPoints: number): string {
	return String(basisPoints / 100);
}

function toPartyWire(party: InvoiceParty | null) {
	if (!party) return null;
	const { vatId, country, ...rest } = party;
	return { ...rest, country: country || null, vat_id: vatId || null };
}
