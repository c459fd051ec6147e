import { LRUCache } from "lru-cache";
import { type Clock, ServiceError } from "../../kernel/kernel.js";
import type { Concept } from "../../knowledge/knowledge.js";
import type { SegmentVectors } from "../dense/row-planes.js";
import type { PairJudge } from "../judge/pair-judge.js";
import { toPassages } from "../lexical/concept-text.js";
import type { RankedQuery, RowReadings } from "./find-concepts.js";
import type { Found } from "./found-concepts.js";

/** The first rows are read: beyond them little is found that answers. */
const READ_ROWS = 30;
const PASSAGES_KEPT = 1_024;
/** A judge that takes longer is not waited for: the order stays that of words and vectors. */
const PATIENCE_MS = 3_000;

/** Reads the passage of each of the first rows that comes closest to the query. */
export function createRowReader({
	judge,
	clock,
}: {
	readonly judge: PairJudge | undefined;
	readonly clock: Clock;
}) {
	const kept = new LRUCache<Concept, readonly string[]>({ max: PASSAGES_KEPT });
	const passagesOf = (concept: Concept): readonly string[] => {
		let passages = kept.get(concept);
		if (!passages) {
			passages = toPassages(concept);
			kept.set(concept, passages);
		}
		return passages;
	};
	const toPair = (query: string, { slot, concept }: Found, vector: Float32Array) => {
		const passages = passagesOf(concept);
		const { vectors } = slot.scope.segment;
		const closest = vectors ? closestPassage(vector, vectors, slot.concept) : 0;
		return { text: query, passage: passages[closest] ?? passages[0] ?? "" };
	};
	/** Undefined without a judge, in keyword mode, and when the judge fails or takes too long. */
	return async (
		query: string,
		{ found, dense }: RankedQuery,
		signal?: AbortSignal,
	): Promise<RowReadings | undefined> => {
		if (!judge || !dense || found.length === 0) return undefined;
		const pairs = found.slice(0, READ_ROWS).map((row) => toPair(query, row, dense.hits.vector));
		const tooLate = new AbortController();
		const unwanted = signal ? AbortSignal.any([signal, tooLate.signal]) : tooLate.signal;
		let cancel: (() => void) | undefined;
		const late = new Promise<undefined>((resolve) => {
			cancel = clock.after(PATIENCE_MS, () => {
				tooLate.abort();
				resolve(undefined);
			});
		});
		try {
			const readings = await Promise.race([judge.read(pairs, unwanted), late]);
			return readings?.map(({ answers }) => answers);
		} catch (error) {
			if (error instanceof ServiceError) return undefined;
			throw error;
		} finally {
			cancel?.();
		}
	};
}

/** Position of the document's passage that is closest to the vector. */
export function closestPassage(
	vector: Float32Array,
	{ starts, rows, scales }: SegmentVectors,
	document: number,
): number {
	const first = starts[document] ?? 0;
	const end = starts[document + 1] ?? first;
	let best = { passage: 0, cosine: Number.NEGATIVE_INFINITY };
	for (let row = first; row < end; row++) {
		const from = row * vector.length;
		let sum = 0;
		for (let at = 0; at < vector.length; at++) {
			sum += (vector[at] as number) * (rows[from + at] as number);
		}
		const cosine = sum * (scales[row] ?? 0);
		if (cosine > best.cosine) best = { passage: row - first, cosine };
	}
	return best.passage;
}
