const NAME_CHARS = 200;

/** A name without what writers differ in: case, marks, punctuation and spaces. Empty for a name of punctuation alone. */
export function normalizeName(name: string): string {
	return name
		.slice(0, NAME_CHARS)
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}+#]+/gu, " ")
		.trim();
}

/** Runs of three characters of a normalized name, its words set apart by spaces. */
export function trigramsOf(name: string): ReadonlySet<string> {
	const text = ` ${name} `;
	const grams = new Set<string>();
	for (let at = 0; at + 3 <= text.length; at++) grams.add(text.slice(at, at + 3));
	return grams;
}

/** Dice's coefficient: twice what both have, over what each has. 0..1. */
export function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size === 0 || b.size === 0) return 0;
	let shared = 0;
	for (const gram of a) if (b.has(gram)) shared += 1;
	return (2 * shared) / (a.size + b.size);
}
