import { nextTurn } from "../../kernel/kernel.js";
import type { Concept } from "../../knowledge/knowledge.js";
import { copyRows, createRowPlanes, type SegmentVectors } from "../dense/row-planes.js";
import { mergeLexical, retuneLexical } from "../lexical/lexical-merge.js";
import type { Part } from "./graph-parts.js";
import type { IndexLimits } from "./merge-plan.js";
import { FINGERPRINT_BYTES } from "./segment.js";

/** Rows are copied so many bytes at a time. */
const BYTES_PER_TURN = 2 * 1024 * 1024;

/**
 * What is alive in these parts as one part, in order. Nothing is derived or embedded again; vectors are kept when all parts
 * have them. Gives way to other work.
 */
export async function mergeParts(parts: readonly Part[], averageLength: number): Promise<Part> {
	const [first] = parts;
	if (!first) throw new RangeError("There is nothing to merge.");
	const sources = parts.map(({ segment, concepts }) => ({
		index: segment.lexical,
		isLive: (document: number) => concepts[document] !== undefined,
	}));
	const lexical = await mergeLexical(sources, averageLength);
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
	const { graphId } = first.segment;
	const segment = { graphId, conceptIds, fingerprints, lexical, vectors };
	return { segment, concepts, live: concepts.length };
}

/** A merged part without what has died in the parts it was made of since, and with newer versions of what reads alike. */
export function bringUpToDate(merged: Part, sources: readonly Part[], now: readonly Part[]): Part {
	const concepts: (Concept | undefined)[] = [];
	sources.forEach((source, position) => {
		const current = now[position];
		source.concepts.forEach((concept, document) => {
			if (concept) concepts.push(current?.concepts[document]);
		});
	});
	const live = concepts.reduce((count, concept) => count + (concept ? 1 : 0), 0);
	return { segment: merged.segment, concepts, live };
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
