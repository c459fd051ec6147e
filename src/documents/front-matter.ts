import { parse as parseToml } from "smol-toml";
import { parseDocument } from "yaml";
import type { DatePrecision } from "../contract/contract.js";
import { DOCUMENT_LIMITS } from "./document-limits.js";
import { cleanLine } from "./served-text.js";

/** A Markdown file, cut into its YAML mapping and the rest. */
export interface MarkdownDocument {
	readonly data: FrontMatter;
	readonly body: string;
	/** Why the front matter could not be read; `data` is empty then. */
	readonly problem: string | undefined;
}

/** Front matter is data somebody else wrote: every value is unknown until looked at. */
export type FrontMatter = Readonly<Record<string, unknown>>;

const OPENING = /^\ufeff?---[ \t]*\r?\n/;
/** As Hugo and Zola have it. */
const TOML = /^\ufeff?\+\+\+[ \t]*\r?\n([\s\S]*?\r?\n)?\+\+\+[ \t]*(?:\r?\n|$)/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/m;

/** Cuts a file at its front matter and reads it as data only. Never throws: what cannot be read is a `problem`. */
export function parseMarkdown(text: string): MarkdownDocument {
	const toml = TOML.exec(text);
	if (toml) return { ...parseTomlMapping(toml[1] ?? ""), body: text.slice(toml[0].length) };
	const opening = OPENING.exec(text);
	if (!opening) return { data: {}, body: text.replace(/^\ufeff/, ""), problem: undefined };
	const rest = text.slice(opening[0].length);
	const closing = CLOSING.exec(rest);
	if (!closing) {
		// A horizontal rule on the first line is no front matter when no other one follows.
		return { data: {}, body: text, problem: "The front matter is not closed by a line `---`." };
	}
	const body = rest.slice(closing.index + closing[0].length).replace(/^\r?\n/, "");
	return { ...parseYamlMapping(rest.slice(0, closing.index)), body };
}

function parseYamlMapping(yaml: string): Pick<MarkdownDocument, "data" | "problem"> {
	if (yaml.length > DOCUMENT_LIMITS.frontMatterChars) {
		return failure(
			`The front matter has more than ${DOCUMENT_LIMITS.frontMatterChars} characters.`,
		);
	}
	try {
		const document = parseDocument(yaml, { logLevel: "silent", prettyErrors: false });
		const [error] = document.errors;
		if (error) {
			// The file's first line opens the front matter.
			const line = yaml.slice(0, error.pos[0]).split("\n").length + 1;
			return failure(`The front matter is not YAML in line ${line}: ${cleanLine(error.message)}.`);
		}
		const value: unknown = document.toJS({ maxAliasCount: DOCUMENT_LIMITS.yamlAliases });
		if (value === null || value === undefined) return { data: {}, problem: undefined };
		if (!isShallow(value)) {
			return failure("The front matter is nested too deeply, or an alias contains itself.");
		}
		if (isMapping(value)) return { data: value, problem: undefined };
		return failure("The front matter is YAML, but not a mapping of keys to values.");
	} catch (error) {
		const reason = error instanceof Error ? cleanLine(error.message) : "unknown reason";
		return failure(`The front matter cannot be read: ${reason}.`);
	}
}

function parseTomlMapping(toml: string): Pick<MarkdownDocument, "data" | "problem"> {
	if (toml.length > DOCUMENT_LIMITS.frontMatterChars) {
		return failure(
			`The front matter has more than ${DOCUMENT_LIMITS.frontMatterChars} characters.`,
		);
	}
	try {
		// Its times are of a class of their own; as text they are what was written.
		const data = JSON.parse(JSON.stringify(parseToml(toml))) as FrontMatter;
		if (isShallow(data)) return { data, problem: undefined };
		return failure("The front matter is nested too deeply.");
	} catch (error) {
		const [reason = ""] = error instanceof Error ? error.message.split("\n", 1) : [];
		return failure(`The front matter is not TOML: ${cleanLine(reason)}.`);
	}
}

