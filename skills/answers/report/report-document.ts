import type { CitationWire } from "../../../src/contract/contract.js";
import { toIsoTime, visibleText } from "../../../src/kernel/kernel.js";

/** A report as readers see it, whatever it is persisted in. Texts of evidence are data: they bring no markup and no links. */
export interface ReportDocument {
	/** What was sold, e.g. "Dossier". */
	readonly kind: string;
	readonly title: string;
	/** Facts about the report itself, by label. */
	readonly facts: readonly (readonly [label: string, value: string])[];
	readonly sections: readonly ReportSection[];
	/** In the order of their numbers; the only links of the document lead to them. */
	readonly citations: readonly ReportCitation[];
}

type ReportCitation = Pick<
	CitationWire,
	"n" | "title" | "publisher" | "source_url" | "published_at" | "excerpt"
>;

/** The same, and until when it can be read, in milliseconds since the epoch; undefined where that is not known. */
export function withEnd(report: ReportDocument, expiresAt: number | undefined): ReportDocument {
	if (expiresAt === undefined) return report;
	const end = `${toIsoTime(expiresAt).slice(0, 16).replace("T", " ")} UTC`;
	return { ...report, facts: [...report.facts, ["Kept until", end]] };
}

/** A report as one file of HTML that needs nothing else. */
export type RenderReport = (report: ReportDocument) => string;

export interface ReportSection {
	readonly heading: string;
	/** What it is for; one of the parts of the report where absent. */
	readonly role?: "answer" | "dispute" | "gaps" | "method" | undefined;
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
	(heading: string, items: readonly ReportItem[], role?: ReportSection["role"]): ReportSection => ({
		heading,
		items,
		form,
		role,
	});
export const proseSection = sectionsOf("prose");
export const listSection = sectionsOf("list");

export function tableSection(heading: string, table: ReportTable): ReportSection {
	const items = table.rows.flatMap(({ cells }) => cells.filter((cell) => cell !== undefined));
	return { heading, items, form: "table", table };
}

export interface ReportItem {
	/** What it is said of, before it. */
	readonly lead?: string | undefined;
	readonly text: string;
	/** Numbers of the citations that carry it; none for words of our own. */
	readonly citationIds: readonly number[];
	/** What stands behind it in brackets, e.g. a confidence. */
	readonly note?: string | undefined;
	/** Statements against each other, side by side where there is room; elsewhere their numbers stand for them. */
	readonly sides?: readonly Pick<ReportItem, "text" | "citationIds">[] | undefined;
}

/** A source once, with the numbers of all that is cited from it. */
export interface Reference extends Pick<CitationWire, "title" | "publisher"> {
	readonly address: string;
	/** Where it leads; undefined for what is no address of the web. */
	readonly href: string | undefined;
	readonly date: string;
	readonly citations: readonly ReportCitation[];
}

export function toReferences(citations: readonly ReportCitation[]): readonly Reference[] {
	const groups = new Map<string, ReportCitation[]>();
	for (const citation of citations) {
		const group = groups.get(citation.source_url) ?? [];
		group.push(citation);
		groups.set(citation.source_url, group);
	}
	return [...groups].map(([address, own]) => {
		const { title = "", publisher = "", published_at: date } = own[0] ?? {};
		const when = date ?? "undated";
		return { title, publisher, address, href: toHref(address), date: when, citations: own };
	});
}

/** Excerpts that the document does not quote anyway. */
export function excerptsOf(
	{ citations }: Pick<Reference, "citations">,
	{ sections }: Pick<ReportDocument, "sections">,
): readonly string[] {
	const texts = sections.flatMap(({ items }) => items.map(({ text }) => text));
	const excerpts = citations.map(({ excerpt }) => excerpt);
	return excerpts.filter((excerpt) => !texts.some((text) => text.includes(excerpt)));
}

const SOURCES = "Sources";
const UNKNOWN = "–";

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

function toItem({ lead, text, citationIds, note }: ReportItem, form: ItemForm): string {
	const marks = citationIds.map(form.toMark).join("");
	const behind = [marks, note === undefined ? "" : form.toNote(note)].filter(Boolean);
	const said = lead === undefined ? text : `${lead}: ${text}`;
	return [form.toSafe(said), ...behind].join(" ");
}

/** One line of what a reader sees. */
export function toLine(text: string): string {
	return visibleText(text).replace(/\s+/g, " ").trim();
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
	const { title, publisher, date, href, citations } = reference;
	const facts = [publisher, date].filter(Boolean).map(escapeMarkdown).join(", ");
	const marks = citations.map(({ n }) => toMarkdownMark(n)).join("");
	const quoted = excerptsOf(reference, report).map(escapeMarkdown).join(" … ");
	const excerpt = quoted === "" ? "" : ` Cited for: ${quoted}`;
	return `${at + 1}. ${escapeMarkdown(title)} (${facts}).${toAutolink(href)} Cited at ${marks}.${excerpt}`;
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
function toAutolink(href: string | undefined): string {
	return href === undefined ? "" : ` <${href.replace(/[<>\s]/g, encodeURIComponent)}>`;
}
