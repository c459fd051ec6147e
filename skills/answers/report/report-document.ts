import type { CitationWire } from "../../../src/contract/contract.js";
import { visibleText } from "../../../src/kernel/kernel.js";

/** A report as readers see it, whatever it is persisted in. Texts of evidence are data: they bring no markup and no links. */
export interface ReportDocument {
	readonly title: string;
	/** Facts about the report itself, by label. */
	readonly facts: readonly (readonly [label: string, value: string])[];
	readonly sections: readonly ReportSection[];
	/** In the order of their numbers; the only links of the document lead to them. */
	readonly citations: readonly CitationWire[];
}

export interface ReportSection {
	readonly heading: string;
	/** Empty sections are left out. */
	readonly items: readonly ReportItem[];
	/** "prose" runs items together, "list" gives each its own line; a table has its rows instead. */
	readonly form: "prose" | "list" | "table";
	readonly table?: ReportTable;
}

export interface ReportTable {
	readonly columns: readonly string[];
	readonly rows: readonly {
		readonly name: string;
		/** One for each column; undefined: not known. */
		readonly cells: readonly (ReportItem | undefined)[];
	}[];
}

const sectionsOf =
	(form: ReportSection["form"]) =>
	(heading: string, items: readonly ReportItem[]): ReportSection => ({ heading, items, form });
export const proseSection = sectionsOf("prose");
export const listSection = sectionsOf("list");

export function tableSection(heading: string, table: ReportTable): ReportSection {
	const items = table.rows.flatMap(({ cells }) => cells.filter((cell) => cell !== undefined));
	return { heading, items, form: "table", table };
}

export interface ReportItem {
	readonly text: string;
	/** Numbers of the citations that carry it; none for words of our own. */
	readonly citationIds: readonly number[];
	/** What stands behind it in brackets, e.g. a confidence. */
	readonly note?: string | undefined;
}

/** A source once, with the numbers of all that is cited from it. */
interface Reference extends Pick<CitationWire, "title" | "publisher"> {
	readonly address: string;
	readonly date: string;
	readonly citations: readonly CitationWire[];
}

function toReferences(citations: readonly CitationWire[]): readonly Reference[] {
	const groups = new Map<string, CitationWire[]>();
	for (const citation of citations) {
		const group = groups.get(citation.source_url) ?? [];
		group.push(citation);
		groups.set(citation.source_url, group);
	}
	return [...groups].map(([address, own]) => {
		const { title = "", publisher = "", published_at: date } = own[0] ?? {};
		return { title, publisher, address, date: date ?? "undated", citations: own };
	});
}

/** Excerpts that the document does not quote anyway. */
function excerptsOf(
	{ citations }: Pick<Reference, "citations">,
	{ sections }: Pick<ReportDocument, "sections">,
): readonly string[] {
	const texts = sections.flatMap(({ items }) => items.map(({ text }) => text));
	const excerpts = citations.map(({ excerpt }) => excerpt);
	return excerpts.filter((excerpt) => !texts.some((text) => text.includes(excerpt)));
}

const STYLE = [
	":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d8dee4;--paper:#fff;--tint:#f4f6f8;--link:#0b57a4}",
	"@media(prefers-color-scheme:dark){:root{--ink:#e6e8ea;--soft:#a2abb4;--line:#39414a;--paper:#15181c;--tint:#1e2329;--link:#8ec2ff}}",
	"*{box-sizing:border-box}html{scroll-behavior:smooth}",
	"body{font:1.0625rem/1.6 Charter,Georgia,serif;color:var(--ink);background:var(--paper);max-width:44rem;margin:0 auto;padding:2.5rem 1.25rem 4rem;overflow-wrap:anywhere}",
	"h1,h2,nav,dl,th,footer,small{font-family:system-ui,sans-serif}h1{font-size:1.9rem;line-height:1.2;margin:0 0 1.25rem}",
	"h2{font-size:1.15rem;line-height:1.3;margin:2.5rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}",
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0 0 1.5rem;font-size:.85rem;color:var(--soft)}dt{font-weight:600}dd{margin:0}",
	"nav{background:var(--tint);border-radius:.5rem;padding:.75rem 1.25rem;font-size:.9rem}nav ol{margin:0;padding-left:1.25rem}",
	"ul,ol{padding-left:1.25rem}li{margin:.6rem 0}nav li{margin:.15rem 0}small{display:block;font-size:.8rem;line-height:1.4;color:var(--soft)}",
	"a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:2px}sup a{text-decoration:none;padding:0 .1em}sup{line-height:0;font-size:.72em}",
	":target{background:var(--tint);outline:2px solid var(--line);outline-offset:2px}",
	".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}th,td{border:1px solid var(--line);padding:.5rem .65rem;text-align:left;vertical-align:top}th{background:var(--tint)}",
	"#answer+ul{list-style:none;padding:1rem 1.25rem;background:var(--tint);border-left:3px solid var(--link);border-radius:.25rem}#answer+ul li:first-child{margin-top:0}#answer+ul li:last-child{margin-bottom:0}",
	'q{color:var(--soft)}@media print{body{font-size:10.5pt;max-width:none;padding:0}nav{display:none}h2{break-after:avoid}li,tr{break-inside:avoid}ol a[rel]::after{content:" <" attr(href) ">";font-size:.8em}}',
].join("");

