import { createHash } from "node:crypto";
import type { Clock } from "../core/clock.js";
import { LIMITS } from "../core/limits.js";
import type { Embedder } from "./embedder.js";
import { QUERY_PATIENCE_MS } from "./watched-embedder.js";

/** Query text to vector, with the last few thousand answers at hand. */
export interface QueryVectors {
	/** Undefined when the model gives none in time: the search goes on with keywords. */
	find(query: string): Promise<Float32Array | undefined>;
}

const CACHE_ENTRIES = 2_048;

export function createQueryVectors({
	clock,
	embedder,
}: {
	readonly clock: Clock;
	readonly embedder: Embedder;
}): QueryVectors {
	const cache = new Map<string, Promise<Float32Array | undefined>>();

	const embed = async (text: string): Promise<Float32Array | undefined> => {
		const [vector] = await embedder.embed([text], "query");
		return vector;
	};
	const remember = (text: string): Promise<Float32Array | undefined> => {
		const key = keyOf(text);
		const known = cache.get(key);
		if (known !== undefined) {
			cache.delete(key); // and again at the end: the first key is the one unused for longest.
			cache.set(key, known);
			return known;
		}
		const vector = embed(text);
		cache.set(key, vector);
		vector.catch(() => cache.delete(key));
		const oldest = cache.size > CACHE_ENTRIES ? cache.keys().next().value : undefined;
		if (oldest !== undefined) cache.delete(oldest);
		return vector;
	};

	return {
		async find(query) {
			const vector = remember(normalise(query));
			let stopWaiting: (() => void) | undefined;
			const late = new Promise<undefined>((resolve) => {
				stopWaiting = clock.after(QUERY_PATIENCE_MS, () => resolve(undefined));
			});
			try {
				return await Promise.race([vector, late]);
			} catch {
				return undefined; // Crashed or overrun: the outcome says "keyword", and the next query tries again.
			} finally {
				stopWaiting?.();
			}
		},
	};
}

function normalise(query: string): string {
	return query.normalize("NFKC").trim().replace(/\s+/g, " ").slice(0, LIMITS.queryChars);
}

/** Of one size however long the text is. */
function keyOf(text: string): string {
	return createHash("sha256").update(text).digest("base64");
}
