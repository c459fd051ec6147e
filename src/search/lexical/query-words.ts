import { LIMITS } from "../../contract/contract.js";
import { memoizeByObject } from "../../kernel/kernel.js";
import { definedWords } from "./definitions.js";
import {
	documentFrequency,
	inverseDocumentFrequency,
	isHeld,
	type LexicalScope,
	type QueryTerm,
} from "./lexical-index.js";
import {
	type Alternative,
	isWrittenIdentifier,
	namesOf,
	stemWord,
	termsOf,
	tokenize,
	type Word,
} from "./tokenizer.js";
import { type Match, type Vocabulary, vocabularyOf } from "./vocabulary.js";

/** Pieces of a compound count less than the compound: they match by accident more often. */
const PART_WEIGHT = 0.5;
/** In a small graph "being" may be rarer than the subject; grammar must not decide. */
const STOP_WORD_WEIGHT = 0.3;

/** "Externally owned account" also asks for EOA; an initialism that no one uses finds nothing and costs nothing. */
const INITIALISM_WEIGHT = 0.8;
const INITIALISM_WORDS = { from: 3, to: 5 } as const;

/** What the lexical side scores a query by: every term once, with the best weight it earned. Routing asks once per graph. */
export const toQueryTerms = memoizeByObject((words: readonly Word[]): readonly QueryTerm[] => {
	const weights = new Map<string, number>();
	const add = (term: string, weight: number) =>
		weights.set(term, Math.max(weight, weights.get(term) ?? 0));
	for (const term of initialismsOf(words)) add(term, INITIALISM_WEIGHT);
	for (const word of words) {
		for (const term of termsOf(word)) add(term, weightOf(term, word));
		for (const { term, weight } of word.alternatives) add(term, weight);
	}
	return [...weights].map(([term, weight]) => ({ term, weight }));
});

function weightOf(term: string, word: Word): number {
	if (word.parts.includes(term)) return PART_WEIGHT;
	return word.isStopWord ? STOP_WORD_WEIGHT : 1;
}

/** The words of a query, each once, in order; only the first of a long text's subject words, as every one is looked up. */
export function readQuery(query: string): readonly Word[] {
	const words = new Map<string, Word>();
	let subjectWords = 0;
	let parts = 0;
	for (const word of tokenize(query, LIMITS.queryChars)) {
		const key = [word.whole, ...word.joined].join(" ");
		if (words.has(key) || (!word.isStopWord && subjectWords === LIMITS.queryWords)) continue;
		words.set(key, withFewParts(word, LIMITS.queryParts - parts));
		subjectWords += word.isStopWord ? 0 : 1;
		parts = Math.min(LIMITS.queryParts, parts + word.parts.length);
	}
	return [...words.values()];
}

function withFewParts(word: Word, most: number): Word {
	return word.parts.length <= most ? word : { ...word, parts: word.parts.slice(0, most) };
}

function initialismsOf(words: readonly Word[]): string[] {
	const initials = words.map((word) => (word.isStopWord ? " " : word.surface.charAt(0))).join("");
	const found: string[] = [];
	for (let length = INITIALISM_WORDS.from; length <= INITIALISM_WORDS.to; length++) {
		for (let start = 0; start + length <= initials.length; start++) {
			const term = initials.slice(start, start + length);
			if (/^[a-z]+$/.test(term)) found.push(term);
		}
	}
	return found;
}

/** Share of identifiers (`EIP-3009`, `RFC 9110`, `HTTP/2`) among the subject words, 0..1. */
export function identifierShareOf(words: readonly Word[]): number {
	const subject = words.filter((word) => !word.isStopWord);
	const identifiers = subject.filter(isWrittenIdentifier);
	return subject.length === 0 ? 0 : identifiers.length / subject.length;
}

const MAX_ALTERNATIVES = 8;
const MIN_WORD_CHARS = 4;
/** From here on a word may be two edits away from what was meant. */
const LONG_WORD_CHARS = 8;
/** Alternatives that are this much less likely than the best one are left out. */
const LIKELIHOOD_FLOOR = 0.75;

/** Where unknown words are looked up. */
export interface Reader {
	readonly scopes: readonly LexicalScope[];
	/** Words of the language, lower case: who writes "production" did not mean "protection". Empty when none are at hand. */
	readonly commonWords: ReadonlySet<string>;
}

/** A reader for one query, which may look through the vocabularies so many more times. */
interface BudgetedReader extends Reader {
	lookUps: number;
}

