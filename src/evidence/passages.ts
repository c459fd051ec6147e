/** What a model reads at once: enough to say whom "it" means, little enough that nothing of it is cut. */
const PASSAGE_WORDS = 90;

/** A sentence that may stand in a passage. */
interface Placed {
	readonly evidenceId: string;
	readonly text: string;
}

/** What sentences stand in: all of them in their order, under a title. */
interface Surroundings<S extends Placed> {
	readonly title: string;
	readonly sentences: readonly S[];
}

/** A sentence as it is read: with those around it, in their order. */
export interface Passage<S extends Placed> {
	/** "Title. …" */
	readonly text: string;
	readonly sentences: readonly S[];
}

/** The sentence, the one before it, and as many behind it as there is room for; what comes last may be cut by a model. */
export function toPassage<S extends Placed>(
	sentence: S,
	{ title, sentences }: Surroundings<S>,
): Passage<S> {
	const at = sentences.findIndex(({ evidenceId }) => evidenceId === sentence.evidenceId);
	if (at < 0) return { text: titled([title], [sentence.text]), sentences: [sentence] };
	let words = countWords(sentence.text);
	const fits = (place: number): boolean => {
		const more = countWords(sentences[place]?.text ?? "");
		if (sentences[place] === undefined || words + more > PASSAGE_WORDS) return false;
		words += more;
		return true;
	};
	const first = fits(at - 1) ? at - 1 : at;
	let last = at;
	while (fits(last + 1)) last += 1;
	const read = sentences.slice(first, last + 1);
	const texts = read.map(({ text }) => text);
	return { text: titled([title], texts), sentences: read };
}

/**
 * Passages that hold the first of the ranked sentences, so many at most; what stands in one already begins none of its own. Each is
 * told by that of its sentences that ranks first.
 */
export function choosePassages<S extends Placed>(
	ranked: readonly S[],
	surroundingsOf: (sentence: S) => Surroundings<S>,
	most: number,
): readonly (Passage<S> & { readonly sentence: S })[] {
	const ranks = new Map(ranked.map(({ evidenceId }, rank) => [evidenceId, rank]));
	const rankOf = ({ evidenceId }: S) => ranks.get(evidenceId) ?? Number.POSITIVE_INFINITY;
	const held = new Set<string>();
	const passages: (Passage<S> & { readonly sentence: S })[] = [];
	for (const sentence of ranked) {
		if (passages.length >= most) break;
		if (held.has(sentence.evidenceId)) continue;
		const passage = toPassage(sentence, surroundingsOf(sentence));
		for (const { evidenceId } of passage.sentences) held.add(evidenceId);
		const [first = sentence] = [...passage.sentences].sort((a, b) => rankOf(a) - rankOf(b));
		passages.push({ ...passage, sentence: first });
	}
	return passages;
}

/** Titles, then sentences. */
export function titled(titles: readonly string[], texts: readonly string[]): string {
	const heads = titles.filter((title) => title !== "").map((title) => `${title}.`);
	return [...heads, ...texts].join(" ");
}

/** A text in pieces of as many words as a passage has; none of an empty one. */
export function toPieces(text: string): readonly string[] {
	const words = text.split(/\s+/).filter((word) => word !== "");
	const pieces: string[] = [];
	for (let from = 0; from < words.length; from += PASSAGE_WORDS) {
		pieces.push(words.slice(from, from + PASSAGE_WORDS).join(" "));
	}
	return pieces;
}

function countWords(text: string): number {
	return text.split(/\s+/).length;
}
