import {
	type Compared,
	type Conflict,
	type Findings,
	type Item,
	isSaid,
	weightOf,
} from "./findings.js";
import type { Negation } from "./polarity.js";
import type { ReadWord, TextReading } from "./text-reading.js";
import type { AlignedWord } from "./word-alignment.js";

/** A comparison with all that was found of the claim in the sentence. */
export interface Alignment extends Compared, Findings {
	/** The surest conflict, the first of equals. */
	readonly worst: Conflict | undefined;
}

/** Words that mean the first, the only or the utmost: a sentence without one of them bears none out. */
const UTMOST: readonly RegExp[] = [
	/\b(?:only|solely|exclusively|sole|nothing but|no other)\b/i,
	/\b(?:first(?! (?:of all|option|quarter|half|\d|few))|earliest)\b/i,
	/\b(?:largest|biggest|highest|longest|greatest|maximum)\b/i,
	/\b(?:smallest|lowest|shortest|minimum|least)\b/i,
	/\b(?:unconditional(?:ly)?|without exception|in all cases|whatever|under any circumstances)\b/i,
];
const COMPARES = /\b(?:more|less|fewer|\p{L}{2,}er)\b[^.;]{0,200}\bthan\b/iu;
/** A sentence that holds one thing against another. */
const COMPARED =
	/\b(?:than|compared|against|relative to|versus|unlike|instead of|while|whereas|beats?|outperforms?|halves?|doubles?|times|exceeds?|from|gains?|(?:in|de)creas\w+|reduc\w+|rais\w+|lower\w*|cuts?)\b|%/i;
