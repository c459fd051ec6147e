import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { graphIdField } from "../contract/contract.js";
import {
	type Clock,
	invalidArgument,
	type Logger,
	notFound,
	toIsoDay,
	unavailable,
} from "../kernel/kernel.js";
import {
	assertLoadable,
	type BundleChange,
	type BundleChanges,
	type Changeable,
	changeBundle,
	conceptAt,
	type Finding,
	type Graph,
	type GraphCatalog,
	type GraphHistory,
	isChangeable,
	markOf,
	RECORD_PATH,
	readMemory,
	reasonAgainstPath,
	reasonToSkip,
	toConceptId,
	toRecordFile,
	updateBundle,
	type VersionCause,
	valueAt,
} from "../knowledge/knowledge.js";
import type { SearchEngine, SyncOptions } from "../search/search.js";

/** Graphs whose files are ours: what the disk holds, the index finds and the catalog sells changes together, in this order. */
export type GraphRepository = ReturnType<typeof createGraphRepository>;

export function createGraphRepository({
	catalog,
	search,
	folder,
	history,
	logger,
}: {
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
	/** Earlier versions of them. */
	readonly history: GraphHistory;
	readonly logger: Logger;
}) {
	const home = resolve(folder);
	let isInStep = false;

	/** A small change is small for an index only that holds what was there before; a command without a server begins with none. */
	const bringInStep = async () => {
		if (!isInStep) await search.sync(catalog.list(), { vectors: "background" });
		isInStep = true;
	};
	/** Undefined where `getOwn` throws. */
	const findOwn = (id: string): Changeable | undefined => {
		const graph = catalog.find(id);
		const isOurs = graph?.record.id === id && dirname(resolve(graph.folder)) === home;
		return isOurs && isChangeable(graph) ? graph : undefined;
	};
	const publish = createPublishing({ catalog, search });
	const apply = createApplying({ catalog, search, history, logger, publish, bringInStep });
	return {
		findOwn,
		publish,
		/** Throws NOT_FOUND, and INVALID_ARGUMENT for a graph whose files are someone else's. */
		getOwn(id: string): Changeable {
			const own = findOwn(catalog.get(id).record.id);
			if (own) return own;
			throw invalidArgument(
				`The files of the graph "${id}" are not ours to change: it was not imported. Change them where they are and start anew, or import that folder under an id of its own first.`,
			);
		},
		/**
		 * Changes files of a graph on the disk, durably, then in the index, then on sale. `judge` sees what the change would make
		 * before anything happens: it throws what speaks against it, or returns files that are to change along. Throws
		 * INVALID_ARGUMENT, too, for more than can be loaded as one graph.
		 */
		async change(
			graph: Changeable,
			changes: BundleChanges,
			cause: VersionCause,
			judge?: (change: BundleChange) => BundleChanges | undefined,
		): Promise<Graph> {
			return apply(await stageChange(graph, changes, judge), { cause });
		},
		stage: stageChange,
		apply,
		/** Takes back a change that was applied, if nothing else changed the graph since. */
		async revert({ graph, next }: StagedChange): Promise<void> {
			const now = findOwn(graph.record.id);
			if (now?.contentHash !== next.contentHash) return;
			const last = (await history.versionsOf(now)).at(-1);
			if (!last || last.number < 2) return;
			const undo = await history.changesBackTo(now, last.number - 1);
			await apply(await stageChange(now, undo), { cause: "rollback" });
		},
		/** The number of the version on sale. */
		versionOf: async (graph: Graph): Promise<number> =>
			(await history.versionsOf(graph)).at(-1)?.number ?? 1,
		/** Brings the index in line with what is on sale. */
		reindex: () => search.sync(catalog.list(), { vectors: "background" }),
		/**
		 * Resolves when everything on sale now has its vectors, or once the model has failed. Call it where nothing else changes
		 * graphs, and wait for it anywhere: later changes take over what it has not done yet.
		 */
		complete(onProgress?: SyncOptions["onProgress"]): Promise<void> {
			const complete = search.sync(catalog.list(), onProgress && { onProgress });
			// The caller awaits it; until then a failure must not count as an unhandled rejection.
			complete.catch(() => undefined);
			return complete;
		},
	};
}

interface Publishing {
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
}

/** Indexes a graph, and then puts it on sale; not once `signal` says that it is no longer wanted. */
function createPublishing({ catalog, search }: Publishing) {
	return async (
		graph: Graph,
		{ signal, former, ...options }: PublishOptions = {},
	): Promise<void> => {
		const taken = new Set([graph.record.id, former]);
		const others = catalog.list().filter(({ record }) => !taken.has(record.id));
		// On sale only once it can be searched.
		await search.sync([...others, graph], options);
		assertWanted(signal);
		catalog.put(graph);
	};
}

/** What a change would make; nothing has happened yet. */
async function stageChange(
	graph: Changeable,
	changes: BundleChanges,
	judge?: (change: BundleChange) => BundleChanges | undefined,
): Promise<StagedChange> {
	const read = (path: string) => readFile(join(graph.folder, path));
	const change = await changeBundle(graph, changes, read);
	const more = judge?.(change) ?? new Map();
	let next = change.graph;
	if (more.size > 0 && isChangeable(next)) next = (await changeBundle(next, more, read)).graph;
	if (isChangeable(next)) assertLoadable(next.memory);
	return { graph, next, changes: new Map([...changes, ...more]) };
}

