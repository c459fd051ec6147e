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

/** Blanks and marks of encodings before the front matter hide it from no one who wants it kept. */
const OPENING =
	/^[\s\ufeff\u200b-\u200f\u2060]*(?:(?<fence>---|\+\+\+)[ \t]*(?<language>[a-z]\w{0,20})?[ \t]*(?:\r?\n|$)|(?=\{[ \t]*(?:["}]|\r?\n)))/i;
const CLOSINGS = { "---": /^(?:---|\.\.\.)[ \t]*$/m, "+++": /^\+\+\+[ \t]*$/m } as const;

type Mapping = Pick<MarkdownDocument, "data" | "problem">;

/** Languages of front matter by what stands behind the line that opens it. */
const LANGUAGES: Readonly<Record<string, (text: string) => Mapping>> = {
	yaml: parseYamlMapping,
	yml: parseYamlMapping,
	toml: parseTomlMapping,
	json: parseJsonMapping,
};

/** Cuts a file at its front matter and reads it as data only. Never throws: what cannot be read is a `problem`. */
export function parseMarkdown(text: string): MarkdownDocument {
	const opening = OPENING.exec(text);
	if (!opening) return { data: {}, body: text.replace(/^\ufeff/, ""), problem: undefined };
	const { fence, language } = opening.groups ?? {};
	const rest = text.slice(opening[0].length);
	if (fence !== "---" && fence !== "+++") return cutJson(rest);
	const closing = CLOSINGS[fence].exec(rest);
	if (!closing) {
		// A horizontal rule on the first line is no front matter when no other one follows.
		const problem = `The front matter is not closed by a line \`${fence}\`.`;
		return { data: {}, body: text, problem };
	}
	const body = rest.slice(closing.index + closing[0].length).replace(/^\r?\n/, "");
	const parse = LANGUAGES[language?.toLowerCase() ?? (fence === "---" ? "yaml" : "toml")];
	const head = rest.slice(0, closing.index);
	if (!parse) return { ...failure(`The front matter is ${language}, which is not read.`), body };
	return { ...parse(head), body };
}

/** As Hugo has it: an object, and behind it the text. */
function cutJson(text: string): MarkdownDocument {
	const end = endOfObject(text);
	if (end === undefined) {
		return { ...failure("The front matter is an object that is not closed."), body: text };
	}
	const body = text.slice(end).replace(/^[ \t]*\r?\n/, "");
	return { ...parseJsonMapping(text.slice(0, end)), body };
}

/** The place behind the bracket that closes the first one; of what is longer than any front matter nothing is known. */
function endOfObject(text: string): number | undefined {
	let depth = 0;
	for (const { 0: mark, index } of text
		.slice(0, DOCUMENT_LIMITS.frontMatterChars)
		.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
		if (mark === "{") depth += 1;
		else if (mark === "}") depth -= 1;
		if (depth === 0) return index + 1;
	}
	return undefined;
}

function parseJsonMapping(json: string): Mapping {
	try {
		const data: unknown = JSON.parse(json);
		if (isMapping(data) && isShallow(data)) return { data, problem: undefined };
		return failure(
			"The front matter is JSON, but no object of keys and values, or nested too deeply.",
		);
	} catch (error) {
		return failure(`The front matter is not JSON: ${reasonIn(error)}.`);
	}
}

export function parseYamlMapping(yaml: string): Mapping {
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
		return failure(`The front matter cannot be read: ${reasonIn(error)}.`);
	}
}

function parseTomlMapping(toml: string): Mapping {
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
		return failure(`The front matter is not TOML: ${reasonIn(error)}.`);
	}
}

/** An alias may lead back to its own anchor: such a value has no end and cannot be written again. */
function isShallow(value: unknown, levels: number = DOCUMENT_LIMITS.frontMatterDepth): boolean {
	if (typeof value !== "object" || value === null) return true;
	return levels > 0 && Object.values(value).every((one) => isShallow(one, levels - 1));
}

function reasonIn(error: unknown): string {
	const [reason = ""] = error instanceof Error ? error.message.split("\n", 1) : [];
	return cleanLine(reason) || "unknown reason";
}

function failure(problem: string): Mapping {
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
