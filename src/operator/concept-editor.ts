import { type Clock, ServiceError, toIsoDay } from "../kernel/kernel.js";
import {
	type BundleChanges,
	type Changeable,
	conceptAt,
	type Finding,
	markOf,
	RECORD_PATH,
	readMemory,
	reasonAgainstPath,
	reasonToSkip,
	toConceptId,
	toRecordFile,
	valueAt,
} from "../knowledge/knowledge.js";
import type { GraphRepository } from "./graph-repository.js";

export interface ConceptPut {
	readonly graph_id: string;
	/** From the bundle's root, with `.md`. */
	readonly path: string;
	/** The whole file: front matter with a type, then Markdown. */
	readonly markdown: string;
}

export interface ConceptRemoval {
	readonly graph_id: string;
	readonly concept_id: string;
}

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
export interface ConceptEditor {
	/** Throws NOT_FOUND, and INVALID_ARGUMENT for a file that cannot be a concept of this graph. */
	put(request: ConceptPut): Promise<ConceptReport>;
	/** Throws NOT_FOUND, and INVALID_ARGUMENT for a graph's last concept. */
	remove(request: ConceptRemoval): Promise<ConceptReport>;
}

export interface ConceptEditorDeps {
	readonly shelf: GraphRepository;
	readonly clock: Clock;
	/** Runs one thing at a time that changes imported files. */
	readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createConceptEditor({ shelf, clock, inTurn }: ConceptEditorDeps): ConceptEditor {
	const timed = (work: () => Promise<Omit<ConceptReport, "visible_ms">>) => {
		const startedMs = clock.monotonicMs();
		return inTurn(async () => {
			const outcome = await work();
			return { ...outcome, visible_ms: Math.round(clock.monotonicMs() - startedMs) };
		});
	};
	const today = () => toIsoDay(clock.now());
	return {
		put: (request) => timed(() => putConcept(shelf, today(), request)),
		remove: (request) => timed(() => removeConcept(shelf, today(), request)),
	};
}

type Outcome = Omit<ConceptReport, "visible_ms">;

async function putConcept(
	shelf: GraphRepository,
	today: string,
	{ graph_id, path, markdown }: ConceptPut,
): Promise<Outcome> {
	const graph = shelf.getOwn(graph_id);
	const bytes = new TextEncoder().encode(markdown);
	await readMemory(graph);
	const reason = reasonAgainstPath(path, graph) ?? reasonAgainstFile(path, bytes);
	if (reason !== undefined) throw new ServiceError("INVALID_ARGUMENT", reason);
	const known = conceptAt(graph.concepts, path);
	const outcome = { graph_id, concept_id: toConceptId(path) };
	if (known && valueAt(graph.memory.files, path)?.sha256 === markOf(bytes).sha256) {
		return { ...outcome, change: "unchanged", nodes: graph.concepts.length, warnings: [] };
	}
	let warnings: readonly string[] = [];
	const changes = new Map([[path, bytes], ...renewRecord(graph, today)]);
	const { concepts } = await shelf.change(graph, changes, ({ findings }) => {
		assertNoError(findings);
		warnings = findings.filter(({ file }) => file === path).map(({ message }) => message);
		return undefined;
	});
	return { ...outcome, change: known ? "changed" : "added", nodes: concepts.length, warnings };
}

async function removeConcept(
	shelf: GraphRepository,
	today: string,
	{ graph_id, concept_id }: ConceptRemoval,
): Promise<Outcome> {
	const graph = shelf.getOwn(graph_id);
	const known = graph.concepts.find(({ id }) => id === concept_id);
	if (!known) {
		throw new ServiceError(
			"NOT_FOUND",
			`The graph "${graph_id}" has no concept "${concept_id.slice(0, 200)}".`,
		);
	}
	if (graph.concepts.length === 1) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`"${concept_id}" is the last concept of "${graph_id}"; a graph on sale has at least one.`,
		);
	}
	const changes: BundleChanges = new Map<string, Uint8Array | undefined>([
		[known.path, undefined],
		...renewRecord(graph, today),
	]);
	const { concepts } = await shelf.change(graph, changes);
	return { graph_id, concept_id, change: "removed", nodes: concepts.length, warnings: [] };
}

function reasonAgainstFile(path: string, bytes: Uint8Array): string | undefined {
	const fault = reasonToSkip(bytes);
	return fault === undefined ? undefined : `"${path}" cannot be a concept. ${fault}`;
}

function assertNoError(findings: readonly Finding[]): void {
	const errors = findings.filter(({ severity }) => severity === "error");
	const [first] = errors;
	if (!first) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${first.file}" cannot be a concept. ${first.message}`,
		{
			details: errors.map(({ message }) => ({ path: "markdown", message })),
		},
	);
}

/** The record tells callers how fresh a graph is. The listing is left to the next import: it is as long as the graph. */
function renewRecord(
	{ record }: Changeable,
	today: string,
): readonly (readonly [string, Uint8Array])[] {
	if (record.updated >= today) return [];
	const text = toRecordFile({ ...record, updated: today });
	return [[RECORD_PATH, new TextEncoder().encode(text)]];
}
