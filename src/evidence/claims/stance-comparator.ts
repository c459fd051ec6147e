import type { DateSpan } from "./date-spans.js";
import { compareNames } from "./name-match.js";
import { fitDate, fitQuantity } from "./number-match.js";
import { contradictsQuantifier } from "./quantifiers.js";
import { readText, type TextReading } from "./text-reading.js";
import type { AtomicClaim, Comparison } from "./verification.js";
import { type AlignedWord, alignWords } from "./word-alignment.js";

/** What a sentence takes for granted: whom it speaks of, and when its sources date from. */
export interface SentenceContext {
	/** Title and other names of what the sentence is about. */
	readonly names?: readonly string[];
	/** Dates of its sources. */
	readonly dates?: readonly DateSpan[];
}

const FIGURE_WEIGHT = 1.2;
const STOP_WEIGHT = 0;
/** Share of a claim's weight a sentence must answer to support or to refute it. */
export const SUPPORT_LEAST = 0.72;
export const REFUTE_LEAST = 0.55;
/** Share that must be in the sentence itself, not in what it is about. */
const OWN_LEAST = 0.34;

/**
 * Says whether a sentence bears a claim out or denies it, by rules alone: words and what stands for them, names, numbers with
 * units, dates, negation, opposites and quantifiers. Deterministic; never throws; what it cannot place is "neutral".
 */
export function compareClaim(
	claim: AtomicClaim,
	sentence: string,
	context: SentenceContext = {},
): Comparison {
	return compareReadings(readText(claim.text), readText(sentence), context);
}

/** The same for texts that were read before. */
export function compareReadings(
	claim: TextReading,
	sentence: TextReading,
	{ names = [], dates = [] }: SentenceContext = {},
): Comparison {
	const about = readText(names.join(" ; "));
	const stems = new Set(about.words.map(({ stem }) => stem));
	const aligned = alignWords(claim, sentence, stems);
	const named = compareNames(claim, sentence, about);
	const figures = compareFigures(claim, sentence, dates);
	const tally = weigh(aligned, named.items, figures.items);
	const conflicts = [
		...figures.conflicts,
		...polarityConflicts(aligned),
		...quantifierConflicts(claim, sentence),
		...named.conflicts,
	];
	return decide(tally, conflicts);
}

/** Something of a claim that a sentence may answer. */
export interface Item {
	readonly weight: number;
	readonly isMet: boolean;
	/** Met by what the sentence is about, not by its words. */
	readonly isGranted?: boolean;
}

export interface Conflict {
	readonly reason: string;
	/** How sure it is that both speak of the same, 0..1. */
	readonly sureness: number;
}

interface Tally {
	/** Shares of the claim's weight, 0..1. */
	readonly met: number;
	readonly own: number;
	/** Of words and names alone, without figures. */
	readonly topic: number;
}

function weigh(
	aligned: readonly AlignedWord[],
	names: readonly Item[],
	figures: readonly Item[],
): Tally {
	const words = aligned.map(({ word, place }) => ({
		weight: word.isStopWord ? STOP_WEIGHT : 1,
		isMet: place !== "nowhere",
		isGranted: place === "context",
	}));
	const topic = [...words, ...names];
	const all = [...topic, ...figures];
	const total = sumOf(all);
	const share = (items: readonly Item[], whole: number) => (whole === 0 ? 0 : sumOf(items) / whole);
	return {
		met: share(
			all.filter(({ isMet }) => isMet),
			total,
		),
		own: share(
			all.filter(({ isMet, isGranted }) => isMet && !isGranted),
			total,
		),
		topic: share(
			topic.filter(({ isMet }) => isMet),
			sumOf(topic),
		),
	};
}

function sumOf(items: readonly Item[]): number {
	return items.reduce((sum, { weight }) => sum + weight, 0);
}

function compareFigures(
	claim: TextReading,
	sentence: TextReading,
	sourceDates: readonly DateSpan[],
) {
	const items: Item[] = [];
	const conflicts: Conflict[] = [];
	for (const quantity of claim.quantities) {
		const { fit, found, isSure } = fitQuantity(quantity, sentence.quantities);
		items.push({ weight: FIGURE_WEIGHT, isMet: fit === "same" });
		if (fit !== "other") continue;
		const reason = `says ${found ?? "another number"}, the claim ${quantity.text}`;
		conflicts.push({ reason, sureness: isSure ? 1 : 0.6 });
	}
	for (const date of claim.dates) {
		const told = fitDate(date, sentence.dates);
		const { fit, found } = told.fit === "absent" ? fitDate(date, sourceDates) : told;
		items.push({ weight: FIGURE_WEIGHT, isMet: fit === "same", isGranted: told.fit === "absent" });
		if (fit !== "other" || told.fit === "absent") continue;
		conflicts.push({
			reason: `says ${found ?? "another date"}, the claim ${date.text}`,
			sureness: 1,
		});
	}
	return { items, conflicts };
}

/** Denied words and opposites: what only one of both denies. */
function polarityConflicts(aligned: readonly AlignedWord[]): readonly Conflict[] {
	const placed = aligned.filter(({ place }) => place === "sentence");
	const turned = placed.filter(({ agrees }) => !agrees);
	const opposite = turned.find(({ by }) => by === "opposite");
	const kept = placed.filter(
		({ word, match, agrees }) => agrees && word.isNegated && match?.isNegated,
	);
	const denied = turned.filter(({ by, word }) => by !== "opposite" && !word.isStopWord);
	const conflicts: Conflict[] = [];
	if (opposite) {
		const { word, match } = opposite;
		conflicts.push({
			reason: `says "${match?.written}" where the claim says "${word.written}"`,
			sureness: 0.9,
		});
	}
	if (denied.length > kept.length) {
		const words = denied.map(({ word }) => `"${word.written}"`).slice(0, 3);
		conflicts.push({ reason: `only one of both denies ${words.join(", ")}`, sureness: 0.9 });
	}
	return conflicts;
}

function quantifierConflicts(claim: TextReading, sentence: TextReading): readonly Conflict[] {
	const [asked] = claim.quantifiers;
	const [told] = sentence.quantifiers;
	if (!asked || !told || !contradictsQuantifier(asked, told)) return [];
	return [{ reason: `speaks of ${told}, the claim of ${asked}`, sureness: 0.8 }];
}

function decide({ met, own, topic }: Tally, conflicts: readonly Conflict[]): Comparison {
	const [worst] = [...conflicts].sort((a, b) => b.sureness - a.sureness);
	if (worst) {
		const isAboutIt = topic >= REFUTE_LEAST && own > 0;
		const score = round(topic * worst.sureness);
		const reasons = conflicts.map(({ reason }) => reason);
		return isAboutIt && worst.sureness >= 0.6 && score >= REFUTE_LEAST * 0.8
			? { stance: "refutes", score, reasons }
			: { stance: "neutral", score: round(score / 2), reasons };
	}
	if (met >= SUPPORT_LEAST && own >= OWN_LEAST) {
		return {
			stance: "supports",
			score: round(met),
			reasons: [`holds ${percent(met)} of what the claim says`],
		};
	}
	return {
		stance: "neutral",
		score: round(met / 2),
		reasons: [`holds only ${percent(met)} of what the claim says`],
	};
}

function percent(share: number): string {
	return `${Math.round(share * 100)} %`;
}

function round(value: number): number {
	return Math.round(value * 1000) / 1000;
}
