import type { CitationWire } from "../../../src/contract/contract.js";
import { visibleText } from "../../../src/kernel/kernel.js";

/** A report as readers see it, whatever it is persisted in. Texts of evidence are data: they bring no markup and no links. */
export interface ReportDocument {
	readonly title: string;
	/** Facts about the report itself, by label. */
	readonly facts: readonly (readonly [label: string, value: string])[];
	readonly sections: readonly ReportSection[];
	/** In the order of their numbers; the only links of the document lead to them. An empty excerpt is not shown. */
	readonly citations: readonly CitationWire[];
}

export interface ReportSection {
	readonly heading: string;
	/** Empty sections are left out. */
	readonly items: readonly ReportItem[];
	/** "prose" runs items together, "list" gives each its own line. */
	readonly form: "prose" | "list";
	/** Stands before the items. */
	readonly table?: ReportTable | undefined;
}

export interface ReportTable {
	readonly columns: readonly string[];
	readonly rows: readonly {
		readonly label: string;
		/** One for each column; undefined where nothing is known. */
		readonly cells: readonly (ReportItem | undefined)[];
	}[];
}

const sectionsOf =
	(form: ReportSection["form"]) =>
	(heading: string, items: readonly ReportItem[]): ReportSection => ({ heading, items, form });
export const proseSection = sectionsOf("prose");
export const listSection = sectionsOf("list");
export const tableSection = (heading: string, table: ReportTable): ReportSection => {
	return { heading, items: [], form: "list", table };
};
const isFilled = ({ items, table }: ReportSection) => items.length > 0 || table !== undefined;
const UNKNOWN = "–";

export interface ReportItem {
	readonly text: string;
	/** Numbers of the citations that carry it; none for words of our own. */
	readonly citationIds: readonly number[];
	/** What stands behind it in brackets, e.g. a confidence. */
	readonly note?: string | undefined;
}

const STYLE =
	"body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}dt{font-weight:600}dd{margin:0 0 .5rem}li{margin:.3rem 0}table{border-collapse:collapse}td,th{border:1px solid;padding:.3rem;text-align:left;vertical-align:top}";