/**
 * Reads every word that none of the scopes knows as the known words it may have been meant for: what it is short for, nearly written
 * alike, or beginning with it. Identifiers are never read as others: EIP-3008 is not EIP-3009.
 */
export function expandWords(words: readonly Word[], reader: Reader): readonly Word[] {
	const budgeted = { ...reader, lookUps: LIMITS.queryLookUps };
	return words.map((word) => {
		if (word.isStopWord) return word;
		if (isKnownIn(reader.scopes, word)) return withDefinition(word, reader);
		const alternatives = abbreviationsOf(word.whole).filter(({ term }) =>
			isHeld(term, reader.scopes),
		);
		if (alternatives.length > 0) return { ...word, alternatives };
		if (!isExpandable(word) || budgeted.lookUps <= 0) return word;
		return { ...word, alternatives: alternativesFor(word, budgeted) };
	});
}

/** A known word stays what it is; where a graph says what it is short for, that is looked for besides. */
function withDefinition(word: Word, { scopes, commonWords }: Reader): Word {
	if (commonWords.has(word.surface)) return word;
	const alternatives = definedWords(word, scopes, (prefix, count) => [
		...new Set(scopes.flatMap(({ index }) => vocabularyOf(index).allStartingWith(prefix, count))),
	]);
	return alternatives.length > 0 ? { ...word, alternatives } : word;
}

/**
 * How sure a reading is that is one edit away (near) or two (far), for stems of so many letters. With words of the language at
 * hand, unknown ones are rarely right; without, only long ones are taken for misspelt.
 */
const TRUST = {
	informed: { near: 0.9, far: 0.6, chars: 5 },
	uninformed: { near: 0.9, far: 0, chars: 7 },
} as const;
/** The first letter is seldom wrong. */
const OTHER_START = 0.6;
/** A word that was cut short is sure only when most of it is there. */
const PREFIX = { share: 0.6, trust: 0.8 } as const;

const HAS_NUMBER = /\p{N}/u;
const LETTERS = /^\p{L}+$/u;

function isExpandable({ surface }: Word): boolean {
	return surface.length >= MIN_WORD_CHARS && !HAS_NUMBER.test(surface);
}

function isKnownIn(scopes: readonly LexicalScope[], word: Word): boolean {
	const has = (term: string) => isHeld(term, scopes);
	return namesOf(word).some(has) || (word.parts.length > 0 && word.parts.every(has));
}

function alternativesFor(word: Word, reader: BudgetedReader): readonly Alternative[] {
	const { scopes } = reader;
	if (word.parts.length === 0) {
		const typos = readTypos(word.whole, word.surface, reader);
		return blend([...typos, ...readPrefix(word.surface, reader)], scopes);
	}
	const asWhole = readTypos(word.whole, word.whole, reader);
	if (asWhole.length > 0) return blend(asWhole, scopes);
	const unknown = word.parts.filter((part) => !isHeld(part, scopes));
	const readings = unknown.map((part) => blend(readTypos(part, part, reader), scopes));
	// One piece that no one can read leaves the whole unread; the others still help to find what is there.
	const isWhole = readings.every((alternatives) => alternatives.length > 0);
	return readings
		.flat()
		.map((one) => ({ ...one, weight: one.weight / 2, trust: isWhole ? one.trust : 0 }));
}

/** A term that may have been meant, and how likely that is against other such terms. */
interface Guess {
	readonly term: string;
	readonly documents: number;
	readonly weight: number;
	readonly trust: number;
}

function readTypos(stem: string, surface: string, reader: BudgetedReader): readonly Guess[] {
	const { commonWords } = reader;
	const chars = stem.length;
	if (!LETTERS.test(stem) || chars < MIN_WORD_CHARS || commonWords.has(surface)) return [];
	const most = chars >= LONG_WORD_CHARS ? 2 : 1;
	const matches = lookUp(reader, (vocabulary) => vocabulary.near(stem, most));
	const trusts = commonWords.size > 0 ? TRUST.informed : TRUST.uninformed;
	return matches.map(({ term, documents, distance }) => {
		const [weight, trust] = distance === 1 ? [0.8, trusts.near] : [0.5, trusts.far];
		const isSameStart = term.charCodeAt(0) === stem.charCodeAt(0);
		const factor = isSameStart ? 1 : OTHER_START;
		return {
			term,
			documents,
			weight: weight * factor,
			trust: chars >= trusts.chars ? trust * factor : 0,
		};
	});
}

