import type { Clock } from "../../kernel/kernel.js";
import type { Embedder } from "../model/embedder.js";
import { createQueryCache, normalizeQuery } from "./query-cache.js";
import { withPatience } from "./query-patience.js";

/** Query text to vector, with the last few thousand answers at hand. */
export interface QueryVectors {
	/** Undefined when the model gives none in time: the search goes on with keywords. */
	find(query: string): Promise<Float32Array | undefined>;
}

export function createQueryVectors({
	clock,
	embedder,
}: {
	readonly clock: Clock;
	readonly embedder: Embedder;
}): QueryVectors {
	const cache = createQueryCache<Promise<Float32Array | undefined>>();

	const embed = async (text: string): Promise<Float32Array | undefined> => {
		const [vector] = await embedder.embed([text], "query");
		return vector;
	};
	const remember = (text: string): Promise<Float32Array | undefined> => {
		const known = cache.find(text);
		if (known !== undefined) return known;
		const vector = embed(text);
		cache.keep(text, vector);
		vector.catch(() => cache.drop(text));
		return vector;
	};
	return { find: (query) => withPatience(clock, remember(normalizeQuery(query))) };
}
