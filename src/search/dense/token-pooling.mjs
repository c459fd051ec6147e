// What a model says of each token becomes one vector a text. Plain JavaScript for the model's thread; types and what is
// guaranteed are in token-pooling.d.mts.

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
