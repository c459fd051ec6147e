import type { SegmentVectors } from "../dense/row-planes.js";
import { type EmbedMemory, type EmbedOptions, embedConcepts } from "./index-builder.js";
import type { IndexContext, SyncRun } from "./index-context.js";
import type { Part, PartedGraph } from "./segment.js";

/** A part that has no vectors yet. */
interface VectorJob {
	readonly graphId: string;
	readonly part: Part;
}

/**
 * Makes the vectors that parts lack, shows them and stores them from time to time, so that a crash loses little. Graphs made
 * anew take the place of what they replace once all their parts have theirs. Rejects as the embedder does.
 */
export async function storeVectors(
	context: IndexContext,
	run: SyncRun,
	replacements: Map<string, PartedGraph>,
): Promise<void> {
	const { embedder, segments } = context;
	const lacking = jobsOf(segments.all());
	const jobs = [...lacking, ...jobsOf([...replacements.values()])];
	if (!embedder || jobs.length === 0) return;
	const [pending, total] = [liveIn(lacking), liveIn(jobs)];
	const next = segments.copy();
	const publish = createPublisher(context, next);
	let before = 0;
	try {
		for (const job of jobs) {
			let done = 0;
			const onConcepts = (count: number) => {
				done = Math.min(done + count, job.part.live);
				segments.count(Math.min(before + done, pending));
				run.options.onProgress?.({ stage: "vectors", done: before + done, total });
			};
			const vectors = await embedPart(job.part, { embedder, goesOn: run.goesOn, onConcepts });
			if (!vectors) return;
			before += job.part.live;
			addVectors(lacking.includes(job) ? next : replacements, job, vectors);
			moveComplete(replacements, next);
			await publish(job.part.live);
		}
	} finally {
		segments.replace(next);
	}
}

/** While much is embedded, searches see the finished parts this often. */
const PUBLISH_INTERVAL_MS = 1_000;

/** To be called after each part with the number of its concepts. */
function createPublisher(
	{ clock, index, segments, limits }: IndexContext,
	next: ReadonlyMap<string, PartedGraph>,
) {
	let publishedAt = clock.monotonicMs();
	let unstored = 0;
	return async (concepts: number): Promise<void> => {
		unstored += concepts;
		const isStored = unstored >= limits.segmentDocuments / 2;
		const isShown = clock.monotonicMs() - publishedAt >= PUBLISH_INTERVAL_MS;
		if (!isStored && !isShown) return;
		segments.replace(new Map(next));
		publishedAt = clock.monotonicMs();
		if (!isStored) return;
		unstored = 0;
		await index.commit([...next.values()]);
	};
}

function jobsOf(graphs: readonly PartedGraph[]): readonly VectorJob[] {
	return graphs.flatMap(({ graph, parts }) =>
		parts
			.filter(({ segment }) => !segment.vectors)
			.map((part) => ({ graphId: graph.record.id, part })),
	);
}

function liveIn(jobs: readonly VectorJob[]): number {
	return jobs.reduce((sum, { part }) => sum + part.live, 0);
}

function addVectors(
	graphs: Map<string, PartedGraph>,
	{ graphId, part }: VectorJob,
	vectors: SegmentVectors,
): void {
	const before = graphs.get(graphId);
	if (!before) return;
	const segment = { ...part.segment, vectors };
	const parts = before.parts.map((one) => (one === part ? { ...part, segment } : one));
	graphs.set(graphId, { graph: before.graph, parts });
}

function moveComplete(
	replacements: Map<string, PartedGraph>,
	next: Map<string, PartedGraph>,
): void {
	for (const [id, replacement] of replacements) {
		if (replacement.parts.some(({ segment }) => !segment.vectors)) continue;
		replacements.delete(id);
		next.set(id, replacement);
	}
}

/** What was embedded of a segment, by its fingerprints: an interruption loses nothing. */
const memories = new WeakMap<Uint8Array, EmbedMemory>();

/** Vectors of one part; undefined when interrupted. Rejects as the embedder does. */
export async function embedPart(
	{ segment: { fingerprints }, concepts }: Part,
	options: Omit<EmbedOptions, "memory">,
): Promise<SegmentVectors | undefined> {
	const memory = memories.get(fingerprints) ?? [];
	memories.set(fingerprints, memory);
	const vectors = await embedConcepts(concepts, { ...options, memory });
	if (vectors) memories.delete(fingerprints);
	return vectors;
}
