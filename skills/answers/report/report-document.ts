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
	/** "prose" runs items together, "list" gives each its own line. */
	readonly form: "prose" | "list";
}

const sectionsOf =
	(form: ReportSection["form"]) =>
	(heading: string, items: readonly ReportItem[]): ReportSection => ({ heading, items, form });
export const proseSection = sectionsOf("prose");
export const listSection = sectionsOf("list");

export interface ReportItem {
	readonly text: string;
	/** Numbers of the citations that carry it; none for words of our own. */
	readonly citationIds: readonly number[];
	/** What stands behind it in brackets, e.g. a confidence. */
	readonly note?: string | undefined;
}

const STYLE =
	"body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}dt{font-weight:600}dd{margin:0 0 .5rem}li{margin:.3rem 0}";

/** One self-contained page without script, pictures or forms; its links lead to the cited sources and within itself. */
export function toHtml({ title, facts, sections, citations }: ReportDocument): string {
	const body = [
		`<h1>${escapeHtml(title)}</h1>`,
		`<dl>${facts.map(([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>`,
		...sections.filter(({ items }) => items.length > 0).map(toHtmlSection),
		...(citations.length > 0
			? [`<h2>References</h2><ol>${citations.map(toHtmlReference).join("")}</ol>`]
			: []),
	];
	return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>\n${body.join("\n")}\n</body></html>\n`;
}

function toHtmlReference(citation: CitationWire): string {
	const { n, title, publisher, published_at: date, source_url: url, excerpt } = citation;
	const facts = [publisher, date ?? "undated"].map(escapeHtml).join(", ");
	return `<li id="c${n}">${toLink(url, title)} (${facts}). <q>${escapeHtml(excerpt)}</q></li>`;
}

function toHtmlSection({ heading, items, form }: ReportSection): string {
	const texts = items.map((item) => toItem(item, escapeHtml, (n) => `<a href="#c${n}">[${n}]</a>`));
	const body =
		form === "prose"
			? `<p>${texts.join(" ")}</p>`
			: `<ul>${texts.map((text) => `<li>${text}</li>`).join("")}</ul>`;
	return `<h2>${escapeHtml(heading)}</h2>${body}`;
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
		...sections.filter(({ items }) => items.length > 0).map(toMarkdownSection),
		...(citations.length > 0
			? [["## References\n", ...citations.map(toMarkdownReference)].join("\n")]
			: []),
	];
	return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function toMarkdownReference(citation: CitationWire): string {
	const { n, title, publisher, published_at: date, source_url: url, excerpt } = citation;
	const facts = [publisher, date ?? "undated"].map(escapeMarkdown).join(", ");
	return `${n}. ${escapeMarkdown(title)} (${facts}).${toAutolink(url)} Cited for: ${escapeMarkdown(excerpt)}`;
}

function toMarkdownSection({ heading, items, form }: ReportSection): string {
	const texts = items.map((item) => toItem(item, escapeMarkdown, (n) => `\\[${n}\\]`));
	const body = form === "prose" ? texts.join(" ") : texts.map((text) => `- ${text}`).join("\n");
	return `## ${escapeMarkdown(heading)}\n\n${body}`;
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
