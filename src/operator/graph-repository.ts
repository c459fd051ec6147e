import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Logger, ServiceError } from "../kernel/kernel.js";
import {
	assertLoadable,
	type BundleChange,
	type BundleChanges,
	type Changeable,
	changeBundle,
	type Graph,
	type GraphCatalog,
	isChangeable,
	updateBundle,
	valueAt,
} from "../knowledge/knowledge.js";
import type { SearchEngine, SyncOptions } from "../search/search.js";

export interface GraphRepositoryDeps {
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
	readonly logger: Logger;
}

/** Graphs whose files are ours: what the disk holds, the index finds and the catalog sells changes together, in this order. */
export interface GraphRepository {
	/** Throws NOT_FOUND, and INVALID_ARGUMENT for a graph whose files are somebody else's. */
	getOwn(id: string): Changeable;
	/** Undefined where `getOwn` throws. */
	findOwn(id: string): Changeable | undefined;
	/** Indexes a graph, and then puts it on sale. */
	publish(graph: Graph, options?: SyncOptions): Promise<void>;
	/**
	 * Changes files of a graph on the disk, durably, then in the index, then on sale. `judge` sees what the change would make
	 * before anything happens: it throws what speaks against it, or returns files that are to change along. Throws
	 * INVALID_ARGUMENT, too, for more than can be loaded as one graph.
	 */
	change(
		graph: Changeable,
		changes: BundleChanges,
		judge?: (change: BundleChange) => BundleChanges | undefined,
	): Promise<Graph>;
	/**
	 * Resolves when everything on sale now has its vectors, or once the model has failed. Call it where nothing else changes
	 * graphs, and wait for it anywhere: later changes take over what it has not done yet.
	 */
	complete(onProgress?: SyncOptions["onProgress"]): Promise<void>;
}

export function createGraphRepository({
	catalog,
	search,
	folder,
	logger,
}: GraphRepositoryDeps): GraphRepository {
	const home = resolve(folder);
	let isInStep = false;

	/** A small change is small for an index only that holds what was there before; a command without a server begins with none. */
	const bringInStep = async () => {
		if (!isInStep) await search.sync(catalog.list(), { vectors: "background" });
		isInStep = true;
	};
	const findOwn = (id: string) => {
		const graph = catalog.find(id);
		const isOurs = graph?.record.id === id && dirname(resolve(graph.folder)) === home;
		return isOurs && isChangeable(graph) ? graph : undefined;
	};
	const publish: GraphRepository["publish"] = async (graph, options) => {
		const others = catalog.list().filter(({ record }) => record.id !== graph.record.id);
		// On sale only once it can be searched.
		await search.sync([...others, graph], options);
		catalog.put(graph);
	};
	return {
		findOwn,
		publish,
		getOwn(id) {
			const own = findOwn(catalog.get(id).record.id);
			if (own) return own;
			throw new ServiceError(
				"INVALID_ARGUMENT",
				`The files of the graph "${id}" are not ours to change: it was not imported. Change them where they are and start anew, or import that folder under an id of its own first.`,
			);
		},
		async change(graph, changes, judge) {
			await bringInStep();
			const { id } = graph.record;
			const read = (path: string) => readFile(join(graph.folder, path));
			const change = await changeBundle(graph, changes, read);
			const more = judge?.(change) ?? new Map();
			const next =
				more.size === 0 || !isChangeable(change.graph)
					? change.graph
					: (await changeBundle(change.graph, more, read)).graph;
			if (isChangeable(next)) assertLoadable(next.memory);
			const all = new Map([...changes, ...more]);
			const before = await readBefore(graph, all);
			const unfinished = await updateBundle(graph.folder, all);
			// A promise holds: what is on sale is what the disk will hold.
			if (unfinished !== undefined) {
				logger.error("a change of a graph is not finished", { graph: id, reason: unfinished });
			}
			try {
				await publish(next, { vectors: "background" });
			} catch (error) {
				await updateBundle(graph.folder, before);
				throw error;
			}
			return next;
		},
		complete(onProgress) {
			const complete = search.sync(catalog.list(), onProgress && { onProgress });
			// Whoever waits hears of it; until then it must not count as one that nobody waits for.
			complete.catch(() => undefined);
			return complete;
		},
	};
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
