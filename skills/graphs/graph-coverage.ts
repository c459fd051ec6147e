import type { Concept, Graph } from "../../src/knowledge/knowledge.js";

/** What somebody covers, in numbers. */
export interface Coverage {
	readonly notes: number;
	/** Distinct sources of the notes. */
	readonly sources: number;
	readonly updated: string;
}

const known = new WeakMap<Graph, Coverage>();

/** Of a whole graph; counted once per revision of it. */
export function coverageOf(graph: Graph): Coverage {
	const made = known.get(graph) ?? countCoverage(graph, graph.concepts);
	known.set(graph, made);
	return made;
}

export function countCoverage({ record }: Graph, concepts: readonly Concept[]): Coverage {
	const sources = new Set<string>();
	for (const { evidence } of concepts) for (const { sourceUrl } of evidence) sources.add(sourceUrl);
	return { notes: concepts.length, sources: sources.size, updated: record.updated };
}
