import { z } from "zod";
import { graphIdField } from "../../contract/contract.js";
import { type Clock, invalidArgument, notFound } from "../../kernel/kernel.js";
import { conceptAt, markOf, readMemory, toConceptId, valueAt } from "../../knowledge/knowledge.js";
import type { GraphRepository } from "../publication/graph-repository.js";
import { changeConcepts } from "./concept-files.js";

/** What the operator's commands about concepts take. */
export const conceptCommands = {
	put: z.strictObject({
		graph_id: graphIdField,
		/** From the bundle's root, with `.md`. */
		path: z.string().min(1).max(4_096),
		/** The whole file: front matter with a type, then Markdown. */
		markdown: z.string(),
	}),
	remove: z.strictObject({ graph_id: graphIdField, concept_id: z.string().min(1).max(4_096) }),
};
export type ConceptPut = z.output<typeof conceptCommands.put>;
export type ConceptRemoval = z.output<typeof conceptCommands.remove>;

export interface ConceptReport {
	readonly graph_id: string;
	readonly concept_id: string;
	readonly change: "added" | "changed" | "removed" | "unchanged";
	/** Concepts the graph has now. */
	readonly nodes: number;
	/** From the request until searches saw the change. */
	readonly visible_ms: number;
	/** What a curator may want to look at, one sentence each. */
	readonly warnings: readonly string[];
}

/** Changes imported graphs one concept at a time. */
export type ConceptEditor = ReturnType<typeof createConceptEditor>;

type Outcome = Omit<ConceptReport, "visible_ms">;

export function createConceptEditor({
	repository,
	clock,
	inTurn,
}: {
	readonly repository: GraphRepository;
	readonly clock: Clock;
	/** Runs one thing at a time that changes imported files. */
	readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}) {
	const timed = (work: () => Promise<Outcome>): Promise<ConceptReport> => {
		const startedMs = clock.monotonicMs();
		return inTurn(async () => {
			const outcome = await work();
			return { ...outcome, visible_ms: Math.round(clock.monotonicMs() - startedMs) };
		});
	};
	return {
		/** Throws NOT_FOUND, and INVALID_ARGUMENT for a file that cannot be a concept of this graph. */
		put: (request: ConceptPut) => timed(() => putConcept(repository, clock.now(), request)),
		/** Throws NOT_FOUND, and INVALID_ARGUMENT for a graph's last concept. */
		remove: (request: ConceptRemoval) =>
			timed(() => removeConcept(repository, clock.now(), request)),
	};
}

async function putConcept(
	repository: GraphRepository,
	now: number,
	{ graph_id, path, markdown }: ConceptPut,
): Promise<Outcome> {
	const graph = repository.getOwn(graph_id);
	const bytes = new TextEncoder().encode(markdown);
	await readMemory(graph);
	const known = conceptAt(graph.concepts, path);
	const outcome = { graph_id, concept_id: toConceptId(path) };
	if (known && valueAt(graph.memory.files, path)?.sha256 === markOf(bytes).sha256) {
		return { ...outcome, change: "unchanged", nodes: graph.concepts.length, warnings: [] };
	}
	const changed = await changeConcepts({ repository, now }, graph, new Map([[path, bytes]]));
	const { concepts } = changed.graph;
	const warnings = changed.findings.filter(({ file }) => file === path);
	return {
		...outcome,
		change: known ? "changed" : "added",
		nodes: concepts.length,
		warnings: warnings.map(({ message }) => message),
	};
}

async function removeConcept(
	repository: GraphRepository,
	now: number,
	{ graph_id, concept_id }: ConceptRemoval,
): Promise<Outcome> {
	const graph = repository.getOwn(graph_id);
	const known = graph.concepts.find(({ id }) => id === concept_id);
	if (!known) {
		throw notFound(`The graph "${graph_id}" has no concept "${concept_id.slice(0, 200)}".`);
	}
	if (graph.concepts.length === 1) {
		throw invalidArgument(
			`"${concept_id}" is the last concept of "${graph_id}"; a graph on sale has at least one.`,
		);
	}
	const changed = await changeConcepts(
		{ repository, now },
		graph,
		new Map([[known.path, undefined]]),
	);
	const { concepts } = changed.graph;
	return { graph_id, concept_id, change: "removed", nodes: concepts.length, warnings: [] };
}
