import {
	type Alignment,
	deniesAlike,
	objectToRefutation,
	objectToSupport,
	readSigns,
	type Shares,
} from "./alignment-gates.js";
import type { DateSpan } from "./date-spans.js";
import { compareFigures, weakenByOpenFigures } from "./figure-match.js";
import { type Compared, type Conflict, type Item, isSaid, joined, weightOf } from "./findings.js";
import { compareNames } from "./name-match.js";
import { comparePairs } from "./pairing-match.js";
import { comparePolarity, compareQuantifiers } from "./polarity-match.js";
import { compareCounts, compareRoles, compareTrends } from "./relation-match.js";
import {
	type ReadContext,
	readContext,
	readText,
	type SentenceContext,
	type TextReading,
} from "./text-reading.js";
import { compareCurrency } from "./time-frame.js";
import { type AtomicClaim, type Comparison, roundScore } from "./verification.js";
import { type AlignedWord, alignWords } from "./word-alignment.js";

/** Shares of a claim's weight that a sentence must answer to support it, or to be about it enough to refute it. */
const SUPPORT_LEAST = 0.6;
const REFUTE_LEAST = 0.5;
/** Of what the claim says of its subject, what the sentence itself must say. */
const NEWS_LEAST = { supports: 0.5, refutes: 0.2 } as const;
const SURE_LEAST = 0.55;
const REFUTE_SCORE = 0.45;
/** What it counts where something comes back: what supports must be said; what only bears may be said nearby. */
const SAID = { sentence: 1, about: 1, around: 0.25, rival: 0, nowhere: 0 } as const;
const MEANT = { sentence: 1, about: 1, around: 0.7, rival: 0.7, nowhere: 0 } as const;

/**
 * Says whether a sentence bears a claim out or denies it, by rules alone: words and what stands for them, names, numbers with
 * units, dates, negation, opposites and quantifiers. Deterministic; never throws; what it cannot place is "neutral".
 */
export function compareClaim(
	claim: AtomicClaim,
	sentence: string,
	context: SentenceContext = {},
): Comparison {
	const { dates = [] } = context;
	return compareReadings(readText(claim.text), readText(sentence), readContext(context), dates);
}

/** Each finds what of one kind comes back or differs; the surest conflict decides, the first of equals. */
const COMPARISONS = [
	...[compareNames, compareFigures, comparePolarity, compareQuantifiers],
	...[compareCurrency, compareRoles, comparePairs],
];

/** The same for texts that were read before. */
export function compareReadings(...readings: Parameters<typeof examineReadings>): Comparison {
	return examineReadings(...readings).comparison;
}

/** What the rules say to a sentence, and what was measured of it for weighing it against others. */
export function examineReadings(
	claim: TextReading,
	whole: TextReading,
	context: ReadContext,
	sourceDates: readonly DateSpan[],
) {
	const sentence = focusOn(claim, whole);
	const aligned = alignWords(claim, sentence, context);
	const compared: Compared = { claim, sentence, aligned, context, sourceDates };
	const counted = [compareTrends(compared), compareCounts(compared)];
	// Where figures say which is more, the word for it need not come back.
	const isCounted = counted.some(({ items }) => items.length > 0);
	const said = aligned.map((each) => toItem(each, context, claim));
	const { items, conflicts: found } = joined([
		{ items: isCounted ? said.map(toGranted) : said, conflicts: [] },
		...counted,
		...COMPARISONS.map((compare) => compare(compared)),
	]);
	const conflicts = weakenByOpenFigures(items, found);
	const [worst] = [...conflicts].sort((a, b) => b.sureness - a.sureness);
	const matter: Alignment = { ...compared, items, conflicts, worst };
	const words = items.filter(({ isFigure }) => !isFigure);
	const shares = { met: shareOf(items, SAID), topic: shareOf(words, MEANT), news: newsOf(items) };
	return { comparison: decide(matter, shares), signs: readSigns(matter, shares) };
}

/** "RFC 1 needs it; RFC 2 does not": of a sentence on several things, the clause on what the claim is about. */
function focusOn(claim: TextReading, sentence: TextReading): TextReading {
	const subject = claim.names.find(({ series }) => series !== undefined);
	if (!subject || !sentence.text.includes(";")) return sentence;
	const clauses = sentence.text.split(";").map((clause) => readText(clause.trim()));
	const own = clauses.filter(({ names }) => names.some(({ key }) => key === subject.key));
	const others = clauses.filter(({ names }) =>
		names.some(({ key, series }) => series === subject.series && key !== subject.key),
	);
	const [only] = own;
	return only && own.length === 1 && others.some((other) => other !== only) ? only : sentence;
}

function toItem(
	{ word, place }: AlignedWord,
	{ aboutStems }: ReadContext,
	{ quantities }: TextReading,
): Item {
	// "More than half" is a bound, not a direction.
	const isBound =
		/^(?:more|less|fewer)$/i.test(word.written) &&
		quantities.some(({ bound }) => / than$|^at /.test(bound));
	const isDirected = !isBound && word.axes.some((axis) => axis.isDirected);
	return {
		...{ weight: isBound ? 0 : word.weight, place, isFigure: false, text: word.written },
		isSubject: aboutStems.has(word.stem),
		isEssential: isDirected && DIRECTION.test(word.written),
	};
}

