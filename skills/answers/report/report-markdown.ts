import { visibleText } from "../../../src/kernel/kernel.js";
import type { ReportDocument, ReportItem, ReportSection } from "./report-document.js";

/** CommonMark in which nothing but the headings, lists and references written here is markup. */
export function toMarkdown({ title, facts, sections, citations }: ReportDocument): string {
	const blocks = [
		`# ${escapeText(title)}`,
		facts.map(([label, value]) => `- ${escapeText(label)}: ${escapeText(value)}`).join("\n"),
		...sections.filter(({ items }) => items.length > 0).map(toSection),
		...(citations.length > 0
			? [
					[
						"## References\n",
						...citations.map((citation) => {
							const { n, title: name, publisher, published_at: date, excerpt } = citation;
							const facts = [publisher, date ?? "undated"].map(escapeText).join(", ");
							const link = toAddress(citation.source_url);
							return `${n}. ${escapeText(name)} (${facts}).${link} Cited for: ${escapeText(excerpt)}`;
						}),
					].join("\n"),
				]
			: []),
	];
	return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function toSection({ heading, items, form }: ReportSection): string {
	const texts = items.map(toItem);
	const body = form === "prose" ? texts.join(" ") : texts.map((text) => `- ${text}`).join("\n");
	return `## ${escapeText(heading)}\n\n${body}`;
}

function toItem({ text, citationIds, note }: ReportItem): string {
	const marks = citationIds.map((n) => `\\[${n}\\]`).join("");
	const behind = [marks, note === undefined ? "" : `(${escapeText(note)})`].filter(Boolean);
	return [escapeText(text), ...behind].join(" ");
}

/** Every ASCII punctuation character that CommonMark could read as markup, behind a backslash; line breaks as spaces. */
function escapeText(text: string): string {
	return (
		visibleText(text)
			.replace(/\s+/g, " ")
			.trim()
			.replace(/[\\`*_{}[\]<>()#+!|~&$:@-]/g, "\\$&")
			// A number that would begin a list, and what readers of a wider dialect take for an address.
			.replace(/^\d+(?=\.)|www(?=\.)/gi, "$&\\")
	);
}

/** As an autolink, where the address is one and holds nothing that could end it. */
function toAddress(address: string): string {
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (!url || !/^https?:$/.test(url.protocol)) return "";
	return ` <${url.href.replace(/[<>\s]/g, encodeURIComponent)}>`;
}