function readPrefix(surface: string, reader: BudgetedReader): readonly Guess[] {
	if (!LETTERS.test(surface)) return [];
	const isWord = reader.commonWords.has(surface);
	const matches = lookUp(reader, (vocabulary) =>
		vocabulary.startingWith(surface, MAX_ALTERNATIVES),
	);
	return matches.map(({ term, documents }) => {
		const share = surface.length / term.length;
		const trust = isWord || share < PREFIX.share ? 0 : PREFIX.trust;
		return { term, documents, weight: 0.4 + 0.4 * share, trust };
	});
}

/** One match per term, its documents counted over all scopes; none once the query has looked often enough. */
function lookUp(
	reader: BudgetedReader,
	look: (vocabulary: Vocabulary) => readonly Match[],
): readonly Match[] {
	if (reader.lookUps <= 0) return [];
	reader.lookUps--;
	const merged = new Map<string, Match>();
	for (const { index } of reader.scopes) {
		for (const match of look(vocabularyOf(index))) {
			const documents = match.documents + (merged.get(match.term)?.documents ?? 0);
			merged.set(match.term, { ...match, documents });
		}
	}
	return [...merged.values()];
}

/** The likeliest guesses. All weigh as if they were as common as the commonest: a rare word is no better a guess for being rare. */
function blend(guesses: readonly Guess[], scopes: readonly LexicalScope[]): readonly Alternative[] {
	const likely: Guess[] = [];
	for (const guess of [...guesses].sort(byLikelihood)) {
		const floor = LIKELIHOOD_FLOOR * (likely[0]?.weight ?? 0);
		if (guess.weight < floor || likely.length === MAX_ALTERNATIVES) break;
		if (isHeld(guess.term, scopes)) likely.push(guess);
	}
	const documents = scopes.reduce((sum, { index }) => sum + index.documents, 0);
	const idfOf = (term: string) =>
		inverseDocumentFrequency(documentFrequency(term, scopes), documents);
	const least = Math.min(...likely.map(({ term }) => idfOf(term)));
	return likely.map(({ term, weight, trust }) => ({
		term,
		weight: (weight * least) / idfOf(term),
		trust,
	}));
}

function byLikelihood(one: Guess, other: Guess): number {
	return (
		other.weight - one.weight || other.documents - one.documents || (one.term < other.term ? -1 : 1)
	);
}

/**
 * Short forms and what they stand for: general ones of computing only, as a subject's own belong into its aliases. None whose stem
 * other words share: "stats" would be every "state", and "secs" are seconds.
 */
const ABBREVIATIONS: readonly (readonly [string, ...string[]])[] = [
	["cert", "certificate"],
	["auth", "authentication", "authorization"],
	["authn", "authentication"],
	["authz", "authorization"],
	["config", "configuration"],
	["repo", "repository"],
	["k8s", "kubernetes"],
	["js", "javascript"],
	["ts", "typescript"],
	["py", "python"],
	["db", "database"],
	["app", "application"],
	["param", "parameter"],
	["arg", "argument"],
	["env", "environment"],
	["dev", "development"],
	["prod", "production"],
	["spec", "specification"],
	["impl", "implementation"],
	["perf", "performance"],
	["docs", "documentation"],
	["info", "information"],
	["admin", "administrator"],
	["async", "asynchronous"],
	["sync", "synchronous"],
	["crypto", "cryptography"],
	["sig", "signature"],
	["tx", "transaction"],
	["vuln", "vulnerability"],
	["msg", "message"],
	["id", "identifier"],
	["memo", "memorandum"],
	["creds", "credentials"],
	["lib", "library"],
	["i18n", "internationalization"],
	["l10n", "localization"],
	["a11y", "accessibility"],
];

/** Where no one writes "cert", it is the certificate. Where no one writes "signature", "sig" may be one, or not. */
const READ_IN_FULL = { weight: 0.8, trust: 0.9 } as const;
const READ_AS_SHORT = { weight: 0.8, trust: 0.45 } as const;

const readings = new Map<string, readonly Alternative[]>();
const add = (term: string, reading: Alternative) =>
	readings.set(term, [...(readings.get(term) ?? []), reading]);
for (const [short, ...long] of ABBREVIATIONS) {
	for (const meaning of long.map(stemWord)) {
		add(stemWord(short), { term: meaning, ...READ_IN_FULL });
		add(meaning, { term: stemWord(short), ...READ_AS_SHORT });
	}
}

/** What a term of the index is a short form of or is shortened to; none for most. */
export function abbreviationsOf(term: string): readonly Alternative[] {
	return readings.get(term) ?? [];
}
