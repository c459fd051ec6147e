import type { Concept } from "../../knowledge/knowledge.js";
import { toPlainText } from "./plain-text.js";

/** A window this long fits the embedding model's context and still speaks of one thing. */
const WINDOW_WORDS = 160;
const MIN_WINDOW_WORDS = 20;
/** Documents say what they are about first; later windows add cost faster than they add recall. */
const MAX_WINDOWS = 5;

/**
 * What of a concept gets a vector: first its title and summary, then windows over the body, each led by the title.
 * At least one and at most six passages.
 */
export function toPassages(concept: Concept): readonly string[] {
	const head = [concept.title, concept.summary].filter((text) => text !== "").join(". ");
	return [head || concept.id, ...windowsOf(concept).map((text) => `${concept.title}. ${text}`)];
}

function windowsOf(concept: Concept): string[] {
	const words = toPlainText(concept.body)
		.split(/\s+/)
		.filter((word) => word !== "");
	const windows: string[] = [];
	for (let start = 0; start < words.length && windows.length < MAX_WINDOWS; start += WINDOW_WORDS) {
		const window = words.slice(start, start + WINDOW_WORDS);
		if (window.length >= MIN_WINDOW_WORDS || windows.length === 0) windows.push(window.join(" "));
	}
	return windows;
}
