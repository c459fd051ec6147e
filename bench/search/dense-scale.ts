import { createLocalDenseSide, type DenseHits } from "../../src/search/dense/dense-side.js";
import {
	createRowPlanes,
	type SegmentVectors,
	writeRow,
} from "../../src/search/dense/row-planes.js";
import type { DenseScope } from "../../src/search/dense/vector-regions.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { round } from "../figures.js";
import { readLabelledHalf } from "./labelled-half.js";
import { quantile } from "./query-cost.js";
import { createSentencePairs } from "./sentence-pairs.js";
import { createWordSums } from "./word-sums.js";

export interface DenseInput {
	readonly model: ModelLocation;
	/** Rows at which to measure, ascending. */
	readonly rows: readonly number[];
}

export interface DenseFigures {
	readonly rows: number;
	/** Of the ten passages found, how many are among the ten that an exact scan in float finds, or exactly as close as the tenth. */
	readonly recall_at_10: number;
	/** The same where only one order of equals counts: that of the exact scan. */
	readonly recall_at_10_strict: number;
	readonly median_ms: number;
	readonly p99_ms: number;
}

const QUERIES = 100;
const TOP = 10;
/** What a search asks the dense side for. */
const POOL = 50;
const ROWS_PER_SEGMENT = 10_000;
/** Two sentences give one vector in either order, but for the rounding of a sum in float32. */
const EQUAL = 1e-6;
/** Passages that an exact scan remembers: the ten closest, and any that are as close. */
const KEPT = 30;
const ROUNDS = 3;

/** The dense side alone, beside an exact float scan of the same vectors. Passages are made, embedded and dropped in turn. */
export async function measureDense({ model, rows }: DenseInput): Promise<readonly DenseFigures[]> {
	const embedder = await createWordSums(model);
	const { questions } = await readLabelledHalf("tune");
	const texts = questions.slice(0, QUERIES).map(({ query }) => query);
	const queries = await embedder.embed(texts, "query");
	const vectorOf = new Map(texts.map((text, index) => [text, queries[index]]));
	const denseSide = createLocalDenseSide(async (query) => vectorOf.get(query));
	const exact = queries.map(() => createExactTop());
	const nextPassage = await createSentencePairs();
	const scopes: DenseScope[] = [];
	const figures: DenseFigures[] = [];
	const last = rows.at(-1) ?? 0;
	for (let base = 0; base < last; base += ROWS_PER_SEGMENT) {
		const count = Math.min(ROWS_PER_SEGMENT, last - base);
		const passages = Array.from({ length: count }, nextPassage);
		const vectors = await embedder.embed(passages, "passage");
		exact.forEach((top, index) => {
			const query = queries[index];
			if (query) vectors.forEach((vector, row) => void top.offer(base + row, dot(query, vector)));
		});
		scopes.push({ vectors: denseSide.add(toSegment(vectors, embedder)), base, mask: undefined });
		if (!rows.includes(base + count)) continue;
		const search = (query: string) => denseSide.search({ query, scopes, count: POOL });
		figures.push({ rows: base + count, ...(await compare(texts, exact, search)) });
	}
	return figures;
}

async function compare(
	texts: readonly string[],
	exact: readonly ExactTop[],
	search: (query: string) => Promise<DenseHits | undefined>,
): Promise<Omit<DenseFigures, "rows">> {
	// The first round warms up, and shows what is found.
	let [found, strict] = [0, 0];
	for (const [index, text] of texts.entries()) {
		const hits = await search(text);
		const top = exact[index]?.rows() ?? [];
		const first = hits?.slots.slice(0, TOP) ?? [];
		const least = (top[TOP - 1]?.score ?? 0) - EQUAL;
		const amongThem = top.filter(({ slot }) => first.includes(slot));
		found += amongThem.filter(({ score }) => score >= least).length;
		strict += top.slice(0, TOP).filter(({ slot }) => first.includes(slot)).length;
	}
	const latenciesMs: number[] = [];
	for (let run = 0; run < ROUNDS; run++) {
		for (const text of texts) {
			const start = performance.now();
			await search(text);
			latenciesMs.push(performance.now() - start);
		}
	}
	latenciesMs.sort((a, b) => a - b);
	return {
		recall_at_10: round(found / (TOP * texts.length), 4),
		recall_at_10_strict: round(strict / (TOP * texts.length), 4),
		median_ms: quantile(latenciesMs, 0.5),
		p99_ms: quantile(latenciesMs, 0.99),
	};
}

interface ExactTop {
	/** Best first. */
	rows(): readonly { readonly slot: number; readonly score: number }[];
	offer(slot: number, score: number): void;
}

/** The best rows so far. */
function createExactTop(): ExactTop {
	const slots: number[] = [];
	const scores: number[] = [];
	return {
		rows: () => slots.map((slot, place) => ({ slot, score: scores[place] ?? 0 })),
		offer(slot: number, score: number) {
			if (slots.length === KEPT && score <= (scores[KEPT - 1] ?? 0)) return;
			let place = slots.length;
			while (place > 0 && (scores[place - 1] ?? 0) < score) place--;
			slots.splice(place, 0, slot);
			scores.splice(place, 0, score);
			slots.length = Math.min(slots.length, KEPT);
			scores.length = slots.length;
		},
	};
}

function dot(one: Float32Array, other: Float32Array): number {
	let [first, second] = [0, 0];
	for (let at = 0; at < one.length; at += 2) {
		first += (one[at] as number) * (other[at] as number);
		second += (one[at + 1] as number) * (other[at + 1] as number);
	}
	return first + second;
}

/** One passage a document. */
function toSegment(vectors: readonly Float32Array[], { identity }: Embedder): SegmentVectors {
	const planes = createRowPlanes(vectors.length, identity.dimensions);
	vectors.forEach((vector, row) => void writeRow(planes, row, vector));
	const starts = Uint32Array.from({ length: vectors.length + 1 }, (_, document) => document);
	return { embedder: identity, starts, ...planes };
}
