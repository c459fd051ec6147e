// A batch of queries in the thread of the model: texts become vectors, vectors are compared with the scopes asked about.
import { createVectorScan } from "./vector-scan.mjs";

export function createQueryBatch({ setup, embed }) {
	const { dimensions } = setup;
	const scan = createVectorScan(setup);
	/** Lists of scopes by the number they were announced with. */
	const known = new Map();

	return async ({ queries, lists, forgotten }) => {
		for (const [number, scopes] of lists) known.set(number, scopes);
		const texts = queries.flatMap(({ text, vector }) => (vector ? [] : [text]));
		const vectors = await embed(texts);
		if (vectors.length !== texts.length * dimensions) {
			throw new Error("they are of an unexpected size");
		}
		let embedded = 0;
		const found = queries.map(({ vector, list, count }) => {
			const at = vector ? 0 : embedded++ * dimensions;
			const query = vector ?? vectors.subarray(at, at + dimensions);
			return scan.search(query, known.get(list), count);
		});
		for (const number of forgotten) known.delete(number);
		const ends = [];
		for (const { slots } of found) ends.push((ends.at(-1) ?? 0) + slots.length);
		const slots = Uint32Array.from(found.flatMap((hits) => hits.slots));
		const cosines = new Float32Array(slots.length);
		found.forEach((hits, index) => {
			cosines.set(hits.cosines, ends[index - 1] ?? 0);
		});
		return { vectors, slots, cosines, ends };
	};
}