/** What denies by its meaning; a claim's own denial may stand in it under another word. */
const NEGATIVE =
	/\b(?:invalid\w*|void|aborts?|aborted|throws?|errors?|exceptions?|reverts?|illegal|read-only|lost|loses?|gone|stops?|stopped|fail\w*|refus\w+|reject\w*|exclud\w+|prevent\w*|forbid\w*|prohibit\w*|cannot|impossible|unable|without|outside|useless|lacks?|missing|instead|only|except|unless|abolish\w*|remov\w+|drop\w*|no|not|never|none|neither|nor|nothing|nobody|\p{L}+less|\p{L}+n't)\b/iu;
/** Of a claim's words, the share that a denial of it has to have itself. */
const DENIED_LEAST = 0.65;
const ALIKE_LEAST = 0.75;
/** Words of full weight that a claim may have beyond what bears it out, of all of them. */
const LACKING_MOST = 0.5;

/** Why a sentence that shares enough words with a claim does not bear it out all the same; undefined where it does. */
export function objectToSupport(matter: Alignment): string | undefined {
	return objectToForm(matter) ?? objectToWords(matter, contentOf(matter.aligned));
}

/**
 * Why the form of a claim keeps a sentence from bearing it out, however many of its words come back: what it says by
 * superlatives, comparison, digits and denial must be said too.
 */
function objectToForm(matter: Alignment): string | undefined {
	const { claim, sentence } = matter;
	const utmost = UTMOST.find((each) => each.test(claim.text) && !each.test(sentence.text));
	if (utmost) return `does not say "${utmost.exec(claim.text)?.[0]}"`;
	const isCounted = matter.items.some(({ isFigure, text }) => isFigure && / against /.test(text));
	if (COMPARES.test(claim.text) && !COMPARED.test(sentence.text) && !isCounted)
		return "compares nothing";
	if (lacksDigits(matter)) return "has other numbers";
	return deniesOtherwise(matter, contentOf(matter.aligned)) ? "denies otherwise" : undefined;
}

/** Whom a claim speaks of, and what it says of it, must be among what comes back. */
function objectToWords(matter: Alignment, words: readonly AlignedWord[]): string | undefined {
	const full = words.filter(({ word }) => word.weight >= 1);
	const lacking = full.filter((pair) => !isSaid(pair));
	if (lacking.length > 1 && !isOnSubject(matter)) return "is about something else";
	if (lacksHead(full)) return "lacks whom the claim speaks of";
	if (lacking.length > LACKING_MOST * full.length && !hasFigure(matter))
		return `lacks ${listed(lacking)}`;
	if (lacksTail(matter, words)) return "lacks what the claim ends on";
	if (!saysPredicate(matter, words)) return "does not say what the claim says of it";
	const isTurned = full.some(({ agrees }) => !agrees);
	return isTurned && lacking.length > 0 && !hasDenial(matter.claim)
		? "denies part of it"
		: undefined;
}

/** Why a sentence that differs from a claim does not deny it all the same; undefined where it does. */
export function objectToRefutation(matter: Alignment, worst: Conflict): string | undefined {
	const { claim, sentence, aligned } = matter;
	const words = contentOf(aligned);
	const isLacking = words.some((pair) => pair.word.weight >= 1 && !isSaid(pair));
	if (isLacking && !isOnSubject(matter)) return "is about something else";
	if (worst.of === "name" && lacksDirection(matter)) return "compares nothing";
	if (worst.of !== "denial" && worst.of !== "opposite") return undefined;
	if (shareSaid(words) < DENIED_LEAST) return "denies something else";
	if (worst.of !== "denial") return undefined;
	const turned = words.filter(({ agrees, by }) => !agrees && by !== "opposite");
	if (turned.every(({ by }) => by === "like")) return "denies something alike";
	const bothDeny = hasDenial(claim) && NEGATIVE.test(sentence.text);
	return bothDeny ? "denies as well" : undefined;
}

/** True where both texts deny, by grammar or by what they forbid, nearly all of the same: how far each denial reaches is then no difference. */
export function deniesAlike({ claim, sentence, aligned }: Alignment): boolean {
	return (
		claim.negations.some(({ isGrammatical }) => isGrammatical) &&
		sentence.negations.some(({ isGrammatical, cue }) => isGrammatical || ADVISES.test(cue)) &&
		hasDenial(claim) &&
		shareSaid(contentOf(aligned)) >= ALIKE_LEAST
	);
}

const ADVISES = /against|^discourag|^forbid|^prohibit|^disallow/;

/** Words of content, each once. */
function contentOf(aligned: readonly AlignedWord[]): readonly AlignedWord[] {
	const seen = new Map<string, AlignedWord>();
	for (const pair of aligned) {
		const known = seen.get(pair.word.stem);
		if (pair.word.weight > 0 && (!known || (isSaid(pair) && !isSaid(known))))
			seen.set(pair.word.stem, pair);
	}
	return [...seen.values()];
}

function lacksDirection({ items }: Alignment): boolean {
	return items.some((item) => item.isEssential && !item.isName && !item.isFigure && !isSaid(item));
}

function shareSaid(words: readonly AlignedWord[]): number {
	const total = weightOfWords(words);
	return total === 0 ? 1 : weightOfWords(words.filter(isSaid)) / total;
}

/** What a sentence ends on is as a rule what it states: its last full word, name or figure must come back, and one of the last two. */
function lacksTail({ claim, items }: Alignment, words: readonly AlignedWord[]): boolean {
	const things = [...claim.quantities, ...claim.dates, ...claim.names].flatMap((thing) => {
		const item = items.find(
			({ text, isName, isFigure }) => text === thing.text && (isName || isFigure),
		);
		return item ? [{ at: thing.start, isThere: isSaid(item), isFull: true }] : [];
	});
	const said = words.map((pair) => ({
		at: pair.word.start,
		isThere: isSaid(pair),
		isFull: pair.word.weight >= 1,
	}));
	const order = [...things, ...said].sort((a, b) => a.at - b.at);
	const tail = order.slice(-2);
	const last = order.findLast(({ isFull }) => isFull);
	return last?.isThere === false || (tail.length === 2 && tail.every((thing) => !thing.isThere));
}

/** Digits of a claim that are read neither as a number nor as part of a name must stand in the sentence as they are. */
function lacksDigits({ claim, sentence }: Alignment): boolean {
	const read = [...claim.quantities, ...claim.dates];
	const there = new Set(sentence.text.match(DIGITS));
	return [...claim.text.matchAll(DIGITS)].some(
		({ 0: digits, index }) =>
			!there.has(digits) &&
			!read.some(({ start, end }) => index >= start && index < end) &&
			!claim.names.some(({ text }) => text.includes(digits)),
	);
}

const DIGITS = /\p{N}+(?:[.,:]\p{N}+)*/gu;

/** What only one of two nearly equal texts denies, and a denial of which the sentence has no word. */
function deniesOtherwise({ claim, sentence }: Alignment, words: readonly AlignedWord[]): boolean {
	const said = words.flatMap(({ match }) => match?.start ?? []);
	// What a sentence denies besides is another matter.
	const bears = ({ from, to }: Negation) =>
		said.length === 0 || said.some((start) => start >= from && start < to);
	const count = ({ negations }: TextReading) =>
		negations.filter(
			(negation) => negation.isGrammatical && (negations === claim.negations || bears(negation)),
		).length;
	const [plain] = [claim, sentence].filter((text) => count(text) === 0);
	const isTurned = (count(claim) - count(sentence)) % 2 !== 0;
	const other = plain === claim ? sentence : claim;
	const isPlain = plain === undefined || !NEGATIVE.test(withoutWordsOf(plain.text, other.text));
	if (isTurned && isPlain && words.every(({ by }) => by === "word")) return true;
	const hasOpposite = words.some(({ by }) => by === "opposite");
	return count(claim) % 2 === 1 && !hasOpposite && !NEGATIVE.test(sentence.text);
}

/** "Rejected" in both texts denies in neither more than in the other. */
function withoutWordsOf(text: string, other: string): string {
	const shared = new Set(other.toLowerCase().match(/\p{L}+/gu));
	return text.replace(/\p{L}+/gu, (word) => (shared.has(word.toLowerCase()) ? "" : word));
}

/** Of the first two words, one must come back as such. */
function lacksHead(full: readonly AlignedWord[]): boolean {
	const head = full.slice(0, 2);
	return full.length > 2 && head.every(({ by, place }) => by !== "word" && place !== "about");
}

/** Names alone state nothing: some word, or a figure, must be said of them, and not only by words that are alike. */
function saysPredicate(matter: Alignment, words: readonly AlignedWord[]): boolean {
	if (hasFigure(matter) || words.length === 0) return true;
	const said = words.filter(({ place }) => place === "sentence");
	return said.some(({ by }) => by === "word") || said.length > 1 || isNamedHere(matter);
}

function isNamedHere({ items }: Alignment): boolean {
	const here = items.filter(({ place }) => place === "sentence");
	return (
		here.some(({ isName }) => isName) &&
		here.some(({ isName, isFigure, weight }) => !isName && !isFigure && weight > 0)
	);
}

function hasFigure({ items }: Alignment): boolean {
	return items.some(({ isFigure, place }) => isFigure && place === "sentence");
}

/** Two denials of one claim as a rule cancel. */
function hasDenial({ text, negations }: TextReading): boolean {
	return (
		negations.length % 2 === 1 || (negations.length === 0 && /\b(?:invalid|void)\b/i.test(text))
	);
}

/** True when a claim names, or has a word of, what the sentence names or is about; the field of its whole graph does not count. */
function isOnSubject({ claim, sentence, context: { about, domain } }: Alignment): boolean {
	const field = new Set(domain.words.map(({ stem }) => stem));
	const subject = new Set(
		about.words.filter(({ stem }) => !field.has(stem)).map(({ stem }) => stem),
	);
	const names = new Set([...about.names, ...sentence.names].map(({ key }) => key));
	return (
		claim.words.some(({ stem }) => subject.has(stem)) ||
		claim.names.some(({ key }) => names.has(key) && !domain.names.some((name) => name.key === key))
	);
}

function listed(words: readonly { readonly word: ReadWord }[]): string {
	return words
		.slice(0, 3)
		.map(({ word }) => `"${word.written}"`)
		.join(", ");
}

/** Of a claim's weight: what comes back, what comes back nearby too, and of what is said of its subject, what the sentence says. */
export type Shares = Readonly<Record<"met" | "topic" | "news", number>>;
export type StanceSigns = Readonly<ReturnType<typeof readSigns>>;

/** What is measured of a claim and a sentence, each 0..1: what the weighing of a stance is fitted over (docs/adr/0043). */
export function readSigns(matter: Alignment, shares: Shares) {
	const { claim, sentence, aligned, items, conflicts, worst } = matter;
	const words = aligned.filter(({ word }) => word.weight > 0);
	const said = words.filter(isSaid);
	const total = weightOfWords(words);
	// The surest conflict of each kind.
	const of = (kind: Conflict["of"]) =>
		Math.max(0, ...conflicts.filter((each) => each.of === kind).map(({ sureness }) => sureness));
	const shareOf = (isMeant: (pair: AlignedWord) => boolean) =>
		share(weightOfWords(said.filter(isMeant)), total);
	const turned = said.filter(({ agrees }) => !agrees);
	const claimDenies = claim.negations.length % 2 === 1;
	const there = deniesWithin(sentence, said);
	const last = words.findLast(({ word }) => word.weight >= 1);
	return {
		...shares,
		// Words of content said as such, by another word, and not at all.
		same: shareOf(({ by, place }) => by === "word" || place === "about"),
		alike: shareOf(({ by }) => by === "like" || by === "opposite"),
		lacking: share(weightOfWords(words.filter((pair) => !said.includes(pair))), total),
		returned: returnedOf(sentence, aligned),
		names: shareOfItems(items, ({ isName }) => isName === true),
		figures: shareOfItems(items, ({ isFigure }) => isFigure),
		hasNames: Number(claim.names.length > 0),
		hasFigures: Number(items.some(({ isFigure }) => isFigure)),
		order: orderOf(said),
		tail: Number(last === undefined || said.includes(last)),
		denial: of("denial"),
		opposite: of("opposite"),
		rival: of("name"),
		figure: of("figure"),
		quantity: Math.max(of("quantity"), of("trend"), of("currency")),
		unevenDenial: Number(claimDenies !== there),
		bothDeny: Number(claimDenies && there),
		turned: share(weightOfWords(turned), weightOfWords(said)),
		objection: Number(objectToSupport(matter) !== undefined),
		form: Number(objectToForm(matter) !== undefined),
		essential: Number(items.some((item) => item.isEssential && !isSaid(item))),
		refutalObjection: Number(
			worst !== undefined && objectToRefutation(matter, worst) !== undefined,
		),
	};
}

/** True when the sentence denies, an odd number of times, within or right before the words that answer the claim. */
function deniesWithin({ negations }: TextReading, said: readonly AlignedWord[]): boolean {
	const starts = said.flatMap(({ match }) => match?.start ?? []);
	const reached = negations.filter(({ from, to }) =>
		starts.some((start) => start >= from && start < to),
	);
	return reached.length % 2 === 1;
}

/** Share of the sentence's own weight that the claim has too. */
function returnedOf({ words }: TextReading, aligned: readonly AlignedWord[]): number {
	const answered = new Set(aligned.flatMap(({ match }) => match?.place ?? []));
	const back = words.filter(({ place }) => answered.has(place));
	return share(weightOf(back), weightOf(words));
}

/** Pairs of neighboring matches that stand in the claim's order, as a share of all. */
function orderOf(said: readonly AlignedWord[]): number {
	const places = said.flatMap(({ match }) => match?.place ?? []);
	const pairs = places.slice(1).map((place, index) => place >= (places[index] ?? 0));
	return pairs.length === 0 ? 1 : pairs.filter(Boolean).length / pairs.length;
}

/** Of the names or figures of a claim, the share that is there; 1 where it has none. */
function shareOfItems(items: readonly Item[], isMeant: (item: Item) => boolean): number {
	const meant = items.filter(isMeant);
	return meant.length === 0 ? 1 : meant.filter(isSaid).length / meant.length;
}

function weightOfWords(pairs: readonly AlignedWord[]): number {
	return weightOf(pairs.map(({ word }) => word));
}

function share(part: number, whole: number): number {
	return whole === 0 ? 0 : part / whole;
}
