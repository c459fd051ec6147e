import type { InvoiceRow } from "../../store/store.js";
import type { ReportFile } from "../contract/contract.js";
import { toCsv } from "../kernel/kernel.js";
import type { InvoiceFormat, InvoiceWire } from "./invoice-wire.js";

/** An invoice as a file: for a reader, a spreadsheet or a program. */

export async function toInvoiceFile(
	row: InvoiceRow,
	invoice: InvoiceWire,
	format: InvoiceFormat,
): Promise<ReportFile> {
	const fileName = `${invoice.number}.${format}`;
	if (format === "json") {
		return {
			fileName,
			mediaType: "application/json",
			text: `${JSON.stringify(invoice, null, 2)}\n`,
		};
	}
	if (format === "csv") {
		const text = `${toCsv(tableOf(invoice)).join("\n")}\n`;
		return { fileName, mediaType: "text/csv; charset=utf-8", text };
	}
	const text = await toPdf(invoice, new Date(row.issuedAt));
	return { fileName, mediaType: "application/pdf", text };
}

/** What was charged, then what went back. */
function tableOf({ lines, credits, ...invoice }: InvoiceWire): string[][] {
	return [
		["position", "reference", "calls", "amount_usd"],
		...lines.map(({ operation, calls, amount_usd }) => [operation, "", String(calls), amount_usd]),
		...credits.map(({ refund_id, receipt_id, amount_usd }) => [
			`refund of ${receipt_id}`,
			refund_id,
			"",
			amount_usd,
		]),
		["net", "", "", invoice.net_usd],
		...invoice.vat_rates.map(({ vat_percent, vat_usd }) => [
			`VAT ${vat_percent} %`,
			"",
			"",
			vat_usd,
		]),
		["total", "", "", invoice.total_usd],
	];
}

const [LEFT, RIGHT, TOP, BOTTOM] = [56, 539, 56, 760];
const ROW_POINTS = 16;
const COLUMNS = [
	{ x: LEFT, width: 270, align: "left" },
	{ x: LEFT + 275, width: 60, align: "right" },
	{ x: LEFT + 345, width: RIGHT - LEFT - 345, align: "right" },
] as const;

/** A4, in a font that every reader has. */
async function toPdf(invoice: InvoiceWire, issuedAt: Date): Promise<Uint8Array> {
	// Loaded for the first invoice that is read as a file.
	const { default: PdfDocument } = await import("pdfkit");
	const title = invoice.kind === "invoice" ? "Invoice" : "Credit note";
	const info = { Title: `${title} ${invoice.number}`, CreationDate: issuedAt };
	const pdf = new PdfDocument({ size: "A4", margin: TOP, info });
	const parts: Buffer[] = [];
	pdf.on("data", (part: Buffer) => parts.push(part));
	const ended = new Promise((resolve) => pdf.once("end", resolve));

	pdf.fontSize(18).text(`${title} ${invoice.number}`, LEFT, TOP);
	pdf.fontSize(10).moveDown();
	for (const line of headOf(invoice)) pdf.text(printable(line), LEFT);
	pdf.moveDown();
	writeRows(pdf, [
		["Position", "Calls", "USD"],
		...invoice.lines.map(({ operation, calls, amount_usd }) => [
			operation,
			String(calls),
			amount_usd,
		]),
		...invoice.credits.map(({ receipt_id, amount_usd }) => [
			`Refund of ${receipt_id}`,
			"",
			amount_usd,
		]),
		["Net", "", invoice.net_usd],
		...invoice.vat_rates.map(({ vat_percent, vat_usd }) => [`VAT ${vat_percent} %`, "", vat_usd]),
		["Total", "", invoice.total_usd],
		["Paid from the balance", "", invoice.total_usd],
		["Due", "", invoice.due_usd],
	]);
	if (invoice.note) pdf.text(invoice.note, LEFT, pdf.y + ROW_POINTS, { width: RIGHT - LEFT });
	pdf.end();
	await ended;
	return Buffer.concat(parts);
}

function headOf({ seller, customer, month, issued_at, account_id }: InvoiceWire): string[] {
	const named = (who: string, party: typeof seller) =>
		party
			? [
					`${who}: ${[party.name, party.address, party.country].filter(Boolean).join(", ")}`,
					...(party.vat_id ? [`VAT number: ${party.vat_id}`] : []),
				]
			: [];
	return [
		`Issued: ${issued_at.slice(0, 10)}`,
		`Month of supply: ${month}`,
		...named("From", seller),
		...named("To", customer),
		`Account: ${account_id}`,
	];
}

function writeRows(pdf: PDFKit.PDFDocument, rows: readonly (readonly string[])[]): void {
	for (const row of rows) {
		if (pdf.y + ROW_POINTS > BOTTOM) pdf.addPage();
		const { y } = pdf;
		for (const [at, cell] of row.entries()) {
			const { x, ...column } = COLUMNS[at] ?? COLUMNS[0];
			pdf.text(printable(cell), x, y, { ...column, lineBreak: false });
		}
		pdf.y = y + ROW_POINTS;
	}
}

/** What the standard fonts of PDF have no letter for (Windows-1252). */
const FOREIGN = /[^\u0020-\u007e\u00a0-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/u;

/** Accents that are unknown there go, letters of other alphabets become question marks: the JSON has them all. */
function printable(text: string): string {
	return [...text]
		.map((char) => (FOREIGN.test(char) ? char.normalize("NFKD").replace(/\p{M}/gu, "") : char))
		.map((char) => (FOREIGN.test(char) ? "?" : char))
		.join("");
}
