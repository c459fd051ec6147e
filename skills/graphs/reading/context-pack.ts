import { LRUCache } from "lru-cache";
import { READING_LIMITS } from "../../../src/contract/contract.js";
import { readsLikeInjection } from "../../../src/evidence/evidence.js";
import {
	type Concept,
	type Evidence,
	FOOTNOTE,
	fnv1a,
	type Steps,
	toParagraphs,
	toPlainText,
	toSections,
} from "../../../src/knowledge/knowledge.js";
import { termsOf, tokenize } from "../../../src/search/search.js";

export interface PackCandidate extends CitedPassage {
	readonly concept: Concept;
}

interface NumberedSource extends Evidence {
	/** From 1 on, in the order of first use. */
	readonly number: number;
}

/** Sources of one passage that are named; a concept may cite hundreds. */
const SOURCES_PER_PASSAGE = 4;

/** Less than any passage takes with its mark. */
const TOKENS_LEFT_MIN = 4;
/** More characters of running text than one token stands for. */
const CHARS_PER_TOKEN = 8;

/**
 * Packs passages, best first, within the budget; one that does not fit is passed over. Their text
 * forms no heading.
 */
export function* packContext(
	candidates: Iterable<PackCandidate | undefined>,
	tokensMax: number,
): Steps<ReturnType<typeof render>> {
	const chosen: PackCandidate[] = [];
	let tokens = 0;
	const seen = { concepts: new Set<Concept>(), addresses: new Set<string>() };
	for (const candidate of candidates) {
		const left = tokensMax - tokens;
		if (left < TOKENS_LEFT_MIN) break;
		yield;
		if (!candidate || candidate.text.length > left * CHARS_PER_TOKEN) continue;
		const more = tokensOf(candidate, seen);
		if (more > left) continue;
		tokens += more;
		chosen.push(candidate);
		seen.concepts.add(candidate.concept);
		for (const { sourceUrl } of citedBy(candidate)) seen.addresses.add(sourceUrl);
	}
	return render(chosen);
}

/** What a passage adds: never less than what rendering makes of it. */
function tokensOf(
	candidate: PackCandidate,
	{ concepts, addresses }: { concepts: ReadonlySet<Concept>; addresses: ReadonlySet<string> },
): number {
	const heading = concepts.has(candidate.concept) ? "" : toHeading(candidate.concept);
	const sources = citedBy(candidate);
	const lines = sources
		.filter(({ sourceUrl }) => !addresses.has(sourceUrl))
		.map((source) => toSourceLine({ ...source, number: NUMBER_MAX }));
	const lead = addresses.size === 0 && lines.length > 0 ? SOURCES_HEADING : "";
	const marks = sources.map(() => toMark(NUMBER_MAX)).join("");
	const parts = [heading, `${plainOf(candidate)} ${marks}`, lead, ...lines];
	return parts.reduce((sum, part) => sum + estimateTokens(`${part}\n\n`), 0);
}

const NUMBER_MAX = 999;
const SOURCES_HEADING = "## Sources";

function render(chosen: readonly PackCandidate[]) {
	const sources = new Map<string, NumberedSource>();
	const passages = new Map<Concept, string[]>();
	for (const candidate of chosen) {
		const marks = citedBy(candidate).map((source) => {
			const known = sources.get(source.sourceUrl) ?? { ...source, number: sources.size + 1 };
			sources.set(source.sourceUrl, known);
			return toMark(known.number);
		});
		const texts = passages.get(candidate.concept) ?? [];
		passages.set(candidate.concept, texts);
		texts.push([plainOf(candidate), marks.join("")].filter((part) => part !== "").join(" "));
	}
	const sections = [...passages].map(([concept, texts]) =>
		[toHeading(concept), ...texts].join("\n\n"),
	);
	const lines = [...sources.values()].map(toSourceLine);
	if (lines.length > 0) sections.push([SOURCES_HEADING, lines.join("\n")].join("\n\n"));
	const text = sections.join("\n\n");
	return {
		/** Markdown: a heading per concept, its passages with `[1]` behind them, then the list of sources. */
		text,
		tokens: estimateTokens(text),
		/** Concepts in the order in which they appear, and how many passages each gave. */
		concepts: new Map([...passages].map(([concept, texts]) => [concept, texts.length])),
		sources: [...sources.values()],
	};
}

function citedBy({ evidence }: PackCandidate): readonly Evidence[] {
	return evidence.slice(0, SOURCES_PER_PASSAGE);
}

function toHeading({ title }: Concept): string {
	return `## ${title.replace(/\s+/g, " ")}`;
}

function toMark(number: number): string {
	return `[${number}]`;
}

function toSourceLine({ number, title, publishedAt, sourceUrl }: NumberedSource): string {
	const day = publishedAt === undefined ? "" : `, ${publishedAt}`;
	return `[${number}] ${title.replace(/\s+/g, " ")}${day}. ${sourceUrl}`;
}

