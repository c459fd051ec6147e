import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import {
	invalidArgument,
	type Logger,
	type ServiceError,
	unavailable,
} from "../../kernel/kernel.js";
import {
	assertLoadable,
	type BundleChange,
	type BundleChanges,
	type Changeable,
	changeBundle,
	type Graph,
	type GraphCatalog,
	type GraphHistory,
	isChangeable,
	type MadeVersion,
	updateBundle,
	type VersionCause,
	valueAt,
} from "../../knowledge/knowledge.js";
import type { SearchEngine, SyncOptions } from "../../search/search.js";
import type { GraphPublication, Publishing } from "./graph-publication.js";

/** Graphs whose files are ours: what the disk holds, the index finds and the catalog sells changes together, in this order. */
export type GraphRepository = ReturnType<typeof createGraphRepository>;

export function createGraphRepository({
	catalog,
	search,
	folder,
	history,
	logger,
	publication,
}: {
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
	/** Earlier versions of them. */
	readonly history: GraphHistory;
	readonly logger: Logger;
	/** Tells other processes what changes here; none where there are none. */
	readonly publication?: GraphPublication | undefined;
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
		const graph = catalog.findHeld(id);
		const isOurs = graph !== undefined && dirname(resolve(graph.folder)) === home;
		return isOurs && isChangeable(graph) ? graph : undefined;
	};
	const publish = createPublishing({ catalog, search, publication });
	const apply = createApplying({ catalog, search, history, logger, publish, bringInStep });
	return {
		findOwn,
		publish,
		...createAnnouncements(publication),
		/** Throws NOT_FOUND, and INVALID_ARGUMENT for a graph whose files are someone else's. */
		getOwn(id: string): Changeable {
			const own = findOwn(catalog.getHeld(id).record.id);
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
			const made = search.sync(catalog.list(), onProgress && { onProgress });
			const complete = publication ? made.then(publication.shareVectors) : made;
			// The caller awaits it; until then a failure must not count as an unhandled rejection.
			complete.catch(() => undefined);
			return complete;
		},
	};
}

/** What other processes have to know before it happens here. */
function createAnnouncements(publication: GraphPublication | undefined) {
	return {
		/** What all processes keep of earlier versions; undefined where there is only this one. */
		archive: publication?.archive,
		/** Says that a graph is gone. Throws CONFLICT where another process has changed it. */
		withdraw: async (id: string): Promise<void> => publication?.withdraw(id),
		/** Says that a graph is about to have another id. Throws as `withdraw` does. */
		announce: async (graph: Graph, publishing: Publishing): Promise<void> =>
			publication?.publish(graph, publishing),
	};
}

interface SaleParts {
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	readonly publication: GraphPublication | undefined;
}

/** Indexes a graph, tells other processes, and then puts it on sale; not once `signal` says that it is no longer wanted. */
function createPublishing({ catalog, search, publication }: SaleParts) {
	return async (
		graph: Graph,
		{ signal, former, isShared = false, change, ...options }: PublishOptions = {},
	): Promise<void> => {
		const taken = new Set([graph.record.id, former]);
		const others = catalog.list().filter(({ record }) => !taken.has(record.id));
		// On sale only once it can be searched.
		const sold = graph.concepts.length > 0 ? [...others, graph] : others;
		await search.sync(sold, options);
		assertWanted(signal);
		if (!isShared) await publication?.publish(graph, change && { change });
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

interface Applying extends Omit<SaleParts, "publication"> {
	readonly history: GraphHistory;
	readonly logger: Logger;
	readonly publish: ReturnType<typeof createPublishing>;
	readonly bringInStep: () => Promise<void>;
}

/** Changes a graph on the disk, durably, then in the index, then on sale; or nothing of it. */
function createApplying({ catalog, search, history, logger, publish, bringInStep }: Applying) {
	return async (
		{ graph, next, changes }: StagedChange,
		{ cause, signal, made, donors }: ApplyOptions,
	): Promise<Graph> => {
		await bringInStep();
		const before = await readBefore(graph, changes);
		assertWanted(signal);
		const note = await history.note(graph, next, { cause, undo: before, made });
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
			const change = { from: graph, changes };
			const isShared = made !== undefined;
			await publish(next, { vectors: "background", signal, change, donors, isShared });
		} catch (error) {
			await updateBundle(graph.folder, before);
			await search.sync(catalog.list(), { vectors: "background" });
			return await withdraw(error);
		}
		await note.finish();
		return next;
	};
}

interface ApplyOptions {
	readonly cause: VersionCause;
	readonly signal?: AbortSignal | undefined;
	/** How another process made the change, which all know of then. */
	readonly made?: MadeVersion | undefined;
	readonly donors?: SyncOptions["donors"];
}

interface PublishOptions extends SyncOptions {
	readonly signal?: AbortSignal | undefined;
	/** The id the graph had until now. */
	readonly former?: string;
	/** True for what other processes know of. */
	readonly isShared?: boolean;
	readonly change?: Publishing["change"];
}

/** A graph and what files of it are to change, with what that makes. */
export interface StagedChange {
	readonly graph: Changeable;
	readonly next: Graph;
	readonly changes: BundleChanges;
}

/** Throws UNAVAILABLE once the work is no longer wanted. */
export function assertWanted(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw stopped();
}

export function stopped(): ServiceError {
	return unavailable("The work was stopped before it was done; what was on sale is on sale.", {
		retryable: false,
	});
}

/** The same files as they are now: what takes a change back. */
export async function readBefore(
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
