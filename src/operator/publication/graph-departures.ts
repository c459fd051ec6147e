import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseGraphId } from "../../kernel/kernel.js";
import {
	type BundleChanges,
	type Graph,
	type GraphCatalog,
	type GraphHistory,
	type GraphRecord,
	type MadeVersion,
	readGraph,
	writeBundle,
} from "../../knowledge/knowledge.js";
import type { Donors } from "../../search/search.js";
import type { GraphRepository } from "./graph-repository.js";

/** How graphs leave their ids, in whichever process that was asked for. */

interface DepartureServices {
	readonly catalog: GraphCatalog;
	readonly repository: GraphRepository;
	readonly history: GraphHistory;
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
}

/** Takes a graph off sale; its files are kept until the next one of its id is removed. */
export async function takeAway(
	{ catalog, repository, history }: DepartureServices,
	{ record: { id }, folder }: Graph,
): Promise<void> {
	const departure = await history.depart(id, null);
	await history.putAway(id, folder);
	catalog.remove(id, departure);
	await repository.reindex();
}

interface Move {
	/** The graph under its former id, and its record under the next one. */
	readonly graph: Graph;
	readonly record: GraphRecord;
	/** All files under the next id. */
	readonly files: ReadonlyMap<string, Uint8Array>;
	/** What makes them those of before. */
	readonly undo: BundleChanges;
	readonly made: MadeVersion;
	readonly donors?: Donors | undefined;
	/** Called with the graph before it is on sale under its id. */
	readonly onMoved?: (graph: Graph) => void;
}

/** Gives a graph another id, on the disk and on sale; other processes know of it, or there are none. */
export async function moveGraph(
	{ catalog, repository, history, folder }: DepartureServices,
	{ graph, record, files, undo, made, donors, onMoved }: Move,
): Promise<Graph> {
	const former = graph.record.id;
	const place = join(folder, parseGraphId(record.id));
	await history.clear(record.id);
	// From here on a start finishes what is cut off, once the new folder is there, and undoes it before.
	const departure = await history.depart(former, record.id);
	await writeBundle(files, place);
	await rm(graph.folder, { recursive: true, force: true });
	await history.move(former, record.id);
	const moved = await readGraph(place);
	await history.note({ ...graph, record }, moved, { cause: "rename", undo, made });
	onMoved?.(moved);
	await repository.publish(moved, { vectors: "background", former, donors, isShared: true });
	catalog.remove(former, departure);
	return moved;
}
