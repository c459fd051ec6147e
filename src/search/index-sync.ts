import PQueue from "p-queue";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import { INDEX_LIMITS } from "../core/limits.js";
import type { Graph } from "../knowledge/graph.js";
import type { DenseSide } from "./dense-side.js";
import type { Embedder } from "./embedder.js";
import { createGraphPreparer, type GraphPreparer } from "./graph-preparer.js";
import type { IndexFolder } from "./index-folder.js";
import { createIndexMerger } from "./index-merger.js";
import type { GraphIndex } from "./index-state.js";
import type { IndexLimits } from "./merge-plan.js";
import type { SyncOptions } from "./search.js";
import { createSegmentSet, type SegmentSet, type SetSizes } from "./segment-set.js";
import type { SyncRun } from "./sync-run.js";
import { storeVectors } from "./vector-store.js";

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
	 * Rejects when the index cannot be stored. A model that fails never does that: the call resolves at its first failure,
	 * and what is missing is made later, while the process serves.
	 */
	sync(graphs: readonly Graph[], options: SyncOptions): Promise<void>;
	sizes(): SetSizes;
	/** Resolves once no merge is left to do. */
	settle(): Promise<void>;
	/** Stops after the batch that runs now. */
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
	const sync = async (graphs: readonly Graph[], options: SyncOptions): Promise<void> => {
		const number = ++latest;
		const run: SyncRun = { graphs, options, goesOn: () => number === latest };
		const prepared = queue.add(() => preparer.prepare(run));
		const stored = prepared.then(() => queue.add(() => store(run), { priority: 1 }));
		// Whoever waits for the keyword side only must not fall over a full disk later on.
		stored.catch(() => undefined);
		await prepared;
		if (options.vectors === "background") return;
		await stored;
		if (!run.goesOn()) await queue.onIdle(); // A newer sync has taken over what this one left open.
	};
	return {
		sync,
		sizes: () => {
			const sizes = segments.sizes();
			return deps.embedder ? sizes : { ...sizes, waiting: 0 };
		},
		settle: () => merger.settle(),
		async close() {
			latest++;
			merger.close();
			await queue.onIdle();
		},
	};
}

interface StoreJob {
	readonly deps: IndexSyncDeps & { readonly limits: IndexLimits };
	readonly segments: SegmentSet;
	readonly preparer: GraphPreparer;
	readonly run: SyncRun;
}

/** Makes the vectors that are missing and stores the set; false when the model failed. */
async function embedAndStore({ deps, segments, preparer, run }: StoreJob): Promise<boolean> {
	try {
		await storeVectors({ ...deps, segments, replacements: preparer.replacements, run });
		return true;
	} catch (error) {
		if (error instanceof ServiceError) return false;
		throw error;
	} finally {
		await deps.index.commit(segments.all());
	}
}
