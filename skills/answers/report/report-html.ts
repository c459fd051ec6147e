import { visibleText } from "../../../src/kernel/kernel.js";
import type { ReportDocument, ReportItem, ReportSection } from "./report-document.js";

const STYLE =
	"body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}dt{font-weight:600}dd{margin:0 0 .5rem}li{margin:.3rem 0}";

/** One self-contained page without script, pictures or forms; its links lead to the cited sources and within itself. */
export function toHtml({ title, facts, sections, citations }: ReportDocument): string {
	const body = [
		`<h1>${escapeText(title)}</h1>`,
		`<dl>${facts.map(([label, value]) => `<dt>${escapeText(label)}</dt><dd>${escapeText(value)}</dd>`).join("")}</dl>`,
		...sections.filter(({ items }) => items.length > 0).map(toSection),
		...(citations.length > 0
			? [
					`<h2>References</h2><ol>${citations
						.map(
							({ n, title: name, publisher, published_at: date, source_url, excerpt }) =>
								`<li id="c${n}">${toLink(source_url, name)} (${escapeText(publisher)}, ${escapeText(date ?? "undated")}). <q>${escapeText(excerpt)}</q></li>`,
						)
						.join("")}</ol>`,
				]
			: []),
	];
	return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escapeText(title)}</title><style>${STYLE}</style></head><body>\n${body.join("\n")}\n</body></html>\n`;
}

function toSection({ heading, items, form }: ReportSection): string {
	const texts = items.map(toItem);
	const body =
		form === "prose"
			? `<p>${texts.join(" ")}</p>`
			: `<ul>${texts.map((text) => `<li>${text}</li>`).join("")}</ul>`;
	return `<h2>${escapeText(heading)}</h2>${body}`;
}

function toItem({ text, citationIds, note }: ReportItem): string {
	const marks = citationIds.map((n) => `<a href="#c${n}">[${n}]</a>`).join("");
	const behind = [marks, note === undefined ? "" : `(${escapeText(note)})`].filter(Boolean);
	return [escapeText(text), ...behind].join(" ");
}

function toLink(address: string, name: string): string {
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (!url || !/^https?:$/.test(url.protocol)) return escapeText(name);
	return `<a href="${escapeText(url.href)}" rel="nofollow noopener noreferrer">${escapeText(name)}</a>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

function escapeText(text: string): string {
	return visibleText(text)
		.replace(/\s+/g, " ")
		.trim()
		.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
