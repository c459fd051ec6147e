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
		const asked = queries.map(({ vector, list, count }) => {
			const at = vector ? 0 : embedded++ * dimensions;
			return { query: vector ?? vectors.subarray(at, at + dimensions), list, count };
		});
		const found = new Array(asked.length);
		for (const alike of groupAlike(asked)) {
			const { list, count } = asked[alike[0]];
			const wanted = alike.map((index) => asked[index].query);
			const hits = scan.searchAll(wanted, known.get(list), count);
			for (const [at, index] of alike.entries()) found[index] = hits[at];
		}
		for (const number of forgotten) known.delete(number);
		return { vectors, ...joinHits(found) };
	};
}

/** Numbers of the queries that ask for as much of the same list: one pass can serve several of them. */
function groupAlike(asked) {
	const groups = new Map();
	for (const [index, { list, count }] of asked.entries()) {
		const key = `${list} ${count}`;
		const group = groups.get(key);
		if (group) group.push(index);
		else groups.set(key, [index]);
	}
	return groups.values();
}

function joinHits(found) {
	const ends = [];
	for (const { slots } of found) ends.push((ends.at(-1) ?? 0) + slots.length);
	const slots = new Uint32Array(ends.at(-1) ?? 0);
	const cosines = new Float32Array(slots.length);
	for (const [index, hits] of found.entries()) {
		slots.set(hits.slots, ends[index - 1] ?? 0);
		cosines.set(hits.cosines, ends[index - 1] ?? 0);
	}
	return { slots, cosines, ends };
}
