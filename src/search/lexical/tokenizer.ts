/** One word as written, and the index terms it stands for. */
export interface Word {
	/** Lower case, as in the text: what a reader is shown. */
	readonly surface: string;
	/** As in the text: its capitals may mark a name. */
	readonly written: string;
	/** The word as one term: stemmed, or for an identifier its letters and digits joined (`eip3009`). */
	readonly whole: string;
	/** Terms of its pieces (`eip`, `3009`); empty for a plain word. */
	readonly parts: readonly string[];
	/** `rfc9110` for the 9110 of "RFC 9110": the identifier this word completes with the words before it. */
	readonly joined: readonly string[];
	/** Terms a text must have besides the bare number for it to be this one: `rfc` for the 9110 of "RFC 9110". */
	readonly series: readonly string[];
	readonly isStopWord: boolean;
	/** Letters and digits in one word, or a name from code (`maxFeePerGas`, `snake_case`): only the whole names the thing. */
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

const CHUNK =
	/(?:(?<![\p{L}\p{N}.])\.(?=\p{L}))?[\p{L}\p{N}]+(?:[-._/'&][\p{L}\p{N}]+)*(?:\+\+|#)?/gu;
const RUN = /\p{L}+|\p{N}+/gu;
const NUMBER = /^\p{N}+(?:[.]\p{N}+)*$/u;
const VERSION = /^v\p{N}+(?:[.]\p{N}+)*$/iu;
/** `UUIDv7`, `TLSv1.3`: a name and its version. */
const VERSIONED = /^(\p{L}{2,})v(\p{N}+(?:[.]\p{N}+)*)$/u;
const HUMP = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu;
const MAX_JOINED_PARTS = 5;
const MAX_TERM_CHARS = 40;
const MAX_PREFIX_CHARS = 6;
const MAX_JOINED_NUMBERS = 2;
const MIN_SERIES_CHARS = 3;
const PLAIN = /^\p{L}+$/u;
/** Months too long for the name of a series: "October 2025" is one thing nevertheless. */
const MONTH = /^(?:january|february|september|october|november|december)$/;
const ACRONYM = /^\p{Lu}{2,}$/u;
const CACHE_ENTRIES = 50_000;

const NONE: readonly string[] = [];

/** Words as they are on their own, shared by all texts that have them. */
const cache = new Map<string, Word>();

/**
 * Splits text into words, in order. "EIP-3009", "eip 3009" and "EIP3009" share the term `eip3009` and their parts;
 * numbers (`802.11`, `24000` for "24,000") and names such as `c++` stay whole as well as split. No word holds on to the text.
 * With `maxChars` the text is cut once its ligatures are taken apart: one character may become eighteen.
 */
export function tokenize(text: string, maxChars = Number.POSITIVE_INFINITY): Word[] {
	const plain = normalize(text).slice(0, maxChars);
	const words: Word[] = [];
	let prefix: Prefix | undefined;
	for (const match of plain.matchAll(CHUNK)) {
		const raw = match[0];
		const alone = readWord(raw);
		const end = match.index + raw.length;
		const follows = prefix !== undefined && plain.slice(prefix.end, match.index).trim() === "";
		const word = prefix && follows ? joinTo(prefix, raw, alone) : undefined;
		words.push(word ?? alone);
		prefix = word && prefix ? extend(prefix, word, end) : prefixOf(raw, alone, end);
	}
	return words;
}

/** What a number that comes next belongs to. */
interface Prefix {
	readonly text: string;
	readonly terms: readonly string[];
	/** True for what can only be the name of a series: RFC, FIPS. */
	readonly isAcronym: boolean;
	readonly numbers: number;
	readonly end: number;
}

/** The word as a part of what stands before it; undefined when it is none. */
function joinTo(prefix: Prefix, raw: string, alone: Word): Word | undefined {
	if (prefix.numbers >= MAX_JOINED_NUMBERS) return undefined;
	const digits = raw.replaceAll(".", "");
	if (NUMBER.test(raw)) {
		const joined = [copyOf(clip(prefix.text + digits))];
		// "Top 5" is no name: small numbers belong to a series only where it is written like one.
		const isOfSeries = prefix.isAcronym || raw.length >= MIN_SERIES_CHARS;
		return { ...alone, joined, series: isOfSeries ? prefix.terms : NONE };
	}
	if (!VERSION.test(raw)) return undefined;
	const version = digits.toLowerCase();
	const joined = [version, version.slice(1)].map((tail) => copyOf(clip(prefix.text + tail)));
	return { ...alone, joined };
}

function extend(prefix: Prefix, word: Word, end: number): Prefix {
	const text = word.joined[0] ?? prefix.text;
	return {
		...prefix,
		text,
		terms: [...prefix.terms, word.whole],
		numbers: prefix.numbers + 1,
		end,
	};
}

/** A short plain word may be the name of a series: RFC, EIP, TLS, "section". "Version 7" is v7. */
function prefixOf(raw: string, alone: Word, end: number): Prefix | undefined {
	if (alone.surface === "version")
		return { text: "v", terms: NONE, isAcronym: false, numbers: 0, end };
	const isShort = raw.length <= MAX_PREFIX_CHARS || MONTH.test(alone.surface);
	if (!isShort || !PLAIN.test(raw) || alone.isStopWord) return undefined;
	const isAcronym = ACRONYM.test(raw);
	return { text: alone.surface, terms: [alone.whole], isAcronym, numbers: 0, end };
}

const ALONE = { joined: NONE, series: NONE, alternatives: [] as readonly Alternative[] } as const;

/** True for `EIP-3009`, `maxFeePerGas` and the 9110 of "RFC 9110". */
export function isWrittenIdentifier({ isIdentifier, joined }: Word): boolean {
	return isIdentifier || joined.length > 0;
}

/** Terms each of which stands for the word on its own. */
export function namesOf(word: Word): readonly string[] {
	return word.joined.length === 0 ? [word.whole] : [word.whole, ...word.joined];
}

/** Every term of a word, without repeats. */
export function termsOf(word: Word): readonly string[] {
	if (word.parts.length === 0 && word.joined.length === 0) return [word.whole];
	return [...new Set([word.whole, ...word.parts, ...word.joined])];
}

/** In plain text there is nothing to take apart. */
const BEYOND_ASCII = /\P{ASCII}/u;

function normalize(text: string): string {
	return joinThousands(BEYOND_ASCII.test(text) ? toPlain(text) : text);
}

function toPlain(text: string): string {
	return text
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.replaceAll("’", "'");
}

function joinThousands(text: string): string {
	return text.includes(",") ? text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "") : text;
}

/** Only what is as short as a term is remembered, so that the number of entries bounds the memory. */
function readWord(raw: string): Word {
	if (raw.length > MAX_TERM_CHARS) return withOwnTerms(parseWord(raw));
	const known = cache.get(raw);
	if (known) return known;
	if (cache.size >= CACHE_ENTRIES) cache.clear();
	const key = copyOf(raw);
	const word = parseWord(key);
	cache.set(key, word);
	return word;
}

/** An index keeps its terms for as long as it lives: they must not be windows onto a whole document. */
function withOwnTerms(word: Word): Word {
	return { ...word, whole: copyOf(word.whole), parts: word.parts.map(copyOf) };
}

/** The same characters in memory of their own: a piece cut from a text is a view that keeps the whole text alive. */
function copyOf(text: string): string {
	return Buffer.from(text, "utf16le").toString("utf16le");
}

/** Most words: nothing in them to take apart. */
const LETTERS_ONLY = /^(?:[A-Z]?[a-z]+|[A-Z]+)$/;

function parseWord(raw: string): Word {
	if (!LETTERS_ONLY.test(raw)) return parseCompound(raw);
	const surface = raw.toLowerCase();
	return {
		surface,
		written: raw,
		isStopWord: isStopWord(surface),
		isIdentifier: false,
		whole: clip(stemWord(surface)),
		parts: NONE,
		...ALONE,
	};
}

function parseCompound(raw: string): Word {
	const surface = raw.toLowerCase();
	const bare = surface.replace(/'s$/, "").replaceAll("'", "");
	const runs = bare.match(RUN) ?? [];
	const hasLetters = /\p{L}/u.test(bare);
	const humps = humpsOf(raw);
	const word = {
		surface,
		written: raw,
		isStopWord: isStopWord(surface),
		isIdentifier: hasLetters && (/[\p{N}_]/u.test(bare) || humps.length > 0),
	};
	const pieces = new Set([...runs, ...humps].filter(isTerm).map(stemWord));
	for (const piece of versionPiecesOf(bare)) pieces.add(piece);
	if (runs.length <= 1) {
		const whole = clip(stemWord(bare));
		// "C++" is a name of its own, yet somebody who asks for "C" may mean it too.
		if (/[+#]$/.test(bare) && runs[0]) pieces.add(clip(runs[0]));
		pieces.delete(whole);
		return { ...word, whole, parts: [...pieces], ...ALONE };
	}
	const isJoinable = runs.length <= MAX_JOINED_PARTS;
	const whole = isJoinable ? joinRuns(bare, runs, hasLetters) : stemWord(runs[0] ?? bare);
	pieces.delete(whole);
	return { ...word, whole: clip(whole), parts: [...pieces], ...ALONE };
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

/** `UUIDv7` also speaks of uuid, of v7 and of "UUID 7". */
function versionPiecesOf(bare: string): readonly string[] {
	const [, name, version] = VERSIONED.exec(bare) ?? [];
	if (name === undefined || version === undefined) return NONE;
	const digits = version.replaceAll(".", "");
	return [stemWord(name), `v${digits}`, name + digits].map(clip);
}

function isTerm(piece: string): boolean {
	return piece.length > 1 ? piece.length <= MAX_TERM_CHARS : /\p{N}/u.test(piece);
}

function clip(term: string): string {
	return term.length > MAX_TERM_CHARS ? term.slice(0, MAX_TERM_CHARS) : term;
}

const VOWEL = /[aeiouy]/;
const LATIN_WORD = /^[a-z]+$/;
const MIN_STEM_CHARS = 3;

/**
 * A light English stem of a lower-case word: plural, -ed and -ing forms and a silent e meet in one term.
 * Words with digits, marks or other scripts, and words of up to three letters, come back as they are.
 */
export function stemWord(word: string): string {
	if (word.length <= MIN_STEM_CHARS || !LATIN_WORD.test(word)) return word;
	return dropSilentEnd(dropVerbEnding(dropPlural(word)));
}

function dropPlural(word: string): string {
	if (!word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
	if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
	if (/(?:sse|xe|che|she|zze)s$/.test(word)) return word.slice(0, -2);
	return word.slice(0, -1);
}

function dropVerbEnding(word: string): string {
	const ending = /(?:ing|ed)$/.exec(word)?.[0];
	if (ending === undefined) return word;
	if (word.endsWith("ied") && word.length > 4) return `${word.slice(0, -3)}y`;
	const root = word.slice(0, -ending.length);
	if (root.length < MIN_STEM_CHARS || !VOWEL.test(root) || root.endsWith("e")) return word;
	return undouble(root);
}

/** "planning" and "plan" meet; "calling" keeps its double l, as "call" does. */
function undouble(root: string): string {
	return /([bdfgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}

function dropSilentEnd(word: string): string {
	if (word.length <= MIN_STEM_CHARS) return word;
	if (word.endsWith("e")) return word.slice(0, -1);
	return word.endsWith("y") && !VOWEL.test(word.at(-2) ?? "") ? `${word.slice(0, -1)}i` : word;
}

/**
 * English words that carry grammar rather than subject. They stay in the index (their idf is near zero anyway);
 * only the judgment of an answer looks past them.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
	`a about above after again against all also am an and any are aren't as at be because been before being
	between both but by can can't cannot could couldn't did didn't do does doesn't doing don't during each either
	else ever every few find for from further get give given gives got had has have having he her here hers him his how
	however i if in into is isn't it its itself just know let like list lot made make makes many may me might more
	most much must my need needs no nor not now of off often on once one only onto or other our out over own per
	please rather really same say says shall she should show since so some such tell than that the their them then
	there these they thing things this those through to too under until up upon us use used uses using very via
	want was wasn't way we were what what's when where whether which while who whom whose why will with within
	without won't would yet you your best better describe difference different differ explain example examples happen happens
	mean meaning means stop tell today twice work works`.split(/\s+/),
);

/** True for a lower-case word that says nothing about a subject. */
export function isStopWord(word: string): boolean {
	return STOP_WORDS.has(word);
}
