import type { Concept } from "../../src/knowledge/model/graph.js";

/** Invented places: what sets one copy apart from the next, and what no one asks for. */
const PLACES = [
	"Abelmoor",
	"Brackwell",
	"Corvane",
	"Dunmarsh",
	"Eldreth",
	"Farrowby",
	"Gildenau",
	"Harnsted",
	"Ilverton",
	"Jorrund",
	"Kestmere",
	"Lorvale",
	"Marnhof",
	"Norwick",
	"Ostrand",
	"Pellmark",
	"Quenby",
	"Rossholm",
	"Silvane",
	"Tarnow",
] as const;

const SENTENCE_END = /(?<=[.!?])\s+/;

/**
 * Each concept once more for so many places, at most twenty: the same said of another place, in another order of sentences. As a
 * graph is that says the like of many things, all of which answer.
 */
export function multiplyRows(concepts: readonly Concept[], times: number): readonly Concept[] {
	return PLACES.slice(0, times).flatMap((place, turn) =>
		concepts.map((concept) => ({
			...concept,
			id: `${concept.id}-${place.toLowerCase()}`,
			path: `${concept.path}-${place.toLowerCase()}`,
			title: `${concept.title} in ${place}`,
			summary: `${place}. ${turned(concept.summary, turn)}`,
			body: `${turned(concept.body, turn)}\n\nSo it is in ${place}.`,
			aliases: [],
			edges: [],
		})),
	);
}

/** The sentences from another one on, the first ones last. */
function turned(text: string, turn: number): string {
	const sentences = text.split(SENTENCE_END);
	const from = turn % sentences.length;
	return [...sentences.slice(from), ...sentences.slice(0, from)].join(" ");
}
