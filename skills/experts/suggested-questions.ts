import { contentTerms, contentWords, coverageOf } from "../../src/evidence/evidence.js";
import type { Concept, Graph } from "../../src/knowledge/knowledge.js";
import { CONSULT_LIMITS } from "./consult-wire.js";

export interface SuggestionRequest {
	readonly graph: Graph;
	readonly question: string;
	/** Concepts the answer rests on; their neighbors are what to ask about next. */
	readonly concepts: readonly Concept[];
}

/** Questions worth asking next: neighbors of what was cited first, then the graph's own examples, those nearest to the question first. */
export function suggestQuestions({ graph, question, concepts }: SuggestionRequest) {
	const cited = new Set(concepts.map(({ id }) => id));
	const targets = new Set(concepts.flatMap(({ edges }) => edges.map(({ target }) => target)));
	const linked = graph.concepts
		.filter(({ id }) => targets.has(id) && !cited.has(id))
		.slice(0, CONSULT_LIMITS.suggestions / 2)
		.map(({ title }) => `What follows from "${title}" for this?`);
	const terms = contentTerms(question);
	const likenessOf = (text: string) => coverageOf(contentWords(text), terms);
	const examples = graph.record.exampleQueries
		.filter((text) => text !== question)
		.map((text) => ({ text, likeness: likenessOf(text) }))
		.sort((a, b) => b.likeness - a.likeness)
		.map(({ text }) => text);
	return [...new Set([...linked, ...examples])].slice(0, CONSULT_LIMITS.suggestions);
}
