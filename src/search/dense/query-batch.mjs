// What the thread of the model does with a batch: token vectors are pooled into text vectors, and these are compared with the
// scopes asked about. Types and guarantees are in query-batch.d.mts.
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

export function poolTokens({ data, dims }, mask, pooling) {
	const [texts, tokens, width] = dims;
	const pooled = new Float32Array(texts * width);
	const sums = new Float64Array(width);
	for (let text = 0; text < texts; text++) {
		sums.fill(0);
		const weights = text * tokens;
		if (pooling === "cls") addTo(sums, data, weights * width);
		for (let token = 0; pooling === "mean" && token < tokens; token++) {
			// Masks are of 64-bit integers; texts are padded to one length.
			if (Number(mask[weights + token]) !== 0) addTo(sums, data, (weights + token) * width);
		}
		writeUnit(sums, pooled, text * width);
	}
	return pooled;
}

function addTo(sums, data, from) {
	for (let at = 0; at < sums.length; at++) sums[at] += data[from + at];
}

function writeUnit(sums, target, from) {
	let squares = 0;
	for (let at = 0; at < sums.length; at++) squares += sums[at] * sums[at];
	const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
	for (let at = 0; at < sums.length; at++) target[from + at] = sums[at] * factor;
}
