import type { Concept, Graph, Steps } from "../../../src/knowledge/knowledge.js";
import { createGraphIndex } from "./graph-index.js";
import { mapOf } from "./graph-map.js";
import { firstBehind } from "./sorted-search.js";

/** The last day on which each concept was written or verified, by its place; empty where nothing is known. */
export const writtenDays = createGraphIndex(toWrittenDays);

/** Concepts written or verified on this day or later, by id, behind the one that is named. */
export function* writtenSince(graph: Graph, day: string, after: string): Generator<Concept> {
	const { concepts } = mapOf(graph);
	const days = writtenDays.of(graph);
	for (let place = firstBehind(concepts, ({ id }) => id, after); place < concepts.length; place++) {
		const concept = concepts[place];
		const written = days[place] ?? "";
		if (concept && written !== "" && written >= day) yield concept;
	}
}

function* toWrittenDays(graph: Graph): Steps<readonly string[]> {
	const days: string[] = [];
	for (const { generatedAt = "", verified = [] } of mapOf(graph).concepts) {
		days.push(verified.reduce((last, { at = "" }) => (at > last ? at : last), generatedAt));
		yield;
	}
	return days;
}