/** One line that begins no heading, list or quote. */
function plainOf({ text }: PackCandidate): string {
	return text.replace(/\s+/g, " ").replace(/^[#>*+|-]+\s*/, "");
}

/** A piece of a concept's text and the sources it is cited for. */
export interface CitedPassage {
	readonly text: string;
	readonly evidence: readonly Evidence[];
}

/**
 * Summary and paragraphs with the sources their footnotes name; with all sources where no footnotes are. Paragraphs that order a model
 * about are left out.
 */
export function* readCitedPassages(concept: Concept): Steps<readonly CitedPassage[]> {
	const { summary, body, evidence } = concept;
	const byId = new Map(evidence.map((source) => [source.articleId, source]));
	const hasFootnotes = namesIn(body).some((name) => byId.has(name));
	const passages: CitedPassage[] = [];
	let hasSummary = summary === "" || readsLikeInjection(summary);
	for (const { lines } of toSections(body)) {
		for (const markdown of toParagraphs(lines)) {
			const text = toPlainText(markdown);
			yield;
			if (!/\p{L}/u.test(text) || readsLikeInjection(text)) continue;
			const named = () => [...new Set(namesIn(markdown))].flatMap((name) => byId.get(name) ?? []);
			passages.push({ text, evidence: hasFootnotes ? named() : evidence });
			hasSummary ||= text === summary;
		}
	}
	return hasSummary ? passages : [{ text: summary, evidence }, ...passages];
}

function namesIn(markdown: string): readonly string[] {
	return [...markdown.matchAll(FOOTNOTE)].map(([, name = ""]) => name);
}

/** A run of letters of a script with spaces, a run of digits, one mark, or one character of any other script. */
const PIECE = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+|\p{N}+|\n+|[^\s]/gu;
const LETTERS_PER_TOKEN = 4;
const DIGITS_PER_TOKEN = 3;
/** Letters outside ASCII cut words into shorter tokens in most vocabularies. */
const OTHER_LETTERS_PER_TOKEN = 2;

/**
 * How many tokens a text is for a language model, the same on every machine: a word counts one per 4 letters begun (2 for
 * words beyond ASCII), a number one per 3 digits, every mark and every character of other scripts one. Vocabularies differ;
 * for English prose this lies above most of them, so that a pack made to fit does fit.
 */
export function estimateTokens(text: string): number {
	let tokens = 0;
	for (const [piece] of text.matchAll(PIECE)) {
		if (/^[a-z]/i.test(piece) || /^\p{L}{2}/u.test(piece)) tokens += tokensOfWord(piece);
		else if (/^\p{N}/u.test(piece)) tokens += Math.ceil(piece.length / DIGITS_PER_TOKEN);
		else tokens += 1;
	}
	return tokens;
}

function tokensOfWord(word: string): number {
	const isPlain = /^[a-z]+$/i.test(word);
	return Math.ceil(word.length / (isPlain ? LETTERS_PER_TOKEN : OTHER_LETTERS_PER_TOKEN));
}

/** A passage and hashes of its distinct terms: they take less room than the text. */
interface ReadPassage {
	readonly passage: CitedPassage;
	readonly terms: Uint32Array;
}

interface ReadConcept {
	readonly passages: readonly ReadPassage[];
	readonly chars: number;
}

/** What a pack is made of, read as far as it is taken; undefined where others may be served meanwhile. */
export type Ranked = Generator<PackCandidate | undefined, void>;

/** Ranks passages of concepts for a query. What was read of the concepts asked for last is remembered. */
export function createPassageRanking() {
	const kept = new LRUCache<Concept, ReadConcept>({
		maxSize: READING_LIMITS.passagesKeptChars,
		// Text that cites nothing has no characters, and the cache takes no size of zero.
		sizeCalculation: ({ chars }) => Math.max(1, chars),
	});

	/**
	 * Of each concept the passage with most of the query's words, concept by concept; then what else has any of them, the same
	 * way. Concepts after the first so many characters are not looked at.
	 */
	return function* rank(query: string, concepts: readonly Concept[]): Ranked {
		const wanted = new Set(hashesIn(query));
		const others: PackCandidate[][] = [];
		let chars = 0;
		for (const concept of concepts) {
			const read = kept.get(concept) ?? (yield* readConcept(concept));
			kept.set(concept, read);
			const [best, ...rest] = byOverlap(read, wanted, concept);
			if (best) yield best.candidate;
			others.push(rest.filter(({ overlap }) => overlap > 0).map(({ candidate }) => candidate));
			chars += read.chars;
			if (chars >= READING_LIMITS.contextChars) break;
		}
		for (const candidates of others) yield* candidates;
	};
}

function* readConcept(concept: Concept): Steps<ReadConcept> {
	const passages: ReadPassage[] = [];
	let chars = 0;
	for (const passage of yield* readCitedPassages(concept)) {
		passages.push({ passage, terms: Uint32Array.from(hashesIn(passage.text)) });
		chars += passage.text.length;
		yield;
	}
	return { passages, chars };
}

function byOverlap({ passages }: ReadConcept, wanted: ReadonlySet<number>, concept: Concept) {
	return passages
		.map(({ passage, terms }) => ({
			candidate: { ...passage, concept },
			overlap: terms.reduce((count, term) => (wanted.has(term) ? count + 1 : count), 0),
		}))
		.sort((a, b) => b.overlap - a.overlap);
}

function hashesIn(text: string): ReadonlySet<number> {
	return new Set(
		tokenize(text)
			.filter(({ isStopWord }) => !isStopWord)
			.flatMap(termsOf)
			.map(fnv1a),
	);
}