/** One self-contained page without script, pictures or forms; its links lead to the cited sources and within itself. */
export function toHtml(report: ReportDocument): string {
	const { title, facts, citations } = report;
	const sections = report.sections.filter(({ items }) => items.length > 0);
	const headings = [
		...sections.map(({ heading }) => heading),
		...(citations.length > 0 ? [SOURCES] : []),
	];
	const ids = headings.map((heading, at) => (heading === "Answer" ? "answer" : `s${at + 1}`));
	const contents = headings.map(
		(heading, at) => `<li><a href="#${ids[at]}">${escapeHtml(heading)}</a></li>`,
	);
	const toMark = createMarks();
	const body = [
		`<header><h1>${escapeHtml(title)}</h1>`,
		`<dl>${facts.map(([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl></header>`,
		...(headings.length > 1
			? [`<nav aria-label="Contents"><ol>${contents.join("")}</ol></nav>`]
			: []),
		"<main>",
		...sections.map((section, at) => toHtmlSection(section, { id: ids[at] ?? "", toMark })),
		...(citations.length > 0
			? [
					`<h2 id="${ids.at(-1)}">${SOURCES}</h2><ol>${toReferences(citations)
						.map((reference) => toHtmlReference(reference, report))
						.join("")}</ol>`,
				]
			: []),
		"</main>",
	];
	return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>\n${body.join("\n")}\n</body></html>\n`;
}

const SOURCES = "Sources";

/** Marks that lead to what they cite; the first one of each number can be led back to. */
function createMarks(): (n: number) => string {
	const used = new Set<number>();
	return (n) => {
		const id = used.has(n) ? "" : ` id="u${n}"`;
		used.add(n);
		return `<sup><a${id} href="#c${n}">[${n}]</a></sup>`;
	};
}

function toHtmlReference(reference: Reference, report: ReportDocument): string {
	const { title, publisher, date, address, citations } = reference;
	const facts = [publisher, date].filter(Boolean).map(escapeHtml).join(", ");
	const back = citations.map(({ n }) => `<a id="c${n}" href="#u${n}">[${n}]</a>`).join(" ");
	const quoted = excerptsOf(reference, report).map((excerpt) => ` <q>${escapeHtml(excerpt)}</q>`);
	return `<li>${toLink(address, title)} (${facts}).${quoted.join("")}<small>Cited at ${back}</small></li>`;
}

function toHtmlSection(
	{ heading, items, form, table }: ReportSection,
	{ id, toMark }: { readonly id: string; readonly toMark: (n: number) => string },
): string {
	const toText = (item: ReportItem) => toItem(item, { toSafe: escapeHtml, toMark, toNote });
	const head = `<h2 id="${id}">${escapeHtml(heading)}</h2>`;
	if (table) return `${head}${toHtmlTable(table, toText)}`;
	const texts = items.map(toText);
	return form === "prose"
		? `${head}<p>${texts.join(" ")}</p>`
		: `${head}<ul>${texts.map((text) => `<li>${text}</li>`).join("")}</ul>`;
}

function toNote(note: string): string {
	return `<small>${escapeHtml(note)}</small>`;
}

function toHtmlTable({ columns, rows }: ReportTable, toText: (item: ReportItem) => string): string {
	const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join("");
	const body = rows.map(({ name, cells }) => {
		const told = cells.map((cell) => `<td>${cell ? toText(cell) : UNKNOWN}</td>`).join("");
		return `<tr><th scope="row">${escapeHtml(name)}</th>${told}</tr>`;
	});
	return `<div class="wide"><table><thead><tr><td></td>${head}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

const UNKNOWN = "–";

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

interface ItemForm {
	readonly toSafe: (text: string) => string;
	readonly toMark: (n: number) => string;
	readonly toNote: (note: string) => string;
}

function toItem({ text, citationIds, note }: ReportItem, form: ItemForm): string {
	const marks = citationIds.map(form.toMark).join("");
	const behind = [marks, note === undefined ? "" : form.toNote(note)].filter(Boolean);
	return [form.toSafe(text), ...behind].join(" ");
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

/** CommonMark, and tables as most of its readers know them, in which nothing but what is written here is markup. */
export function toMarkdown(report: ReportDocument): string {
	const { title, facts, sections, citations } = report;
	const references = toReferences(citations).map((one, at) => toMarkdownReference(one, at, report));
	const blocks = [
		`# ${escapeMarkdown(title)}`,
		facts
			.map(([label, value]) => `- ${escapeMarkdown(label)}: ${escapeMarkdown(value)}`)
			.join("\n"),
		...sections.filter(({ items }) => items.length > 0).map(toMarkdownSection),
		...(references.length > 0 ? [[`## ${SOURCES}\n`, ...references].join("\n")] : []),
	];
	return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function toMarkdownReference(reference: Reference, at: number, report: ReportDocument): string {
	const { title, publisher, date, address, citations } = reference;
	const facts = [publisher, date].filter(Boolean).map(escapeMarkdown).join(", ");
	const marks = citations.map(({ n }) => toMarkdownMark(n)).join("");
	const quoted = excerptsOf(reference, report).map(escapeMarkdown).join(" … ");
	const excerpt = quoted === "" ? "" : ` Cited for: ${quoted}`;
	return `${at + 1}. ${escapeMarkdown(title)} (${facts}).${toAutolink(address)} Cited at ${marks}.${excerpt}`;
}

function toMarkdownMark(n: number): string {
	return `\\[${n}\\]`;
}

function toMarkdownText(item: ReportItem): string {
	const toNote = (note: string) => `(${escapeMarkdown(note)})`;
	return toItem(item, { toSafe: escapeMarkdown, toMark: toMarkdownMark, toNote });
}

function toMarkdownSection({ heading, items, form, table }: ReportSection): string {
	const head = `## ${escapeMarkdown(heading)}\n\n`;
	if (table) return `${head}${toMarkdownTable(table)}`;
	const texts = items.map(toMarkdownText);
	return head + (form === "prose" ? texts.join(" ") : texts.map((text) => `- ${text}`).join("\n"));
}

function toMarkdownTable({ columns, rows }: ReportTable): string {
	const toLine = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
	return [
		toLine(["", ...columns.map(escapeMarkdown)]),
		`|${"---|".repeat(columns.length + 1)}`,
		...rows.map(({ name, cells }) =>
			toLine([
				escapeMarkdown(name),
				...cells.map((cell) => (cell ? toMarkdownText(cell) : UNKNOWN)),
			]),
		),
	].join("\n");
}

/**
 * What CommonMark, and tables and addresses of its wider dialects, would read as markup behind a backslash; line breaks as spaces. What is
 * markup at the beginning of a line alone is left as it is elsewhere, so that dates and names can be read.
 */
function escapeMarkdown(text: string): string {
	return (
		toLine(text)
			.replace(/[\\`*[\]<>|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")
			.replace(/&(?=#?\w+;)|:(?=\/\/)|@(?=\w)|\$(?=[^$]*\$)/g, "\\$&")
			// A number, sign or line that would begin a list, a heading or a rule, and what is taken for an address.
			.replace(/^\d+(?=[.)])|www(?=\.)/gi, "$&\\")
			.replace(/^[#+=-]/, "\\$&")
	);
}

/** As an autolink, where the address is one and holds nothing that could end it. */
function toAutolink(address: string): string {
	const href = toHref(address);
	return href === undefined ? "" : ` <${href.replace(/[<>\s]/g, encodeURIComponent)}>`;
}
