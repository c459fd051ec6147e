/** Randomness, injected, so that a seeded simulation repeats itself byte by byte. */
export interface Random {
	/** Cryptographically strong bytes in production; a seeded stream in simulations. */
	bytes(length: number): Uint8Array;
}

const POOL_BYTES = 4_096;

/** Asking the system costs ten times what the few bytes of an id do, so they are drawn in one go and handed out once. */
function createPooledRandom(): Random {
	const pool = new Uint8Array(POOL_BYTES);
	let used = POOL_BYTES;
	return {
		bytes(length) {
			if (length > POOL_BYTES) return crypto.getRandomValues(new Uint8Array(length));
			if (used + length > POOL_BYTES) {
				crypto.getRandomValues(pool);
				used = 0;
			}
			const drawn = pool.slice(used, used + length);
			// What became a secret must not stay here.
			pool.fill(0, used, used + length);
			used += length;
			return drawn;
		},
	};
}

export const systemRandom: Random = createPooledRandom();