/** One self-contained page without script, pictures or forms; its links lead to the cited sources and within itself. */
export function toHtml({ title, facts, sections, citations }: ReportDocument): string {
	const body = [
		`<h1>${escapeHtml(title)}</h1>`,
		`<dl>${facts.map(([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>`,
		...sections.filter(isFilled).map(toHtmlSection),
		...(citations.length > 0
			? [`<h2>References</h2><ol>${citations.map(toHtmlReference).join("")}</ol>`]
			: []),
	];
	return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>\n${body.join("\n")}\n</body></html>\n`;
}

function toHtmlReference(citation: CitationWire): string {
	const { n, title, publisher, published_at: date, source_url: url, excerpt } = citation;
	const facts = [publisher, date ?? "undated"].map(escapeHtml).join(", ");
	const quoted = excerpt === "" ? "" : ` <q>${escapeHtml(excerpt)}</q>`;
	return `<li id="c${n}">${toLink(url, title)} (${facts}).${quoted}</li>`;
}

const toHtmlItem = (item: ReportItem) =>
	toItem(item, escapeHtml, (n) => `<a href="#c${n}">[${n}]</a>`);

function toHtmlSection({ heading, items, form, table }: ReportSection): string {
	const texts = items.map(toHtmlItem);
	const body =
		form === "prose"
			? `<p>${texts.join(" ")}</p>`
			: `<ul>${texts.map((text) => `<li>${text}</li>`).join("")}</ul>`;
	const said = [table ? toHtmlTable(table) : "", items.length > 0 ? body : ""].join("");
	return `<h2>${escapeHtml(heading)}</h2>${said}`;
}

function toHtmlTable({ columns, rows }: ReportTable): string {
	const heads = ["", ...columns].map((name) => `<th>${escapeHtml(name)}</th>`).join("");
	const lines = rows.map(({ label, cells }) => {
		const texts = cells.map((cell) => `<td>${cell ? toHtmlItem(cell) : UNKNOWN}</td>`);
		return `<tr><th>${escapeHtml(label)}</th>${texts.join("")}</tr>`;
	});
	return `<table><tr>${heads}</tr>${lines.join("")}</table>`;
}

function toLink(address: string, name: string): string {
	const href = toHref(address);
	if (href === undefined) return escapeHtml(name);
	return `<a href="${escapeHtml(href)}" rel="nofollow noopener noreferrer">${escapeHtml(name)}</a>`;
}

/** Undefined for what is no http(s) address. */
function toHref(address: string): string | undefined {
	const url = URL.canParse(address) ? new URL(address) : undefined;
	return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function toItem(
	{ text, citationIds, note }: ReportItem,
	toSafe: (text: string) => string,
	toMark: (n: number) => string,
): string {
	const marks = citationIds.map(toMark).join("");
	const behind = [marks, note === undefined ? "" : `(${toSafe(note)})`].filter(Boolean);
	return [toSafe(text), ...behind].join(" ");
}

function toLine(text: string): string {
	return visibleText(text).replace(/\s+/g, " ").trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
	"<": "lt",
	">": "gt",
	'"': "quot",
	"'": "#39",
};

function escapeHtml(text: string): string {
	return toLine(text).replace(/[&<>"']/g, (char) => `&${ENTITIES[char] ?? "amp"};`);
}

/** CommonMark in which nothing but the headings, lists and references written here is markup. */
export function toMarkdown({ title, facts, sections, citations }: ReportDocument): string {
	const blocks = [
		`# ${escapeMarkdown(title)}`,
		facts
			.map(([label, value]) => `- ${escapeMarkdown(label)}: ${escapeMarkdown(value)}`)
			.join("\n"),
		...sections.filter(isFilled).map(toMarkdownSection),
		...(citations.length > 0
			? [["## References\n", ...citations.map(toMarkdownReference)].join("\n")]
			: []),
	];
	return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function toMarkdownReference(citation: CitationWire): string {
	const { n, title, publisher, published_at: date, source_url: url, excerpt } = citation;
	const facts = [publisher, date ?? "undated"].map(escapeMarkdown).join(", ");
	const quoted = excerpt === "" ? "" : ` Cited for: ${escapeMarkdown(excerpt)}`;
	return `${n}. ${escapeMarkdown(title)} (${facts}).${toAutolink(url)}${quoted}`;
}

const toMarkdownItem = (item: ReportItem) => toItem(item, escapeMarkdown, (n) => `\\[${n}\\]`);

function toMarkdownSection({ heading, items, form, table }: ReportSection): string {
	const texts = items.map(toMarkdownItem);
	const body = form === "prose" ? texts.join(" ") : texts.map((text) => `- ${text}`).join("\n");
	const said = [...(table ? [toMarkdownTable(table)] : []), ...(body === "" ? [] : [body])];
	return [`## ${escapeMarkdown(heading)}`, ...said].join("\n\n");
}

function toMarkdownTable({ columns, rows }: ReportTable): string {
	const toLine = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
	return [
		toLine(["", ...columns.map(escapeMarkdown)]),
		`|---|${columns.map(() => "---|").join("")}`,
		...rows.map(({ label, cells }) =>
			toLine([
				escapeMarkdown(label),
				...cells.map((cell) => (cell ? toMarkdownItem(cell) : UNKNOWN)),
			]),
		),
	].join("\n");
}

/** Every ASCII punctuation character that CommonMark could read as markup, behind a backslash; line breaks as spaces. */
function escapeMarkdown(text: string): string {
	return (
		toLine(text)
			.replace(/[\\`*_{}[\]<>()#+!|~&$:@-]/g, "\\$&")
			// A number that would begin a list, and what readers of a wider dialect take for an address.
			.replace(/^\d+(?=\.)|www(?=\.)/gi, "$&\\")
	);
}

/** As an autolink, where the address is one and holds nothing that could end it. */
function toAutolink(address: string): string {
	const href = toHref(address);
	return href === undefined ? "" : ` <${href.replace(/[<>\s]/g, encodeURIComponent)}>`;
}
