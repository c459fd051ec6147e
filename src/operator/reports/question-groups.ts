import { createTurns, nextTurn } from "../../kernel/kernel.js";
import { type Embedder, termsOf, tokenize } from "../../search/search.js";

/** Questions that mean much the same, put together: by the encoder's vectors, or by their words where no model is at hand. */

/**
 * Cosine to the mean of a group from which on a question belongs to it. By the bundled encoder 25 of 29 pairs of paraphrases lie
 * above it, and of pairs that ask for different things only such as differ in one word or in a number.
 */
const COSINE_LEAST = 0.72;
/** The same for words: shared ones among all of both. */
const WORDS_LEAST = 0.5;
/** Questions that wait for a model which searches wait for, too, go to it in small pieces. */
const PIECE = 16;
const WORDS_CHARS = 2_000;

export interface QuestionGroups<T> {
	readonly by: "meaning" | "words";
	readonly groups: readonly (readonly T[])[];
}

/** Each group led by the question that came first of it; questions that name different numbers are never put together. */
export async function groupQuestions<T extends { readonly text: string }>(
	questions: readonly T[],
	embedder: Pick<Embedder, "embed"> | undefined,
): Promise<QuestionGroups<T>> {
	const vectors = embedder && (await embedAll(embedder, questions));
	const read = questions.map(({ text }) => readQuestion(text));
	const groups = vectors
		? await gather(read, vectorNearness(vectors))
		: await gather(read, wordNearness(read));
	return {
		by: vectors ? "meaning" : "words",
		groups: groups.map((places) => places.flatMap((place) => questions[place] ?? [])),
	};
}

/** Undefined when the model fails: then words have to do. */
async function embedAll(
	embedder: Pick<Embedder, "embed">,
	questions: readonly { readonly text: string }[],
): Promise<readonly Float32Array[] | undefined> {
	const vectors: Float32Array[] = [];
	try {
		for (let at = 0; at < questions.length; at += PIECE) {
			const texts = questions.slice(at, at + PIECE).map(({ text }) => text);
			vectors.push(...(await embedder.embed(texts, "query")));
		}
	} catch {
		return undefined;
	}
	return vectors;
}

interface ReadQuestion {
	readonly words: ReadonlySet<string>;
	/** Years, versions and numbered standards: they tell apart what otherwise reads alike. */
	readonly numbers: ReadonlySet<string>;
}

function readQuestion(text: string): ReadQuestion {
	const words = tokenize(text, WORDS_CHARS).filter(({ isStopWord }) => !isStopWord);
	const terms = new Set(words.map(({ whole }) => whole));
	return { words: terms, numbers: numbersOf(words.flatMap((word) => termsOf(word))) };
}

function numbersOf(terms: readonly string[]): ReadonlySet<string> {
	return new Set(terms.filter((term) => /^\p{N}+$/u.test(term)));
}

interface Nearness<Group> {
	open(place: number): Group;
	of(place: number, group: Group): number;
	join(place: number, group: Group): void;
	readonly least: number;
	/** What one comparison takes, in units of `createTurns`. */
	readonly units: number;
}

interface OpenGroup<Group> {
	readonly places: number[];
	readonly lead: ReadQuestion;
	readonly center: Group;
}

async function gather<Group>(
	read: readonly ReadQuestion[],
	nearness: Nearness<Group>,
): Promise<readonly (readonly number[])[]> {
	const groups: OpenGroup<Group>[] = [];
	const spend = createTurns();
	for (const [place, lead] of read.entries()) {
		const group = nearestOf(groups, { place, question: lead, nearness });
		if (group) {
			group.places.push(place);
			nearness.join(place, group.center);
		} else groups.push({ places: [place], lead, center: nearness.open(place) });
		if (spend(groups.length * nearness.units)) await nextTurn();
	}
	return groups.map(({ places }) => places);
}

function nearestOf<Group>(
	groups: readonly OpenGroup<Group>[],
	asked: {
		readonly place: number;
		readonly question: ReadQuestion;
		readonly nearness: Nearness<Group>;
	},
): OpenGroup<Group> | undefined {
	const { place, question, nearness } = asked;
	let nearest: OpenGroup<Group> | undefined;
	let best = nearness.least;
	for (const group of groups) {
		const near = nearness.of(place, group.center);
		if (near < best || differ(question, group.lead)) continue;
		nearest = group;
		best = near;
	}
	return nearest;
}

function differ({ numbers }: ReadQuestion, lead: ReadQuestion): boolean {
	if (numbers.size === 0 || lead.numbers.size === 0) return false;
	return [...numbers].every((number) => !lead.numbers.has(number));
}

const NO_VECTOR = new Float32Array();

/** By the cosine to the mean of a group. */
function vectorNearness(vectors: readonly Float32Array[]): Nearness<Float32Array> {
	const at = (place: number) => vectors[place] ?? NO_VECTOR;
	return {
		least: COSINE_LEAST,
		units: vectors[0]?.length ?? 1,
		open: (place) => Float32Array.from(at(place)),
		of(place, sum) {
			let [dot, length] = [0, 0];
			for (const [index, value] of at(place).entries()) {
				const own = sum[index] ?? 0;
				dot += value * own;
				length += own * own;
			}
			return length === 0 ? 0 : dot / Math.sqrt(length);
		},
		join(place, sum) {
			for (const [index, value] of at(place).entries()) sum[index] = (sum[index] ?? 0) + value;
		},
	};
}

/** By the words shared with the question that leads a group. */
function wordNearness(read: readonly ReadQuestion[]): Nearness<ReadonlySet<string>> {
	const at = (place: number) => read[place]?.words ?? new Set<string>();
	return {
		least: WORDS_LEAST,
		units: 20,
		open: at,
		of(place, lead) {
			const words = at(place);
			let shared = 0;
			for (const word of words) if (lead.has(word)) shared += 1;
			return shared / (words.size + lead.size - shared || 1);
		},
		join: () => undefined,
	};
}
