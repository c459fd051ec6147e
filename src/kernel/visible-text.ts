const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
/** Control sequences (colors, cursor), operating system commands (titles, links), two-character escapes. */
const ANSI = new RegExp(
	`${ESC}\\[[0-?]{0,64}[ -/]{0,8}[@-~]|${ESC}\\][^${BEL}${ESC}]{0,2000}(?:${BEL}|${ESC}\\\\)|${ESC}[@-Z\\\\-_]`,
	"g",
);
const CONTROLS = /(?![\t\n])\p{Cc}/gu;
/** Bidi controls, zero-width characters, soft hyphen, annotation marks, tag characters, variation selectors 17–256. */
const INVISIBLE =
	/[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;

/** Text without what only a machine would notice: ANSI sequences, control, bidi and zero-width characters. Tabs stay; lines end in `\n`. */
export function visibleText(text: string): string {
	return text
		.replace(/\r\n?|[\u2028\u2029]/g, "\n")
		.replace(ANSI, "")
		.replace(CONTROLS, "")
		.replace(INVISIBLE, "");
}

/** JSON that means the same and shows every one of those characters as an escape. */
export function visibleJson(value: object): string {
	return visibleJsonText(JSON.stringify(value));
}

/** As `visibleJson`, of what is JSON already. */
export function visibleJsonText(json: string): string {
	return json.replace(CONTROLS, toEscapes).replace(INVISIBLE, toEscapes);
}

function toEscapes(char: string): string {
	return char
		.split("")
		.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
		.join("");
}

/** Lines of RFC 4180; a text that a spreadsheet would take for a formula gets a leading quote. */
export function toCsv(rows: readonly (readonly string[])[]): string[] {
	return rows.map((row) => row.map(toCell).join(","));
}

const NUMBER = /^-?\d+(\.\d+)?$/;

function toCell(text: string): string {
	const safe = /^[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
