/** Randomness, injected, so that a seeded simulation repeats itself byte by byte. */
export interface Random {
	/** Cryptographically strong bytes in production; a seeded stream in simulations. */
	bytes(length: number): Uint8Array;
}

export const systemRandom: Random = {
	bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
