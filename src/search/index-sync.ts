import PQueue from "p-queue";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Graph } from "../knowledge/graph.js";
import type { DenseSide } from "./dense-side.js";
import type { Embedder } from "./embedder.js";
import { buildLexicalSegment } from "./index-builder.js";
import type { IndexFolder } from "./index-folder.js";
import type { GraphIndex } from "./index-state.js";
import type { SyncOptions } from "./search.js";
import { createSegmentSet, type IndexedSegment, type SegmentSet } from "./segment-set.js";
import { fillVectors } from "./vector-fill.js";

export interface IndexSyncDeps {
	readonly clock: Clock;
	readonly index: IndexFolder;
	readonly embedder: Embedder | undefined;
	readonly denseSide: DenseSide | undefined;
	/** Called with all graphs whenever searches should see a new set. */
	readonly publish: (graphs: readonly GraphIndex[]) => void;
}

export interface IndexSync {
	/**
	 * Rejects when the index cannot be stored. A model that fails never does that: the call resolves at its first failure,
	 * and what is missing is made later, while the process serves.
	 */
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
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

interface Shelf {
	readonly segments: SegmentSet;
	/** Segments derived anew whose vectors are still to be made; until then the ones they replace stay in use. */
	readonly replacements: Map<string, IndexedSegment>;
}

/** Keeps segments in line with graphs: one sync at a time, and a newer one stops the embedding of an older. */
export function createIndexSync(deps: IndexSyncDeps): IndexSync {
	const queue = new PQueue({ concurrency: 1 });
	const segments = createSegmentSet(deps);
	const shelf: Shelf = { segments, replacements: new Map() };
	let latest = 0;
	let failures = 0;

	const sync = async (graphs: readonly Graph[], options: SyncOptions): Promise<void> => {
		const number = ++latest;
		const run: Run = { graphs, options, goesOn: () => number === latest };
		const prepared = queue.add(() => prepare(deps.index, shelf, run));
		const stored = queue.add(async () => {
			const isComplete = await embedAndStore(deps, shelf, run);
			failures = isComplete ? 0 : failures + 1;
			if (isComplete) return;
			deps.clock.after(Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS), () => {
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

/** The keyword side of every graph: kept, loaded or built, in this order. What has vectors stays until its successor has. */
async function prepare(
	index: IndexFolder,
	{ segments, replacements }: Shelf,
	run: Run,
): Promise<void> {
	const keep = async (graph: Graph): Promise<IndexedSegment | undefined> => {
		const { contentHash, record } = graph;
		const known = segments.find(record.id);
		if (known?.segment.contentHash === contentHash) return { graph, segment: known.segment };
		const segment = await index.load({ id: record.id, contentHash });
		return segment && { graph, segment };
	};
	const next = new Map<string, IndexedSegment>();
	for (const graph of run.graphs) {
		const { id } = graph.record;
		const kept = await keep(graph);
		if (kept && !run.options.rebuild) {
			next.set(id, kept);
			continue;
		}
		const built = { graph, segment: await buildLexicalSegment(graph) };
		if (kept?.segment.vectors) replacements.set(id, built);
		next.set(id, kept?.segment.vectors ? kept : built);
	}
	for (const [id, { segment }] of replacements) {
		if (next.get(id)?.segment.contentHash !== segment.contentHash) replacements.delete(id);
	}
	segments.restartCount();
	segments.replace(next);
}

/** Makes the vectors that are missing and stores the set; false when the model failed. */
async function embedAndStore(deps: IndexSyncDeps, shelf: Shelf, run: Run): Promise<boolean> {
	try {
		await embed(deps, shelf, run);
		return true;
	} catch (error) {
		if (error instanceof ServiceError) return false;
		throw error;
	} finally {
		await deps.index.commit(shelf.segments.all().map(({ segment }) => segment));
	}
}

async function embed(
	{ clock, embedder }: IndexSyncDeps,
	{ segments, replacements }: Shelf,
	run: Run,
): Promise<void> {
	const lacking = run.graphs.filter(({ record }) => !segments.find(record.id)?.segment.vectors);
	const renewed = run.graphs.filter(
		(graph) => replacements.has(graph.record.id) && !lacking.includes(graph),
	);
	const open = [...lacking, ...renewed];
	if (!embedder || open.length === 0) return;
	const pending = lacking.reduce((sum, { concepts }) => sum + concepts.length, 0);
	const next = segments.copy();
	let publishedAt = clock.monotonicMs();
	await fillVectors({
		embedder,
		graphs: open,
		goesOn: run.goesOn,
		onProgress(progress) {
			segments.count(Math.min(progress.done, pending));
			run.options.onProgress?.(progress);
		},
		onVectors({ record: { id } }, vectors) {
			const indexed = replacements.get(id) ?? next.get(id);
			replacements.delete(id);
			if (indexed) next.set(id, { ...indexed, segment: { ...indexed.segment, vectors } });
			if (clock.monotonicMs() - publishedAt < PUBLISH_INTERVAL_MS) return;
			publishedAt = clock.monotonicMs();
			segments.replace(new Map(next));
		},
	}).finally(() => segments.replace(next));
}