function toGranted(item: Item): Item {
	return item.isEssential ? { ...item, place: "sentence" } : item;
}

/** A comparison is borne out by what compares, a rise by what rises. */
const DIRECTION =
	/^(?:more|less|fewer|higher|lower|larger|smaller|longer|shorter|bigger|faster|slower|cheaper|dearer|increas\w+|decreas\w+|rais\w+|rose|risen|rising|grow\w*|grew|grown|fell|fallen|drop\w*|shrank|shrunk|reduc\w+|lower\w+|declin\w+|better|worse|mandatory|optional|required|obliged)$/i;

function decide(matter: Alignment, shares: Shares): Comparison {
	const { items, conflicts, worst } = matter;
	if (!saysSomething(matter.claim.text, items)) {
		return { stance: "neutral", score: 0, reasons: ["has nothing to say what of whom"] };
	}
	if (worst && !(worst.of === "denial" && conflicts.length === 1 && deniesAlike(matter)))
		return decideConflict(matter, worst, shares);
	return decideSupport(matter, shares);
}

function decideSupport(matter: Alignment, { met, news }: Shares): Comparison {
	const { items } = matter;
	const lacking = items.filter((item) => item.isEssential && !isSaid(item));
	const holds = `holds ${Math.round(met * 100)} % of what the claim says`;
	const without = lacking.map(({ text }) => text).join(", ");
	if (without !== "") return toNeutral(met, `${holds}, without ${without}`);
	if (!isEnough(items, met, news)) return toNeutral(met, holds);
	const objection = objectToSupport(matter);
	if (objection !== undefined) return toNeutral(met, `${holds}, but ${objection}`);
	return { stance: "supports", score: roundScore((met + news) / 2), reasons: [holds] };
}

function toNeutral(met: number, reason: string): Comparison {
	return { stance: "neutral", score: roundScore(met / 2), reasons: [reason] };
}

/** Names or numbers alone state nothing, but one thing may be said to be another. */
function saysSomething(claim: string, items: readonly Item[]): boolean {
	const said = items.filter(({ weight, text }) => weight > 0 && text.length > 1);
	const words = said.filter(({ isName, isFigure }) => !isName && !isFigure);
	const names = new Set(said.filter(({ isName }) => isName).map(({ text }) => text.toLowerCase()));
	if (names.size > 1 && IS.test(claim)) return true;
	return words.length > 0 && new Set(said.map(({ text }) => text.toLowerCase())).size > 1;
}

const IS = /\b(?:is|are|was|were|has been|have been|became|becomes)\b/;

/** Where every figure of a claim comes back, fewer of its words need to. */
function isEnough(items: readonly Item[], met: number, news: number): boolean {
	const hasFigures = items.some(({ isFigure, place }) => isFigure && place === "sentence");
	const relief = hasFigures ? FIGURE_RELIEF : 0;
	return met >= SUPPORT_LEAST - relief / 2 && news >= NEWS_LEAST.supports - relief;
}

const FIGURE_RELIEF = 0.2;

/** A sentence that differs denies the claim only when it speaks of the same. */
function decideConflict(
	matter: Alignment,
	worst: Conflict,
	{ met, topic, news }: Shares,
): Comparison {
	const { items, conflicts } = matter;
	const words = items.filter(({ isFigure }) => !isFigure);
	const reasons = conflicts.map(({ reason }) => reason);
	const isOfOther =
		items.some(({ isName, place }) => isName && place === "nowhere") &&
		!/^(?:speaks|names)/.test(worst.reason);
	// In "RAG appeared in 2017" the date is all that is said.
	const isFigureAll =
		worst.isDecisive === true &&
		items.filter(({ isFigure }) => isFigure).length <= 1 &&
		weightOf(words.filter(({ isSubject, isName }) => !isSubject && !isName)) <= 1.5;
	const told = isFigureAll ? Math.max(news, topic) : news;
	const score = roundScore(((topic + told) / 2) * worst.sureness);
	const isAboutIt = topic >= REFUTE_LEAST && told >= NEWS_LEAST.refutes && !isOfOther;
	const isDenied = isAboutIt && worst.sureness >= SURE_LEAST && score >= REFUTE_SCORE;
	return isDenied && objectToRefutation(matter, worst) === undefined
		? { stance: "refutes", score, reasons }
		: { stance: "neutral", score: roundScore(met / 2), reasons };
}

/** Of what a claim says beyond the names of its subject, the share in the sentence itself. */
function newsOf(items: readonly Item[]): number {
	const news = items.filter(({ isSubject }) => !isSubject);
	return shareOf(weightOf(news) === 0 ? items : news, OWN);
}

const OWN = { sentence: 1, about: 0, around: 0, rival: 0.7, nowhere: 0 } as const;

function shareOf(items: readonly Item[], credit: Readonly<Record<Item["place"], number>>): number {
	const total = weightOf(items);
	return total === 0
		? 0
		: items.reduce((sum, { weight, place }) => sum + weight * credit[place], 0) / total;
}
