import PQueue from "p-queue";
import { INDEX_LIMITS } from "../../contract/contract.js";
import { ServiceError, unavailable } from "../../kernel/kernel.js";
import type { Graph } from "../../knowledge/knowledge.js";
import type { DenseSide } from "../dense/dense-side.js";
import { createGraphPreparer, type GraphPreparer } from "./graph-preparer.js";
import { storeVectors } from "./index-builder.js";
import { createIndexMerger } from "./index-merger.js";
import type { GraphIndex } from "./index-state.js";
import {
	createSegmentSet,
	type IndexContext,
	type IndexLimits,
	type SetSizes,
	type SyncOptions,
	type SyncRun,
} from "./segment-set.js";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Keeps segments in line with graphs: one sync at a time, and a newer one stops the embedding of an older. */
export function createIndexSync({
	denseSide,
	publish,
	limits = INDEX_LIMITS,
	...rest
}: Pick<IndexContext, "clock" | "index" | "embedder" | "isMadeElsewhere"> & {
	readonly denseSide: DenseSide | undefined;
	/** Called with all graphs whenever searches should see a new set. */
	readonly publish: (graphs: readonly GraphIndex[]) => void;
	readonly limits?: IndexLimits | undefined;
}) {
	const segments = createSegmentSet(denseSide, publish);
	const context: IndexContext = { ...rest, limits, segments };
	const queue = new PQueue({ concurrency: 1 });
	const preparer = createGraphPreparer(context);
	const merger = createIndexMerger(context, (work) => queue.add(work));
	const closing = new AbortController();
	/** Syncs with all that follows from them. */
	const running = new Set<Promise<void>>();
	let latest = 0;
	let failures = 0;

	const store = async (run: SyncRun): Promise<void> => {
		const isComplete = await embedAndStore(context, preparer, run);
		merger.look();
		failures = isComplete ? 0 : failures + 1;
		if (isComplete) return;
		context.clock.after(Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS), () => {
			if (run.goesOn()) sync(run.graphs, { vectors: "background" }).catch(() => undefined);
		});
	};
	const allDone = async (): Promise<void> => {
		while (running.size > 0) await Promise.allSettled(running);
	};
	/**
	 * Rejects with UNAVAILABLE when closed before searches see these graphs. A model or a disk that fails never does that: the
	 * call resolves, and what could not be made or stored is tried again later, while the process serves.
	 */
	const sync = async (graphs: readonly Graph[], options: SyncOptions): Promise<void> => {
		const number = ++latest;
		const goesOn = () => number === latest && !closing.signal.aborted;
		const run: SyncRun = { graphs, options, goesOn, closing: closing.signal };
		const prepared = queue.add(() => preparer.prepare(run));
		const stored = prepared.then(() => queue.add(() => store(run), { priority: 1 }));
		running.add(stored);
		const forget = () => void running.delete(stored);
		// A failure here is no unhandled rejection for a caller that waits for the keyword side only.
		stored.then(forget, forget);
		await prepared;
		if (options.vectors === "background") return;
		await stored;
		if (!run.goesOn()) await allDone(); // A newer sync has taken over what this one left open.
	};
	return {
		sync,
		/** What is derived of a graph so far. */
		find: segments.find,
		sizes: (): SetSizes => {
			const sizes = segments.sizes();
			return context.embedder ? sizes : { ...sizes, waiting: 0 };
		},
		/** Resolves once no merge is left to do. */
		settle: () => merger.settle(),
		/** Stops what runs at its next turn, and resolves once nothing does. */
		async close(): Promise<void> {
			closing.abort(
				unavailable(
					"The search index is being closed; what is missing in it is made at the next start.",
				),
			);
			merger.close();
			await allDone();
			await queue.onIdle(); // A merge may be putting its result in place.
		},
	};
}

/** Makes the vectors that are missing and stores the set; false when the model or the disk failed. */
async function embedAndStore(
	context: IndexContext,
	{ replacements }: GraphPreparer,
	run: SyncRun,
): Promise<boolean> {
	let isEmbedded = true;
	try {
		await storeVectors(context, run, replacements);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		isEmbedded = false;
	}
	const isStored = await context.index.commit(context.segments.all());
	return isEmbedded && isStored;
}
