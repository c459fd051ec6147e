import PQueue from "p-queue";
import { INDEX_LIMITS } from "../../contract/contract.js";
import { type Clock, ServiceError } from "../../kernel/kernel.js";
import type { Graph } from "../../knowledge/knowledge.js";
import type { DenseSide } from "../dense/dense-side.js";
import type { Embedder } from "../model/embedder.js";
import { createGraphPreparer, type GraphPreparer } from "./graph-preparer.js";
import type { IndexFolder } from "./index-folder.js";
import { createIndexMerger, type IndexLimits } from "./index-merger.js";
import type { GraphIndex } from "./index-state.js";
import { createSegmentSet, type SegmentSet, type SetSizes } from "./segment-set.js";
import type { SyncOptions, SyncRun } from "./sync-run.js";
import { storeVectors } from "./vector-fill.js";

export interface IndexSyncDeps {
	readonly clock: Clock;
	readonly index: IndexFolder;
	readonly embedder: Embedder | undefined;
	readonly denseSide: DenseSide | undefined;
	/** Called with all graphs whenever searches should see a new set. */
	readonly publish: (graphs: readonly GraphIndex[]) => void;
	readonly limits?: IndexLimits | undefined;
}

export interface IndexSync {
	/**
	 * Rejects with UNAVAILABLE when closed before searches see these graphs. A model or a disk that fails never does that: the
	 * call resolves, and what could not be made or stored is tried again later, while the process serves.
	 */
	sync(graphs: readonly Graph[], options: SyncOptions): Promise<void>;
	sizes(): SetSizes;
	/** Resolves once no merge is left to do. */
	settle(): Promise<void>;
	/** Stops what runs at its next turn, and resolves once nothing does. */
	close(): Promise<void>;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Keeps segments in line with graphs: one sync at a time, and a newer one stops the embedding of an older. */
export function createIndexSync(given: IndexSyncDeps): IndexSync {
	const deps = { ...given, limits: given.limits ?? INDEX_LIMITS };
	const queue = new PQueue({ concurrency: 1 });
	const segments = createSegmentSet(deps);
	const preparer = createGraphPreparer({ ...deps, segments });
	const merger = createIndexMerger({ ...deps, segments, enqueue: (work) => queue.add(work) });
	const closing = new AbortController();
	/** Syncs with all that follows from them. */
	const running = new Set<Promise<void>>();
	let latest = 0;
	let failures = 0;

	const store = async (run: SyncRun): Promise<void> => {
		const isComplete = await embedAndStore({ deps, segments, preparer, run });
		merger.look();
		failures = isComplete ? 0 : failures + 1;
		if (isComplete) return;
		deps.clock.after(Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS), () => {
			if (run.goesOn()) sync(run.graphs, { vectors: "background" }).catch(() => undefined);
		});
	};
	const allDone = async (): Promise<void> => {
		while (running.size > 0) await Promise.allSettled(running);
	};
	const sync = async (graphs: readonly Graph[], options: SyncOptions): Promise<void> => {
		const number = ++latest;
		const goesOn = () => number === latest && !closing.signal.aborted;
		const run: SyncRun = { graphs, options, goesOn, closing: closing.signal };
		const prepared = queue.add(() => preparer.prepare(run));
		const stored = prepared.then(() => queue.add(() => store(run), { priority: 1 }));
		running.add(stored);
		const forget = () => void running.delete(stored);
		// Whoever waits for the keyword side only must not fall over what happens later on.
		stored.then(forget, forget);
		await prepared;
		if (options.vectors === "background") return;
		await stored;
		if (!run.goesOn()) await allDone(); // A newer sync has taken over what this one left open.
	};
	return {
		sync,
		sizes: () => {
			const sizes = segments.sizes();
			return deps.embedder ? sizes : { ...sizes, waiting: 0 };
		},
		settle: () => merger.settle(),
		async close() {
			closing.abort(
				new ServiceError(
					"UNAVAILABLE",
					"The search index is being closed; what is missing in it is made at the next start.",
				),
			);
			merger.close();
			await allDone();
			await queue.onIdle(); // A merge may be putting its result in place.
		},
	};
}

interface StoreJob {
	readonly deps: IndexSyncDeps & { readonly limits: IndexLimits };
	readonly segments: SegmentSet;
	readonly preparer: GraphPreparer;
	readonly run: SyncRun;
}

/** Makes the vectors that are missing and stores the set; false when the model or the disk failed. */
async function embedAndStore({ deps, segments, preparer, run }: StoreJob): Promise<boolean> {
	let isEmbedded = true;
	try {
		await storeVectors({ ...deps, segments, replacements: preparer.replacements, run });
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		isEmbedded = false;
	}
	const isStored = await deps.index.commit(segments.all());
	return isEmbedded && isStored;
}
