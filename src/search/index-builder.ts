import { setImmediate as nextTurn } from "node:timers/promises";
import type { Graph } from "../knowledge/graph.js";
import { fieldsOf } from "./concept-fields.js";
import type { Embedder } from "./embedder.js";
import { createLexicalBuilder } from "./lexical-builder.js";
import { toPassages } from "./passages.js";
import { quantiseInto } from "./quantise.js";
import type { Segment, SegmentVectors } from "./segment.js";

/** So many concepts are read, or handed to the model, before other work gets its turn. */
const CONCEPTS_PER_TURN = 24;

/** The keyword side of a graph's segment. Gives way to other work while it runs. */
export async function buildLexicalSegment(graph: Graph): Promise<Segment> {
	const builder = createLexicalBuilder();
	for (const [position, concept] of graph.concepts.entries()) {
		if (position % CONCEPTS_PER_TURN === CONCEPTS_PER_TURN - 1) await nextTurn();
		builder.add(fieldsOf(concept));
	}
	return {
		graphId: graph.record.id,
		contentHash: graph.contentHash,
		conceptIds: graph.concepts.map((concept) => concept.id),
		lexical: builder.build(),
		vectors: undefined,
	};
}

export interface EmbedGraphOptions {
	readonly embedder: Embedder;
	/** Told how many concepts have just got their vectors. */
	readonly onConcepts: (count: number) => void;
	/** Asked between batches; when false, the work is dropped. */
	readonly goesOn: () => boolean;
}

/** Vectors of all passages of a graph; undefined when the work was dropped. Rejects as the embedder does. */
export async function embedGraph(
	graph: Graph,
	{ embedder, onConcepts, goesOn }: EmbedGraphOptions,
): Promise<SegmentVectors | undefined> {
	const passages = graph.concepts.map(toPassages);
	const starts = new Uint32Array(passages.length + 1);
	passages.forEach((texts, concept) => {
		starts[concept + 1] = (starts[concept] ?? 0) + texts.length;
	});
	const { dimensions } = embedder.identity;
	const count = starts.at(-1) ?? 0;
	const scales = new Float32Array(count);
	const rows = new Int8Array(count * dimensions);
	for (let first = 0; first < passages.length; first += CONCEPTS_PER_TURN) {
		if (!goesOn()) return undefined;
		const batch = passages.slice(first, first + CONCEPTS_PER_TURN);
		const vectors = await embedBySize(batch.flat(), embedder);
		vectors.forEach((vector, index) => {
			const row = (starts[first] ?? 0) + index;
			scales[row] = quantiseInto(vector, rows, row * dimensions);
		});
		onConcepts(batch.length);
	}
	return { embedder: embedder.identity, starts, rows, scales };
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