interface Applying extends Publishing {
	readonly history: GraphHistory;
	readonly logger: Logger;
	readonly publish: ReturnType<typeof createPublishing>;
	readonly bringInStep: () => Promise<void>;
}

/** Changes a graph on the disk, durably, then in the index, then on sale; or nothing of it. */
function createApplying({ catalog, search, history, logger, publish, bringInStep }: Applying) {
	return async (
		{ graph, next, changes }: StagedChange,
		{ cause, signal }: { readonly cause: VersionCause; readonly signal?: AbortSignal | undefined },
	): Promise<Graph> => {
		await bringInStep();
		const before = await readBefore(graph, changes);
		assertWanted(signal);
		const note = await history.note(graph, next, { cause, undo: before });
		const withdraw = async (error: unknown) => {
			await note.withdraw();
			throw error;
		};
		const unfinished = await updateBundle(graph.folder, changes).catch(withdraw);
		// A promise holds: what is on sale is what the disk will hold.
		if (unfinished !== undefined) {
			const { id } = graph.record;
			logger.error("a change of a graph is not finished", { graph: id, reason: unfinished });
		}
		try {
			await publish(next, { vectors: "background", signal });
		} catch (error) {
			await updateBundle(graph.folder, before);
			await search.sync(catalog.list(), { vectors: "background" });
			return await withdraw(error);
		}
		await note.finish();
		return next;
	};
}

interface PublishOptions extends SyncOptions {
	readonly signal?: AbortSignal | undefined;
	/** The id the graph had until now. */
	readonly former?: string;
}

/** A graph and what files of it are to change, with what that makes. */
export interface StagedChange {
	readonly graph: Changeable;
	readonly next: Graph;
	readonly changes: BundleChanges;
}

/** Throws UNAVAILABLE once the work is no longer wanted. */
export function assertWanted(signal: AbortSignal | undefined): void {
	if (!signal?.aborted) return;
	throw unavailable("The work was stopped before it was done; what was on sale is on sale.", {
		retryable: false,
	});
}

/** The same files as they are now. */
async function readBefore(
	{ folder, memory }: Changeable,
	changes: BundleChanges,
): Promise<BundleChanges> {
	const before = new Map<string, Uint8Array | undefined>();
	for (const path of changes.keys()) {
		const isThere = valueAt(memory.files, path) !== undefined;
		before.set(path, isThere ? await readFile(join(folder, path)) : undefined);
	}
	return before;
}

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
	const today = () => toIsoDay(clock.now());
	return {
		/** Throws NOT_FOUND, and INVALID_ARGUMENT for a file that cannot be a concept of this graph. */
		put: (request: ConceptPut) => timed(() => putConcept(repository, today(), request)),
		/** Throws NOT_FOUND, and INVALID_ARGUMENT for a graph's last concept. */
		remove: (request: ConceptRemoval) => timed(() => removeConcept(repository, today(), request)),
	};
}

async function putConcept(
	repository: GraphRepository,
	today: string,
	{ graph_id, path, markdown }: ConceptPut,
): Promise<Outcome> {
	const graph = repository.getOwn(graph_id);
	const bytes = new TextEncoder().encode(markdown);
	await readMemory(graph);
	const fault = reasonToSkip(bytes);
	const reason =
		reasonAgainstPath(path, graph) ?? (fault && `"${path}" cannot be a concept. ${fault}`);
	if (reason !== undefined) throw invalidArgument(reason);
	const known = conceptAt(graph.concepts, path);
	const outcome = { graph_id, concept_id: toConceptId(path) };
	if (known && valueAt(graph.memory.files, path)?.sha256 === markOf(bytes).sha256) {
		return { ...outcome, change: "unchanged", nodes: graph.concepts.length, warnings: [] };
	}
	let warnings: readonly string[] = [];
	const changes = new Map([[path, bytes], ...renewRecord(graph, today)]);
	const { concepts } = await repository.change(graph, changes, "concept", ({ findings }) => {
		assertNoError(findings);
		warnings = findings.filter(({ file }) => file === path).map(({ message }) => message);
		return undefined;
	});
	return { ...outcome, change: known ? "changed" : "added", nodes: concepts.length, warnings };
}

async function removeConcept(
	repository: GraphRepository,
	today: string,
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
	const changes: BundleChanges = new Map<string, Uint8Array | undefined>([
		[known.path, undefined],
		...renewRecord(graph, today),
	]);
	const { concepts } = await repository.change(graph, changes, "concept");
	return { graph_id, concept_id, change: "removed", nodes: concepts.length, warnings: [] };
}

function assertNoError(findings: readonly Finding[]): void {
	const errors = findings.filter(({ severity }) => severity === "error");
	const [first] = errors;
	if (!first) return;
	throw invalidArgument(`"${first.file}" cannot be a concept. ${first.message}`, {
		details: errors.map(({ message }) => ({ path: "markdown", message })),
	});
}

/** The record shows callers how fresh a graph is. The listing is left to the next import: it is as long as the graph. */
function renewRecord(
	{ record }: Changeable,
	today: string,
): readonly (readonly [string, Uint8Array])[] {
	if (record.updated >= today) return [];
	const text = toRecordFile({ ...record, updated: today });
	return [[RECORD_PATH, new TextEncoder().encode(text)]];
}
