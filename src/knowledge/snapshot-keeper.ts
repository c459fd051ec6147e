import type { Clock, Logger } from "../kernel/kernel.js";
import { type Changeable, isChangeable } from "./bundle-change.js";
import type { GraphCatalog } from "./catalog.js";
import type { Graph } from "./graph.js";
import type { GraphSnapshots } from "./graph-snapshots.js";

export interface SnapshotKeeperDeps {
	readonly snapshots: GraphSnapshots;
	readonly catalog: Pick<GraphCatalog, "list">;
	readonly clock: Clock;
	readonly logger: Logger;
}

const LOOK_INTERVAL_MS = 10_000;
/** Keeping graphs takes at most one part in so many of the time. */
const REST = 100;

/**
 * Keeps the graphs on sale for the next start, in the background: each once it has been the same for two looks in a row. The
 * returned function stops it, and resolves once nothing is being written.
 */
export function startSnapshotKeeper({
	snapshots,
	catalog,
	clock,
	logger,
}: SnapshotKeeperDeps): () => Promise<void> {
	const stopping = new AbortController();
	/** Graphs that cannot be kept, such as one whose folder is gone; a later version of each is tried again. */
	const refused = new WeakSet<Graph>();
	let seen: ReadonlySet<Changeable> = new Set();
	/** Folders that snapshots were kept of when the others were forgotten; none before the first look. */
	let wanted: string | undefined;
	let running: Promise<void> | undefined;
	let restUntilMs = 0;

	const isOpen = (graph: Graph): graph is Changeable => isChangeable(graph) && !refused.has(graph);
	const keep = async (graph: Changeable): Promise<void> => {
		try {
			await snapshots.keep(graph, stopping.signal);
		} catch (error) {
			if (stopping.signal.aborted) return;
			refused.add(graph);
			logger.error("a graph could not be kept as it was read; the next start reads its files", {
				graph: graph.record.id,
				error: String(error),
			});
		}
	};
	/** What is taken from sale does not stay on the disk, whether anything else is to be kept or not. */
	const forgetOthers = async (folders: readonly string[]): Promise<void> => {
		const all = folders.join("\n");
		if (all === wanted) return;
		wanted = all;
		await snapshots.forgetOthers(folders).catch((error: unknown) =>
			logger.error("snapshots of graphs that are no longer on sale are left; delete them by hand", {
				error: String(error),
			}),
		);
	};
	const keepSettled = async (): Promise<void> => {
		const all = catalog.list();
		await forgetOthers(all.map(({ folder }) => folder));
		// The memory of a graph that is kept is not asked for: it may not have been read yet.
		const open = all.filter((graph) => !snapshots.isKept(graph)).filter(isOpen);
		const settled = open.filter((graph) => seen.has(graph));
		seen = new Set(open);
		if (settled.length === 0) return;
		const startedMs = clock.monotonicMs();
		for (const graph of settled) if (!stopping.signal.aborted) await keep(graph);
		restUntilMs = clock.monotonicMs() + REST * (clock.monotonicMs() - startedMs);
	};
	const look = (): void => {
		if (running || clock.monotonicMs() < restUntilMs) return;
		running = keepSettled().finally(() => {
			running = undefined;
		});
	};
	const stop = clock.every(LOOK_INTERVAL_MS, look);
	return async () => {
		stop();
		stopping.abort();
		await running;
	};
}
