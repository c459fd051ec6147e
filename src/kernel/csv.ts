/** Lines of RFC 4180; a text that a spreadsheet would take for a formula gets a leading quote. */
export function toCsv(rows: readonly (readonly string[])[]): string[] {
	return rows.map((row) => row.map(toCell).join(","));
}

const NUMBER = /^-?\d+(\.\d+)?$/;

function toCell(text: string): string {
	const safe = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
