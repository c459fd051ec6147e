import { stemWord } from "./stem.js";
import { isStopWord } from "./stop-words.js";

/** One word as written, and the index terms it stands for. */
export interface Word {
	/** Lower case, as in the text: what a reader is told. */
	readonly surface: string;
	/** The word as one term: stemmed, or for an identifier its letters and digits joined (`eip3009`). */
	readonly whole: string;
	/** Terms of its pieces (`eip`, `3009`); empty for a plain word. */
	readonly parts: readonly string[];
	/** `rfc9110` for the 9110 of "RFC 9110": the identifier this word completes with the words before it. */
	readonly joined: readonly string[];
	readonly isStopWord: boolean;
	/** Letters and digits in one word: only the whole names the thing. */
	readonly isIdentifier: boolean;
	/** Terms of other words that may have been meant; none until a query is held against an index. */
	readonly alternatives: readonly Alternative[];
}

export interface Alternative {
	readonly term: string;
	/** What it counts against the word itself, at most 1. */
	readonly weight: number;
	/** How far a text with this term covers the word, 0..1. */
	readonly trust: number;
}

type Chunk = Omit<Word, "joined" | "alternatives">;

const CHUNK = /[\p{L}\p{N}]+(?:[-._/'&][\p{L}\p{N}]+)*(?:\+\+|#)?/gu;
const RUN = /\p{L}+|\p{N}+/gu;
const HUMP = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu;
const MAX_JOINED_PARTS = 5;
const MAX_TERM_CHARS = 40;
const MAX_PREFIX_CHARS = 6;
const MAX_JOINED_NUMBERS = 2;
const CACHE_ENTRIES = 50_000;

const cache = new Map<string, Chunk>();

/**
 * Splits text into words, in order. "EIP-3009", "eip 3009" and "EIP3009" share the term `eip3009` and their parts;
 * numbers (`802.11`, `24000` for "24,000") and names such as `c++` stay whole as well as split. No word holds on to the text.
 * With `maxChars` the text is cut once its ligatures are taken apart: one character may become eighteen.
 */
export function tokenize(text: string, maxChars = Number.POSITIVE_INFINITY): Word[] {
	const plain = normalise(text).slice(0, maxChars);
	const words: Word[] = [];
	let prefix: { text: string; numbers: number; end: number } | undefined;
	for (const match of plain.matchAll(CHUNK)) {
		const raw = match[0];
		const chunk = readChunk(raw);
		const isNumber = /^\p{N}+(?:[.]\p{N}+)*$/u.test(raw);
		const follows = prefix !== undefined && plain.slice(prefix.end, match.index).trim() === "";
		const end = match.index + raw.length;
		if (isNumber && prefix && follows && prefix.numbers < MAX_JOINED_NUMBERS) {
			const joined = copyOf(clip(prefix.text + raw.replaceAll(".", "")));
			prefix = { text: joined, numbers: prefix.numbers + 1, end };
			words.push({ ...chunk, joined: [prefix.text], alternatives: NO_ALTERNATIVES });
			continue;
		}
		prefix = isPrefix(raw, chunk) ? { text: chunk.surface, numbers: 0, end } : undefined;
		words.push({ ...chunk, joined: NONE, alternatives: NO_ALTERNATIVES });
	}
	return words;
}

const NONE: readonly string[] = [];
const NO_ALTERNATIVES: readonly Alternative[] = [];

/** Terms each of which stands for the word on its own. */
export function namesOf(word: Word): readonly string[] {
	return word.joined.length === 0 ? [word.whole] : [word.whole, ...word.joined];
}

/** Every term of a word, without repeats. */
export function termsOf(word: Word): readonly string[] {
	if (word.parts.length === 0 && word.joined.length === 0) return [word.whole];
	return [...new Set([word.whole, ...word.parts, ...word.joined])];
}

function normalise(text: string): string {
	return text
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.replaceAll("’", "'")
		.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "");
}

/** A short plain word may be the name of a series: RFC, EIP, TLS, "section". */
function isPrefix(raw: string, chunk: Chunk): boolean {
	return raw.length <= MAX_PREFIX_CHARS && /^\p{L}+$/u.test(raw) && !chunk.isStopWord;
}

/** Only what is as short as a term is remembered, so that the number of entries bounds the memory. */
function readChunk(raw: string): Chunk {
	if (raw.length > MAX_TERM_CHARS) return withOwnTerms(parseChunk(raw));
	const known = cache.get(raw);
	if (known) return known;
	if (cache.size >= CACHE_ENTRIES) cache.clear();
	const key = copyOf(raw);
	const chunk = parseChunk(key);
	cache.set(key, chunk);
	return chunk;
}

/** An index keeps its terms for as long as it lives: they must not be windows onto a whole document. */
function withOwnTerms(chunk: Chunk): Chunk {
	return { ...chunk, whole: copyOf(chunk.whole), parts: chunk.parts.map(copyOf) };
}

/** The same characters in memory of their own: a piece cut from a text is a view that keeps the whole text alive. */
function copyOf(text: string): string {
	return Buffer.from(text, "utf16le").toString("utf16le");
}

function parseChunk(raw: string): Chunk {
	const surface = raw.toLowerCase();
	const bare = surface.replace(/'s$/, "").replaceAll("'", "");
	const runs = bare.match(RUN) ?? [];
	const hasLetters = /\p{L}/u.test(bare);
	const word = {
		surface,
		isStopWord: isStopWord(surface),
		isIdentifier: hasLetters && /\p{N}/u.test(bare),
	};
	const pieces = new Set([...runs, ...humpsOf(raw)].filter(isTerm).map(stemWord));
	if (runs.length <= 1) {
		const whole = clip(stemWord(bare));
		pieces.delete(whole);
		// "C++" is a name of its own, yet somebody who asks for "C" may mean it too.
		if (/[+#]$/.test(bare) && runs[0]) pieces.add(runs[0]);
		return { ...word, whole, parts: [...pieces] };
	}
	const isJoinable = runs.length <= MAX_JOINED_PARTS;
	const whole = isJoinable ? joinRuns(bare, runs, hasLetters) : stemWord(runs[0] ?? bare);
	pieces.delete(whole);
	return { ...word, whole: clip(whole), parts: [...pieces] };
}

function joinRuns(bare: string, runs: readonly string[], hasLetters: boolean): string {
	if (!hasLetters) return bare;
	const tail = /[+#]+$/.exec(bare)?.[0] ?? "";
	return stemWord(runs.join("")) + tail;
}

/** `maxFeePerGas` also speaks of max, fee, per and gas; `GitHub` and `JavaScript` are one word each. */
function humpsOf(raw: string): string[] {
	const humps = raw.match(HUMP) ?? [];
	const isCamel = /^\p{Ll}+\p{Lu}/u.test(raw) || humps.length > 2;
	return isCamel && /\p{Ll}\p{Lu}/u.test(raw) ? humps.map((hump) => hump.toLowerCase()) : [];
}

function isTerm(piece: string): boolean {
	return piece.length > 1 ? piece.length <= MAX_TERM_CHARS : /\p{N}/u.test(piece);
}

function clip(term: string): string {
	return term.length > MAX_TERM_CHARS ? term.slice(0, MAX_TERM_CHARS) : term;
}
