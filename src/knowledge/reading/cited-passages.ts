import type { Concept, Evidence } from "../graph.js";
import { toParagraphs, toSections } from "../markdown-prose.js";
import { toPlainText } from "../served-text.js";

/** A piece of a concept's text and the sources it is cited for. */
export interface CitedPassage {
	/** One paragraph, without Markdown. */
	readonly text: string;
	readonly evidence: readonly Evidence[];
}

const REFERENCE = /\[\^([^\]\s]{1,200})\](?!:)/g;

/**
 * A concept's summary and paragraphs, in reading order. A paragraph carries the sources its footnotes name; where a concept
 * has no footnotes at all, each paragraph carries all of its sources, and so does the summary.
 */
export function toCitedPassages(concept: Concept): readonly CitedPassage[] {
	const { summary, body, evidence } = concept;
	const byId = new Map(evidence.map((source) => [source.articleId, source]));
	const hasFootnotes = namesIn(body).some((name) => byId.has(name));
	const paragraphs = toSections(body)
		.flatMap(({ lines }) => toParagraphs(lines))
		.map((markdown) => ({
			text: toPlainText(markdown),
			evidence: hasFootnotes
				? [...new Set(namesIn(markdown))].flatMap((name) => byId.get(name) ?? [])
				: evidence,
		}))
		.filter(({ text }) => /\p{L}/u.test(text));
	const lead = { text: summary, evidence };
	const isTold = paragraphs.some(({ text }) => text === summary);
	return summary === "" || isTold ? paragraphs : [lead, ...paragraphs];
}

function namesIn(markdown: string): readonly string[] {
	return [...markdown.matchAll(REFERENCE)].map(([, name = ""]) => name);
}
