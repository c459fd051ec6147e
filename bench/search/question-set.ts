import type { Concept, Graph } from "../../src/knowledge/model/graph.js";
import type { Grades } from "./metrics.js";

export interface Question {
	readonly id: string;
	readonly kind: string;
	/** Why somebody may think that it has an answer, for one that has none and where somebody says it. */
	readonly trap?: string;
	readonly query: string;
	readonly graphs: readonly Graph[];
	/** By `documentId`; empty when nothing answers it. */
	readonly grades: Grades;
	/** Undefined where no one has judged whether there is an answer. */
	readonly isAnswerable: boolean | undefined;
}

/** Questions with their judgments, and the graphs they are asked of. */
export interface QuestionSet {
	readonly name: string;
	readonly graphs: readonly Graph[];
	readonly questions: readonly Question[];
}

/** `<graph id>:<concept id>`: what rankings and judgments are compared by. */
export function documentId(graph: Graph, concept: Concept): string {
	return `${graph.record.id}:${concept.id}`;
}
