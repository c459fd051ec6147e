import { nextTurn } from "../../kernel/kernel.js";
import type { Concept, Graph } from "../../knowledge/knowledge.js";
import {
	copyRows,
	createRowPlanes,
	type RowPlanes,
	type SegmentVectors,
	writeRow,
} from "../dense/row-planes.js";
import { fieldsOf, toPassages } from "../lexical/concept-text.js";
import {
	buildLexicalIndex,
	type CountedText,
	countTerms,
	mergeLexical,
} from "../lexical/lexical-builder.js";
import type { LexicalIndex } from "../lexical/lexical-index.js";
import type { Embedder } from "../model/embedder.js";
import {
	FINGERPRINT_BYTES,
	fingerprintOf,
	type Part,
	type PartedGraph,
	type Segment,
} from "./segment.js";
import type { IndexContext, SyncRun } from "./segment-set.js";

/** So many concepts are read, or sent to the model, before other work gets its turn. */
const CONCEPTS_PER_TURN = 24;
/** An index of so many concepts is put together in one go; larger ones are merged from such. */
const CONCEPTS_PER_INDEX = 256;

/** Concepts of one graph that become a segment. */
type SegmentSource = Pick<Graph, "concepts"> & {
	readonly record: Pick<Graph["record"], "id">;
};

export interface Building {
	readonly onConcepts?: (count: number) => void;
	/** Rejects with its reason once it is aborted. */
	readonly closing?: AbortSignal;
}

/** The keyword side of a segment. Gives way to other work while it runs. */
export async function buildLexicalSegment(
	{ record, concepts }: SegmentSource,
	{ onConcepts, closing }: Building = {},
): Promise<Segment> {
	const fingerprints = new Uint8Array(concepts.length * FINGERPRINT_BYTES);
	const pieces: LexicalIndex[] = [];
	let counted: CountedText[] = [];
	let total = 0;
	for (const [position, concept] of concepts.entries()) {
		counted.push(countTerms(fieldsOf(concept)));
		fingerprints.set(fingerprintOf(concept), position * FINGERPRINT_BYTES);
		const count = position + 1;
		const isLast = count === concepts.length;
		if (isLast || count % CONCEPTS_PER_INDEX === 0) {
			const piece = buildLexicalIndex(counted);
			total += piece.lengths.reduce((sum, length) => sum + length, 0);
			pieces.push(piece);
			counted = [];
			onConcepts?.(piece.documents);
		}
		if (!isLast && count % CONCEPTS_PER_TURN > 0) continue;
		await nextTurn();
		closing?.throwIfAborted();
	}
	const average = total / Math.max(1, concepts.length) || 1;
	const all = pieces.map((index) => ({ index, isLive: () => true }));
	const [only] = pieces;
	return {
		graphId: record.id,
		conceptIds: concepts.map((concept) => concept.id),
		fingerprints,
		lexical: only && pieces.length === 1 ? only : await mergeLexical(all, average),
		vectors: undefined,
	};
}

interface EmbedOptions {
	readonly embedder: Embedder;
	/** Called with how many concepts have just got their vectors. */
	readonly onConcepts?: (count: number) => void;
	/** Asked between batches; when false, the work is left for later. */
	readonly goesOn: () => boolean;
	/** Takes up what an earlier call with the same memory left, and leaves what this one does not finish. */
	readonly memory?: EmbeddedBatch[];
}

/** Vectors made so far of concepts whose embedding goes on, or was interrupted. */
interface EmbeddedBatch {
	/** Concepts and tombstones it covers. */
	readonly length: number;
	/** Concepts that have vectors now. */
	readonly live: number;
	/** Passages of each. */
	readonly counts: readonly number[];
	readonly planes: RowPlanes;
}

/** Vectors of all passages, in the order given, none for tombstones; undefined when interrupted. Rejects as the embedder does. */
export async function embedConcepts(
	concepts: readonly (Concept | undefined)[],
	{ embedder, onConcepts, goesOn, memory = [] }: EmbedOptions,
): Promise<SegmentVectors | undefined> {
	const before = memory.reduce((sum, { live }) => sum + live, 0);
	if (before > 0) onConcepts?.(before);
	for (let next = coveredBy(memory); next < concepts.length; next = coveredBy(memory)) {
		if (!goesOn()) return undefined;
		const batch = await embedBatch(concepts.slice(next, next + CONCEPTS_PER_TURN), embedder);
		// A call that timed out shares this memory and may have embedded the same concepts meanwhile.
		if (coveredBy(memory) !== next) continue;
		memory.push(batch);
		onConcepts?.(batch.live);
	}
	return joinBatches(memory, embedder.identity);
}

function coveredBy(batches: readonly EmbeddedBatch[]): number {
	return batches.reduce((sum, { length }) => sum + length, 0);
}

async function embedBatch(
	concepts: readonly (Concept | undefined)[],
	embedder: Embedder,
): Promise<EmbeddedBatch> {
	const passages = concepts.map((concept) => (concept ? toPassages(concept) : []));
	const texts = passages.flat();
	const planes = createRowPlanes(texts.length, embedder.identity.dimensions);
	const vectors = texts.length === 0 ? [] : await embedBySize(texts, embedder);
	vectors.forEach((vector, row) => void writeRow(planes, row, vector));
	const live = passages.filter(({ length }) => length > 0).length;
	return {
		length: concepts.length,
		live,
		counts: passages.map(({ length }) => length),
		planes,
	};
}

function joinBatches(
	batches: readonly EmbeddedBatch[],
	embedder: Embedder["identity"],
): SegmentVectors {
	const counts = batches.flatMap((batch) => batch.counts);
	const starts = new Uint32Array(counts.length + 1);
	counts.forEach((count, position) => {
		starts[position + 1] = (starts[position] ?? 0) + count;
	});
	const planes = createRowPlanes(starts.at(-1) ?? 0, embedder.dimensions);
	let row = 0;
	for (const batch of batches) row = copyRows(planes, row, batch.planes);
	return { embedder, starts, ...planes };
}

/** Texts of one length share a batch, so that little is spent on padding; the vectors come back in the order asked. */
async function embedBySize(
	texts: readonly string[],
	embedder: Embedder,
): Promise<readonly Float32Array[]> {
	const order = texts.map((_, index) => index);
	order.sort((a, b) => (texts[a]?.length ?? 0) - (texts[b]?.length ?? 0));
	const vectors = await embedder.embed(
		order.map((index) => texts[index] ?? ""),
		"passage",
	);
	const sorted = new Array<Float32Array>(texts.length);
	order.forEach((index, position) => {
		sorted[index] = vectors[position] ?? new Float32Array(embedder.identity.dimensions);
	});
	return sorted;
}

/** A part that has no vectors yet. */
interface VectorJob {
	readonly graphId: string;
	readonly part: Part;
}

/**
 * Makes the vectors that parts lack, shows them and stores them from time to time, so that a crash loses little. Graphs that
 * were rebuilt take the place of what they replace once all their parts have theirs. Rejects as the embedder does.
 */
export async function storeVectors(
	context: IndexContext,
	run: SyncRun,
	replacements: Map<string, PartedGraph>,
): Promise<void> {
	const { embedder, segments } = context;
	const isOurs = ({ graph }: PartedGraph) => context.isMadeElsewhere?.(graph) !== true;
	const lacking = jobsOf(segments.all().filter(isOurs));
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
const memories = new WeakMap<Uint8Array, EmbeddedBatch[]>();

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
