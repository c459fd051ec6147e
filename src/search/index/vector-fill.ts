import type { Clock } from "../../kernel/kernel.js";
import type { SegmentVectors } from "../dense/row-planes.js";
import type { Embedder } from "../model/embedder.js";
import { createEmbedMemory, type EmbedMemory, embedConcepts } from "./index-builder.js";
import type { IndexFolder } from "./index-folder.js";
import type { IndexLimits } from "./index-merger.js";
import type { Part, PartedGraph } from "./segment.js";
import type { SegmentSet } from "./segment-set.js";
import type { SyncRun } from "./sync-run.js";

/** A part that has no vectors yet. */
export interface VectorJob {
	readonly graphId: string;
	readonly part: Part;
}

export interface VectorFill {
	readonly embedder: Embedder;
	readonly jobs: readonly VectorJob[];
	/** Asked between batches; when false, what is not finished is taken up by the next fill. */
	readonly goesOn: () => boolean;
	/** Counts concepts of all these parts. */
	readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
	/** Called after each part. */
	readonly onVectors: (job: VectorJob, vectors: SegmentVectors) => void | Promise<void>;
}

/** Makes the vectors of one part after the other. Rejects with the embedder's error as soon as it fails. */
export async function fillVectors(fill: VectorFill): Promise<void> {
	const total = fill.jobs.reduce((sum, { part }) => sum + part.live, 0);
	let before = 0;
	for (const job of fill.jobs) {
		let done = 0;
		const vectors = await embedPart(job.part, {
			embedder: fill.embedder,
			goesOn: fill.goesOn,
			onConcepts(count) {
				done = Math.min(done + count, job.part.live);
				fill.onProgress({ done: before + done, total });
			},
		});
		if (!vectors) return;
		before += job.part.live;
		await fill.onVectors(job, vectors);
	}
}

export interface EmbedPartOptions {
	readonly embedder: Embedder;
	readonly goesOn: () => boolean;
	readonly onConcepts?: (count: number) => void;
}

/** What was embedded of a segment, by its fingerprints: an interruption loses nothing. */
const memories = new WeakMap<Uint8Array, EmbedMemory>();

/** Vectors of one part; undefined when interrupted. Rejects as the embedder does. */
export async function embedPart(
	{ segment: { fingerprints }, concepts }: Part,
	{ embedder, goesOn, onConcepts = () => undefined }: EmbedPartOptions,
): Promise<SegmentVectors | undefined> {
	const memory = memories.get(fingerprints) ?? createEmbedMemory();
	memories.set(fingerprints, memory);
	const vectors = await embedConcepts(concepts, { embedder, goesOn, onConcepts, memory });
	if (vectors) memories.delete(fingerprints);
	return vectors;
}

export interface VectorStoreRun {
	readonly clock: Clock;
	readonly index: IndexFolder;
	readonly embedder: Embedder | undefined;
	readonly segments: SegmentSet;
	readonly replacements: Map<string, PartedGraph>;
	readonly run: SyncRun;
	readonly limits: IndexLimits;
}

/** While much is embedded, searches see the finished parts this often. */
const PUBLISH_INTERVAL_MS = 1_000;

/**
 * Makes the vectors that parts lack, shows them and stores them from time to time, so that a crash loses little. Graphs made
 * anew take the place of what they replace once all their parts have theirs. Rejects as the embedder does.
 */
export async function storeVectors(given: VectorStoreRun): Promise<void> {
	const { clock, index, embedder, segments, replacements, run, limits } = given;
	const lacking = jobsOf(segments.all());
	const pending = lacking.reduce((sum, { part }) => sum + part.live, 0);
	const jobs = [...lacking, ...jobsOf([...replacements.values()])];
	const next = segments.copy();
	const swapReady = () => {
		for (const [id, replacement] of replacements) {
			if (replacement.parts.some(({ segment }) => !segment.vectors)) continue;
			replacements.delete(id);
			next.set(id, replacement);
		}
	};
	if (!embedder || jobs.length === 0) return;
	let publishedAt = clock.monotonicMs();
	let unstored = 0;
	await fillVectors({
		embedder,
		jobs,
		goesOn: run.goesOn,
		onProgress(progress) {
			segments.count(Math.min(progress.done, pending));
			run.options.onProgress?.({ stage: "vectors", ...progress });
		},
		async onVectors(job, vectors) {
			const { graphId, part } = job;
			const owner = lacking.includes(job) ? next : replacements;
			const before = owner.get(graphId);
			if (before) owner.set(graphId, withVectors(before, job, vectors));
			swapReady();
			unstored += part.live;
			const isStored = unstored >= limits.segmentDocuments / 2;
			const isShown = clock.monotonicMs() - publishedAt >= PUBLISH_INTERVAL_MS;
			if (!isStored && !isShown) return;
			segments.replace(new Map(next));
			publishedAt = clock.monotonicMs();
			if (!isStored) return;
			unstored = 0;
			await index.commit([...next.values()]);
		},
	}).finally(() => segments.replace(next));
}

function jobsOf(graphs: readonly PartedGraph[]): readonly VectorJob[] {
	return graphs.flatMap(({ graph, parts }) =>
		parts
			.filter(({ segment }) => !segment.vectors)
			.map((part) => ({ graphId: graph.record.id, part })),
	);
}

function withVectors(
	{ graph, parts }: PartedGraph,
	{ part }: VectorJob,
	vectors: SegmentVectors,
): PartedGraph {
	return {
		graph,
		parts: parts.map((one) =>
			one === part ? { ...one, segment: { ...one.segment, vectors } } : one,
		),
	};
}
