import { INDEX_LIMITS } from "../../contract/contract.js";
import { nextTurn } from "../../kernel/kernel.js";
import type { Concept, Graph } from "../../knowledge/knowledge.js";
import { copyRows, createRowPlanes, type SegmentVectors } from "../dense/row-planes.js";
import { mergeLexical, retuneLexical } from "../lexical/lexical-builder.js";
import { preparePriors } from "./concept-priors.js";
import { FINGERPRINT_BYTES, type Part, type PartedGraph, toPart } from "./segment.js";
import type { IndexContext, IndexLimits } from "./segment-set.js";

interface MergeWork {
	readonly graphId: string;
	readonly sources: readonly Part[];
}

/** Merges segments while the process serves, one group at a time; `enqueue` runs what changes the set when nothing else does. */
export function createIndexMerger(
	context: IndexContext,
	enqueue: (work: () => Promise<void>) => Promise<void>,
) {
	let isOpen = true;
	let running: Promise<void> | undefined;
	const run = async (): Promise<void> => {
		for (let work = findWork(context); work && isOpen; work = findWork(context)) {
			const found = work;
			const merged = await mergeParts(found.sources);
			if (!isOpen) return;
			await enqueue(async () => {
				if (isOpen) await replaceSources(context, found, merged);
			});
		}
	};
	/** Begins to merge when there is something to merge and nothing is being merged. */
	const look = (): void => {
		running ??= run()
			.catch(() => undefined)
			.finally(() => {
				running = undefined;
			});
	};
	return {
		look,
		/** Resolves once nothing is left to merge. */
		async settle(): Promise<void> {
			look();
			await running;
		},
		/** What is being merged now is dropped. */
		close(): void {
			isOpen = false;
		},
	};
}

function findWork(context: IndexContext): MergeWork | undefined {
	const { segments, limits } = context;
	for (const { graph, parts } of segments.all()) {
		const ready = parts.filter((part, position) => {
			const isNewest = position === parts.length - 1;
			// The newest small one is rebuilt by the next change anyway.
			if (isNewest && part.live < limits.deltaDocuments && parts.length > 1) return false;
			return isReady(part, context);
		});
		const plan = planMerge(ready, limits);
		if (!plan) continue;
		const sources = ready.filter((_, position) => plan.includes(position));
		return { graphId: graph.record.id, sources };
	}
	return undefined;
}

/** Vectors that are still to be made, or that lie on disk for a model that is away, would be lost in a merge. */
function isReady({ segment }: Part, { embedder, index }: IndexContext): boolean {
	return embedder ? segment.vectors !== undefined : !index.holdsVectors(segment);
}

/** Puts the merged part where its first source is, unless one of the sources has been replaced meanwhile. */
async function replaceSources(
	{ index, segments, limits }: IndexContext,
	{ graphId, sources }: MergeWork,
	merged: Part,
): Promise<void> {
	const before = segments.find(graphId);
	const now = sources.flatMap(({ segment }) => {
		const same = before?.parts.find((part) => part.segment.fingerprints === segment.fingerprints);
		return same ? [same] : [];
	});
	if (!before || now.length < sources.length) return;
	const current = bringUpToDate(merged, sources, now);
	const parts = before.parts.flatMap((part) => {
		if (part === now[0]) return current.live > 0 ? [current] : [];
		return now.includes(part) ? [] : [part];
	});
	const after = await toTunedGraph(before.graph, parts, limits);
	segments.replace(segments.copy().set(graphId, after));
	await index.commit(segments.all());
}

/** How many documents a part has, tombstones included, and how many are live. */
export interface PartSize {
	readonly concepts: { readonly length: number };
	readonly live: number;
}

/**
 * Which segments of a graph, by position, should become one; undefined when they are well as they are. Small ones go
 * together first, and one joins them only while it is not much larger than they are together: every document is copied
 * a logarithmic number of times.
 */
export function planMerge(
	segments: readonly PartSize[],
	limits: IndexLimits = INDEX_LIMITS,
): readonly number[] | undefined {
	const wasteful = segments.findIndex(
		({ concepts: { length }, live }) => length - live > length * limits.deadShareMax,
	);
	const bySize = segments.map((_, position) => position);
	bySize.sort((a, b) => liveOf(segments, a) - liveOf(segments, b));
	if (segments.length > limits.segmentsMax) {
		const chosen = chooseSmallest(segments, bySize, limits);
		if (chosen.length > 1) return chosen.sort((a, b) => a - b);
	}
	return wasteful < 0 ? undefined : [wasteful];
}

function chooseSmallest(
	segments: readonly PartSize[],
	bySize: readonly number[],
	{ mergedDocuments, segmentsMax }: IndexLimits,
): number[] {
	const needed = segments.length - segmentsMax + 1;
	const chosen: number[] = [];
	let together = 0;
	for (const position of bySize) {
		const live = liveOf(segments, position);
		if (together + live > mergedDocuments) break;
		if (chosen.length >= needed && live > 2 * together) break;
		chosen.push(position);
		together += live;
	}
	return chosen;
}

function liveOf(segments: readonly PartSize[], position: number): number {
	return segments[position]?.live ?? 0;
}

/** Rows are copied so many bytes at a time. */
const BYTES_PER_TURN = 2 * 1024 * 1024;

/**
 * What is alive in these parts as one part, in order. Nothing is derived or embedded again; vectors are kept when all parts
 * have them. Gives way to other work.
 */
