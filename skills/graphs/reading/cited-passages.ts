import {
	type Concept,
	type Evidence,
	FOOTNOTE,
	type Steps,
	toParagraphs,
	toPlainText,
	toSections,
} from "../../../src/knowledge/knowledge.js";

/** A piece of a concept's text and the sources it is cited for. */
export interface CitedPassage {
	/** One paragraph, without Markdown. */
	readonly text: string;
	readonly evidence: readonly Evidence[];
}

/**
 * A concept's summary and paragraphs, in reading order. A paragraph carries the sources its footnotes name; where a concept
 * has no footnotes at all, each paragraph carries all of its sources, and so does the summary.
 */
export function* readCitedPassages(concept: Concept): Steps<readonly CitedPassage[]> {
	const { summary, body, evidence } = concept;
	const byId = new Map(evidence.map((source) => [source.articleId, source]));
	const hasFootnotes = namesIn(body).some((name) => byId.has(name));
	const passages: CitedPassage[] = [];
	let isTold = summary === "";
	for (const { lines } of toSections(body)) {
		for (const markdown of toParagraphs(lines)) {
			const text = toPlainText(markdown);
			yield;
			if (!/\p{L}/u.test(text)) continue;
			const named = () => [...new Set(namesIn(markdown))].flatMap((name) => byId.get(name) ?? []);
			passages.push({ text, evidence: hasFootnotes ? named() : evidence });
			isTold ||= text === summary;
		}
	}
	return isTold ? passages : [{ text: summary, evidence }, ...passages];
}

function namesIn(markdown: string): readonly string[] {
	return [...markdown.matchAll(FOOTNOTE)].map(([, name = ""]) => name);
}
