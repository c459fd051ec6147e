import type { SegmentVectors } from "../dense/row-planes.js";
import type { Embedder } from "../model/embedder.js";
import type { Part } from "./graph-parts.js";
import { createEmbedMemory, type EmbedMemory, embedConcepts } from "./index-builder.js";

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