export async function mergeParts(parts: readonly Part[]): Promise<Part> {
	const [first] = parts;
	if (!first) throw new RangeError("There is nothing to merge.");
	const { graphId, lexical: firstLexical } = first.segment;
	const sources = parts.map(({ segment, concepts }) => ({
		index: segment.lexical,
		isLive: (document: number) => concepts[document] !== undefined,
	}));
	const lexical = await mergeLexical(sources, firstLexical.averageLength);
	const concepts: Concept[] = [];
	const conceptIds: string[] = [];
	const fingerprints = new Uint8Array(lexical.documents * FINGERPRINT_BYTES);
	for (const { segment, concepts: old } of parts) {
		for (let document = 0; document < old.length; document++) {
			const concept = old[document];
			if (!concept) continue;
			const from = document * FINGERPRINT_BYTES;
			const digest = segment.fingerprints.subarray(from, from + FINGERPRINT_BYTES);
			fingerprints.set(digest, concepts.length * FINGERPRINT_BYTES);
			concepts.push(concept);
			conceptIds.push(concept.id);
		}
		await nextTurn();
	}
	const vectors = await mergeVectors(parts, lexical.documents);
	const segment = { graphId, conceptIds, fingerprints, lexical, vectors };
	return { segment, concepts, live: concepts.length };
}

/** A merged part without what has died in the parts it was made of since, and with newer versions of what reads alike. */
function bringUpToDate(merged: Part, sources: readonly Part[], now: readonly Part[]): Part {
	const concepts: (Concept | undefined)[] = [];
	sources.forEach((source, position) => {
		const current = now[position];
		source.concepts.forEach((concept, document) => {
			if (concept) concepts.push(current?.concepts[document]);
		});
	});
	return toPart(merged.segment, concepts);
}

/** Mean of the weighted lengths of all that is alive; what a graph's impacts are held against. */
function averageLengthOf(parts: readonly Part[]): number {
	let total = 0;
	let count = 0;
	for (const { segment, concepts, live } of parts) {
		const { lengths } = segment.lexical;
		for (let document = 0; document < concepts.length; document++) {
			if (concepts[document]) total += lengths[document] as number;
		}
		count += live;
	}
	return total / Math.max(1, count) || 1;
}

/**
 * Holds all parts against one average length, so that their scores compare: the one they have while it is close enough,
 * else that of the concepts alive now. Gives way to other work.
 */
export async function tuneParts(
	parts: readonly Part[],
	limits: IndexLimits,
): Promise<readonly Part[]> {
	const wanted = wantedAverage(parts, limits);
	if (parts.every(({ segment }) => segment.lexical.averageLength === wanted)) return parts;
	const tuned: Part[] = [];
	for (const part of parts) {
		const lexical = await retuneLexical(part.segment.lexical, wanted);
		const isSame = lexical === part.segment.lexical;
		tuned.push(isSame ? part : { ...part, segment: { ...part.segment, lexical } });
	}
	return tuned;
}

/** The graph with its parts tuned and the priors of their documents at hand. */
export async function toTunedGraph(
	graph: Graph,
	parts: readonly Part[],
	limits: IndexLimits,
): Promise<PartedGraph> {
	const tuned = await tuneParts(parts, limits);
	await preparePriors(
		graph,
		tuned.map(({ concepts }) => concepts),
	);
	return { graph, parts: tuned };
}

function wantedAverage(parts: readonly Part[], limits: IndexLimits): number {
	const average = averageLengthOf(parts);
	const postings = parts.reduce((sum, { segment }) => sum + segment.lexical.docs.length, 0);
	if (postings <= limits.exactAveragePostings) return average;
	const largest = parts.reduce((one, other) => (other.live > one.live ? other : one));
	const { averageLength } = largest.segment.lexical;
	const drift = Math.abs(average / averageLength - 1);
	return drift > limits.averageDriftMax ? average : averageLength;
}

async function mergeVectors(
	parts: readonly Part[],
	documents: number,
): Promise<SegmentVectors | undefined> {
	const sources: VectorSource[] = [];
	for (const { segment, concepts } of parts) {
		if (!segment.vectors) return undefined;
		sources.push({ vectors: segment.vectors, concepts });
	}
	const embedder = sources[0]?.vectors.embedder;
	if (!embedder) return undefined;
	const starts = new Uint32Array(documents + 1);
	const size = writeStarts(sources, starts);
	const planes = createRowPlanes(size, embedder.dimensions);
	let row = 0;
	let copied = 0;
	for (const { from, to, vectors } of liveRuns(sources)) {
		row = copyRows(planes, row, vectors, [from, to]);
		copied += (to - from) * embedder.dimensions;
		if (copied < BYTES_PER_TURN) continue;
		copied = 0;
		await nextTurn();
	}
	return { embedder, starts, ...planes };
}

interface VectorSource {
	readonly vectors: SegmentVectors;
	readonly concepts: Part["concepts"];
}

/** Gives the number of rows. */
function writeStarts(sources: readonly VectorSource[], starts: Uint32Array): number {
	let next = 0;
	let row = 0;
	for (const { vectors, concepts } of sources) {
		for (let document = 0; document < concepts.length; document++) {
			if (!concepts[document]) continue;
			row += (vectors.starts[document + 1] as number) - (vectors.starts[document] as number);
			starts[++next] = row;
		}
	}
	return row;
}

const ROWS_PER_RUN = 4_096;

/** Rows of neighboring live documents, which are copied together. */
function* liveRuns(sources: readonly VectorSource[]) {
	for (const { vectors, concepts } of sources) {
		const rowOf = (document: number) => vectors.starts[document] as number;
		let from = 0;
		while (from < concepts.length) {
			let to = from;
			while (concepts[to] && rowOf(to) - rowOf(from) < ROWS_PER_RUN) to++;
			if (to > from) yield { vectors, from: rowOf(from), to: rowOf(to) };
			from = Math.max(to, from + 1);
		}
	}
}
