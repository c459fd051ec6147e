/**
 * Damerau and Levenshtein's distance in its restricted form (optimal string alignment): insertions, deletions, substitutions
 * and swaps of neighbors. Gives `most + 1` for anything beyond `most`, which is to be small: the work grows fourfold with each.
 */
export function editDistance(one: string, other: string, most: number): number {
	return distanceFrom({ one, other }, 0, 0, most);
}

interface Words {
	readonly one: string;
	readonly other: string;
}

function distanceFrom(words: Words, oneStart: number, otherStart: number, most: number): number {
	const { one, other } = words;
	let i = oneStart;
	let j = otherStart;
	while (i < one.length && j < other.length && one.charCodeAt(i) === other.charCodeAt(j)) {
		i++;
		j++;
	}
	const [left, right] = [one.length - i, other.length - j];
	if (left === 0 || right === 0) return Math.min(most + 1, left + right);
	if (most === 0 || Math.abs(left - right) > most) return most + 1;
	let best = distanceFrom(words, i + 1, j + 1, most - 1);
	best = Math.min(best, distanceFrom(words, i + 1, j, most - 1));
	best = Math.min(best, distanceFrom(words, i, j + 1, most - 1));
	const isSwap =
		one.charCodeAt(i) === other.charCodeAt(j + 1) && one.charCodeAt(i + 1) === other.charCodeAt(j);
	if (isSwap) best = Math.min(best, distanceFrom(words, i + 2, j + 2, most - 1));
	return best + 1;
}
