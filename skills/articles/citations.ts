import type { Evidence } from "../../src/knowledge/knowledge.js";

/** Something that can be cited: what stands in a list of references, and nothing of its content. */
export interface Citable {
	/** Unique within one list. */
	readonly id: string;
	readonly type: "webpage" | "entry";
	readonly title: string;
	readonly url: string;
	/** What it is a part of: a site's host, a graph's title. */
	readonly container: string;
	readonly publisher?: string | undefined;
	readonly version?: string | undefined;
	/** `YYYY-MM-DD` with how much of it is known; undefined for what no one dates. */
	readonly issued?: IssuedDay | undefined;
}

interface IssuedDay {
	readonly day: string;
	readonly precision: NonNullable<Evidence["datePrecision"]>;
}

/** An item of CSL-JSON 1.0 (https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html). */
export function toCsl(citable: Citable) {
	const { id, type, title, url, container, publisher, version, issued } = citable;
	return {
		id,
		type,
		title: plain(title),
		URL: toSafeUrl(url),
		"container-title": plain(container),
		...(publisher !== undefined && { publisher: plain(publisher) }),
		...(version !== undefined && { version: plain(version) }),
		...(issued && { issued: { "date-parts": [partsOf(issued)] } }),
	};
}

/** An entry for BibTeX and biblatex. Braces stay balanced and no text can end its field, whatever it holds. */
export function toBibTex(citable: Citable): string {
	const { id, title, url, container, publisher, version, issued } = citable;
	const [year, month, dayOfMonth] = issued ? partsOf(issued) : [];
	const fields: [name: string, value: string][] = [
		["title", `{{${escapeTex(title)}}}`],
		["howpublished", `{${escapeTex(container)}}`],
	];
	if (publisher !== undefined) fields.push(["organization", `{${escapeTex(publisher)}}`]);
	if (version !== undefined) fields.push(["edition", `{${escapeTex(version)}}`]);
	if (year !== undefined) fields.push(["year", `{${year}}`]);
	if (month !== undefined) fields.push(["month", monthName(month).slice(0, 3).toLowerCase()]);
	if (dayOfMonth !== undefined) fields.push(["day", `{${dayOfMonth}}`]);
	fields.push(["url", `{${toSafeUrl(url)}}`]);
	const lines = fields.map(([name, value]) => `\t${name} = ${value},`);
	return `@misc{${toKey(id)},\n${lines.join("\n")}\n}`;
}

/** A reference in the style of APA's seventh edition for works without an author, in plain text. */
export function toApa(citable: Citable): string {
	const { type, title, url, container, publisher, version, issued } = citable;
	const part = type === "entry" ? `In ${plain(container)}` : plain(container);
	const edition = version === undefined ? "" : ` (Version ${plain(version)})`;
	const parts = [ended(plain(title)), `(${apaDate(issued)}).`, ended(`${part}${edition}`)];
	if (publisher !== undefined) parts.push(ended(plain(publisher)));
	return [...parts, toSafeUrl(url)].join(" ");
}

function apaDate(issued: IssuedDay | undefined): string {
	if (!issued) return "n.d.";
	const [year, month, dayOfMonth] = partsOf(issued);
	if (month === undefined) return String(year);
	const name = monthName(month);
	return dayOfMonth === undefined ? `${year}, ${name}` : `${year}, ${name} ${dayOfMonth}`;
}

function ended(text: string): string {
	return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** Year, month and day, as far as they are known. */
function partsOf({ day, precision }: IssuedDay): readonly number[] {
	const parts = day.split("-").map(Number);
	return parts.slice(0, { year: 1, month: 2, day: 3 }[precision]);
}

const MONTHS =
	"January February March April May June July August September October November December".split(
		" ",
	);

function monthName(month: number): string {
	return MONTHS[month - 1] ?? "";
}

/** One line, without characters that steer a terminal or turn the direction of text. */
function plain(text: string): string {
	return text
		.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
		.replace(/[\p{Cf}\p{Cs}]/gu, "")
		.trim();
}

const TEX: Readonly<Record<string, string>> = {
	"\\": "\\textbackslash{}",
	// BibTeX counts braces before TeX sees a backslash, so that an escaped one would unbalance the entry.
	"{": "\\textbraceleft{}",
	"}": "\\textbraceright{}",
	"~": "\\textasciitilde{}",
	"^": "\\textasciicircum{}",
	$: "\\$",
	"&": "\\&",
	"#": "\\#",
	_: "\\_",
	"%": "\\%",
};

function escapeTex(text: string): string {
	return plain(text).replace(/[\\{}~^$&#_%]/g, (mark) => TEX[mark] ?? mark);
}

/** The address with everything encoded that could end a field or a line. */
function toSafeUrl(url: string): string {
	return plain(url).replace(/[\\{}"<>^`|\s]/g, (mark) => encodeURIComponent(mark));
}

/** Ids of nodes may hold letters no citation key can. */
export function toKey(id: string): string {
	return id.replace(/[^A-Za-z0-9:_.-]+/g, "-");
}
