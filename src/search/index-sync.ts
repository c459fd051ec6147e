import PQueue from "p-queue";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Graph } from "../knowledge/graph.js";
import type { Embedder } from "./embedder.js";
import { buildLexicalSegment } from "./index-builder.js";
import type { IndexFolder } from "./index-folder.js";
import type { SyncOptions } from "./search.js";
import type { Segment } from "./segment.js";
import { createSegmentSet, type SegmentSet } from "./segment-set.js";
import { fillVectors } from "./vector-fill.js";

export interface IndexSyncDeps {
	readonly clock: Clock;
	readonly index: IndexFolder;
	readonly embedder: Embedder | undefined;
	/** Called with all segments whenever searches should see a new set. */
	readonly publish: (segments: readonly Segment[]) => void;
}

export interface IndexSync {
	/** Rejects when the index cannot be stored; a model that fails leaves vectors pending and is tried again later. */
	sync(graphs: readonly Graph[], options: SyncOptions): Promise<void>;
	/** Concepts whose vectors are still to be made. */
	pendingVectors(): number;
	/** Stops after the batch that runs now. */
	close(): Promise<void>;
}

interface Run {
	readonly graphs: readonly Graph[];
	readonly options: SyncOptions;
	/** False once a newer sync has begun or the engine closes. */
	readonly goesOn: () => boolean;
}

/** While many graphs are embedded, searches see the finished ones this often. */
const PUBLISH_INTERVAL_MS = 1_000;
const TRY_AGAIN_MS = 30_000;

/** Keeps segments in line with graphs: one sync at a time, and a newer one stops the embedding of an older. */
export function createIndexSync(deps: IndexSyncDeps): IndexSync {
	const queue = new PQueue({ concurrency: 1 });
	const segments = createSegmentSet(deps.publish);
	let latest = 0;

	const sync = async (graphs: readonly Graph[], options: SyncOptions): Promise<void> => {
		const number = ++latest;
		const run: Run = { graphs, options, goesOn: () => number === latest };
		const prepared = queue.add(() => prepare(deps, segments, run));
		const stored = queue.add(async () => {
			const isComplete = await embedAndStore(deps, segments, run);
			if (isComplete) return;
			deps.clock.after(TRY_AGAIN_MS, () => {
				if (run.goesOn()) sync(graphs, { vectors: "background" }).catch(() => undefined);
			});
		});
		// Whoever waits for the keyword side only must not fall over a full disk later on.
		stored.catch(() => undefined);
		await prepared;
		if (options.vectors === "background") return;
		await stored;
		if (!run.goesOn()) await queue.onIdle(); // A newer sync has taken over what this one left open.
	};
	return {
		sync,
		pendingVectors: () => (deps.embedder ? segments.waiting() : 0),
		async close() {
			latest++;
			await queue.onIdle();
		},
	};
}

/** The keyword side of every graph: kept, loaded or built, in this order. */
async function prepare({ index }: IndexSyncDeps, segments: SegmentSet, run: Run): Promise<void> {
	const keep = async ({ record: { id }, contentHash }: Graph): Promise<Segment | undefined> => {
		if (run.options.rebuild) return undefined;
		const known = segments.find(id);
		return known?.contentHash === contentHash ? known : index.load({ id, contentHash });
	};
	const next = new Map<string, Segment>();
	for (const graph of run.graphs) {
		next.set(graph.record.id, (await keep(graph)) ?? (await buildLexicalSegment(graph)));
	}
	segments.restartCount();
	segments.replace(next);
}

/** Makes the vectors that are missing and stores the set; false when the model failed. */
async function embedAndStore(
	deps: IndexSyncDeps,
	segments: SegmentSet,
	run: Run,
): Promise<boolean> {
	try {
		await embed(deps, segments, run);
		return true;
	} catch (error) {
		if (error instanceof ServiceError) return false;
		throw error;
	} finally {
		await deps.index.commit(segments.all());
	}
}

async function embed(
	{ clock, embedder }: IndexSyncDeps,
	segments: SegmentSet,
	run: Run,
): Promise<void> {
	const open = run.graphs.filter((graph) => !segments.find(graph.record.id)?.vectors);
	if (!embedder || open.length === 0) return;
	const next = segments.copy();
	let publishedAt = clock.monotonicMs();
	await fillVectors({
		clock,
		embedder,
		graphs: open,
		goesOn: run.goesOn,
		onProgress(progress) {
			segments.count(progress.done);
			run.options.onProgress?.(progress);
		},
		onVectors({ record: { id } }, vectors) {
			const segment = next.get(id);
			if (segment) next.set(id, { ...segment, vectors });
			if (clock.monotonicMs() - publishedAt < PUBLISH_INTERVAL_MS) return;
			publishedAt = clock.monotonicMs();
			segments.replace(new Map(next));
		},
	}).finally(() => segments.replace(next));
}
