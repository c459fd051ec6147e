import { systemClock } from "../../src/kernel/clock.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { readWords } from "./generated-texts.js";

/** Weight of a frequent word against a rare one (Arora, Liang and Ma, 2017), by its rank in the vocabulary. */
const SMOOTHING_RANK = 100;
const WORDS_AT_ONCE = 1_024;

/**
 * Texts as weighted sums of what the model makes of their single words: spread over the sphere as its vectors are, some
 * hundred times cheaper, so that a million passages take seconds. For speed and recall of a scan, not for quality.
 */
export async function createWordSums(model: ModelLocation): Promise<Embedder> {
	const embedder = await createTransformersEmbedder(systemClock, model);
	const words = readWords();
	const vectors: Float32Array[] = [];
	for (let first = 0; first < words.length; first += WORDS_AT_ONCE) {
		const some = words.slice(first, first + WORDS_AT_ONCE);
		vectors.push(...(await embedder.embed(some, "passage")));
	}
	await embedder.close();
	const { dimensions } = embedder.identity;
	const weighted = new Map(
		words.map((word, rank) => {
			const weight = rank / (rank + SMOOTHING_RANK);
			return [word, vectors[rank]?.map((component) => component * weight)] as const;
		}),
	);
	const embed = (text: string): Float32Array => {
		const sum = new Float32Array(dimensions);
		sum[0] = 1e-6; // A text of unknown words has a vector, too.
		for (const word of text.toLowerCase().split(/[^a-z]+/)) addTo(sum, weighted.get(word));
		return toUnit(sum);
	};
	return {
		identity: { ...embedder.identity, id: "word-sums" },
		embed: async (texts) => texts.map(embed),
		warm: () => undefined,
		close: async () => undefined,
	};
}

function toUnit(vector: Float32Array): Float32Array {
	let square = 0;
	for (const component of vector) square += component * component;
	const factor = 1 / Math.sqrt(square);
	return vector.map((component) => component * factor);
}

function addTo(sum: Float32Array, vector: Float32Array | undefined): void {
	if (!vector) return;
	for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (vector[at] as number);
}
