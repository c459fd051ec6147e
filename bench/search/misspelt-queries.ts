const EVERY = 5;
const MIN_CHARS = 5;

/** Every fifth query with the letters in the middle of its longest word swapped, so that reading typos is part of what is timed. */
export function misspellSome(queries: readonly string[]): readonly string[] {
	return queries.map((query, at) => (at % EVERY === EVERY - 1 ? misspell(query) : query));
}

/** As it was when no word is long enough, or no two neighbors in it differ. */
function misspell(query: string): string {
	const words = query.split(" ");
	const longest = words.reduce((one, other) => (other.length > one.length ? other : one), "");
	if (longest.length < MIN_CHARS) return query;
	const typo = swapInMiddle(longest);
	return words.map((word) => (word === longest ? typo : word)).join(" ");
}

function swapInMiddle(word: string): string {
	for (let at = word.length >> 1; at > 0; at--) {
		const [one, other] = [word.charAt(at), word.charAt(at + 1)];
		if (one !== other) return `${word.slice(0, at)}${other}${one}${word.slice(at + 2)}`;
	}
	return word;
}