/** An alias may lead back to its own anchor: such a value has no end and cannot be written again. */
function isShallow(value: unknown, levels: number = DOCUMENT_LIMITS.frontMatterDepth): boolean {
	if (typeof value !== "object" || value === null) return true;
	return levels > 0 && Object.values(value).every((one) => isShallow(one, levels - 1));
}

function failure(problem: string): Pick<MarkdownDocument, "data" | "problem"> {
	return { data: {}, problem };
}

export function isMapping(value: unknown): value is FrontMatter {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Clean one-line text of a scalar; undefined for mappings, lists, null and empty text. */
export function textOf(value: unknown): string | undefined {
	if (value instanceof Date) return value.toISOString().slice(0, 10);
	if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
		return undefined;
	}
	return cleanLine(String(value)) || undefined;
}

/** A list, whatever was written: nothing is an empty one, a single value a list of one. */
export function listOf(value: unknown): readonly unknown[] {
	if (value === undefined || value === null) return [];
	return Array.isArray(value) ? value : [value];
}

/** Clean, distinct texts of a list or of one comma-separated line, in the order written. */
export function textsOf(value: unknown): readonly string[] {
	const parts = typeof value === "string" ? value.split(",") : listOf(value);
	const texts = parts.map(textOf).filter((text) => text !== undefined);
	return [...new Set(texts)];
}

/** A day of the calendar and how much of it the source really said. */
export interface SourceDate {
	readonly date: string;
	readonly precision: DatePrecision;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * Reads a date as people write it: `2018-08-01`, an ISO time, `2018-08`, `2018/08/01`, `2020` (text or number),
 * `13-Jun-2000`, `13 June 2000`, `June 13, 2000`, `June 2000`, a Date. Undefined for anything else.
 */
export function parseSourceDate(value: unknown): SourceDate | undefined {
	if (value instanceof Date) {
		return Number.isNaN(value.getTime())
			? undefined
			: { date: value.toISOString().slice(0, 10), precision: "day" };
	}
	if (typeof value === "number") return fromText(String(value));
	return typeof value === "string" ? fromText(value.trim()) : undefined;
}

/** The day alone; undefined when the value is no date. */
export function parseDay(value: unknown): string | undefined {
	return parseSourceDate(value)?.date;
}

function fromText(text: string): SourceDate | undefined {
	if (text.length > 40) return undefined;
	const iso = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2})(?:[T ].*)?)?)?$/.exec(text);
	if (iso) return fromParts(iso[1], iso[2], iso[3]);
	const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[-\s]([A-Za-z]{3,9})\.?,?[-\s](\d{4})$/.exec(text);
	if (dayFirst) return fromParts(dayFirst[3], monthNumber(dayFirst[2]), dayFirst[1]);
	const monthFirst = /^([A-Za-z]{3,9})\.?\s(?:(\d{1,2})(?:st|nd|rd|th)?,?\s)?(\d{4})$/.exec(text);
	return monthFirst
		? fromParts(monthFirst[3], monthNumber(monthFirst[1]), monthFirst[2])
		: undefined;
}

function fromParts(
	year: string | undefined,
	month: string | undefined,
	dayOfMonth: string | undefined,
): SourceDate | undefined {
	if (!year || year < "1000" || month === "") return undefined;
	const text = `${year}-${(month ?? "1").padStart(2, "0")}-${(dayOfMonth ?? "1").padStart(2, "0")}`;
	if (!isCalendarDay(text)) return undefined;
	return { date: text, precision: dayOfMonth ? "day" : month ? "month" : "year" };
}

function isCalendarDay(text: string): boolean {
	const time = Date.parse(`${text}T00:00:00Z`);
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Empty when the name is no month, which makes the whole date unreadable. */
function monthNumber(name: string | undefined): string {
	const index = MONTHS.indexOf((name ?? "").slice(0, 3).toLowerCase());
	return index < 0 ? "" : String(index + 1);
}
