import type { Concept } from "../../knowledge/knowledge.js";
import { fileNameOf } from "../lexical/concept-fields.js";
import { termsOf, tokenize, type Word } from "../lexical/tokenizer.js";

/** A name is called when the query holds this share of its words and nothing besides. */
const NAME_SHARE = 0.6;
/** Longer queries are questions. */
export const MAX_NAME_WORDS = 8;
const BEGINNING_CHARS = 2;
const PLAIN_TEXT = /^[\x20-\x7e]*$/;
const PLAIN_WORD = /^[a-z0-9]+$/;
const NAME_BREAK = /[:;,–—()]|\s-\s/;

/**
 * True when the query's subject words are, in essence, one name of the concept: its title or a part of it, an alias,
 * or the name of its file.
 */
export function isNameOf(subject: readonly Word[], concept: Concept): boolean {
	if (subject.length === 0 || subject.length > MAX_NAME_WORDS) return false;
	if (lacksBeginnings(subject, concept)) return false;
	const asked = new Set(subject.flatMap(termsOf));
	return namesOf(concept).some(({ words, terms }) => {
		if (!subject.every((word) => idsOf(word).some((term) => terms.has(term)))) return false;
		const called = words.filter((word) => idsOf(word).some((term) => asked.has(term)));
		return called.length / words.length >= NAME_SHARE;
	});
}

/** Cheap, and never wrong where it says yes: no stem changes how a word begins. */
function lacksBeginnings(subject: readonly Word[], { title, aliases, id }: Concept): boolean {
	const text = `${title} ${aliases.join(" ")} ${id}`.toLowerCase();
	return (
		PLAIN_TEXT.test(text) &&
		subject.some(({ surface }) => {
			const beginning = surface.slice(0, BEGINNING_CHARS);
			return PLAIN_WORD.test(beginning) && !text.includes(beginning);
		})
	);
}

interface Name {
	readonly words: readonly Word[];
	readonly terms: ReadonlySet<string>;
}

/** Concepts are immutable and asked about again and again. */
const namesByConcept = new WeakMap<Concept, readonly Name[]>();

function namesOf(concept: Concept): readonly Name[] {
	const known = namesByConcept.get(concept);
	if (known) return known;
	const texts = new Set([
		concept.title,
		...concept.title.split(NAME_BREAK),
		...concept.aliases,
		fileNameOf(concept),
	]);
	const names = [...texts]
		.map((text) => tokenize(text).filter((word) => !word.isStopWord))
		.filter((words) => words.length > 0)
		.map((words) => ({ words, terms: new Set(words.flatMap(termsOf)) }));
	namesByConcept.set(concept, names);
	return names;
}

/** Terms each of which stands for the word on its own. */
function idsOf(word: Word): readonly string[] {
	return [word.whole, ...word.joined];
}
