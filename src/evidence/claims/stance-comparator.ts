import type { Conflict, Findings, Item } from "./comparison-items.js";
import { CREDIT } from "./comparison-items.js";
import type { DateSpan } from "./date-spans.js";
import { compareFigures } from "./figure-match.js";
import { compareNames } from "./name-match.js";
import { comparePolarity } from "./polarity-match.js";
import { compareQuantifiers } from "./quantifier-match.js";
import { type ReadContext, readContext, type SentenceContext } from "./sentence-context.js";
import { readText, type TextReading } from "./text-reading.js";
import type { AtomicClaim, Comparison } from "./verification.js";
import { type AlignedWord, alignWords } from "./word-alignment.js";

/** Shares of a claim's weight a sentence must answer to support it, or to be about it enough to refute it. */
const SUPPORT_LEAST = 0.62;
const REFUTE_LEAST = 0.5;
/** Share that must be in the sentence itself, not around it. */
const OWN_LEAST = 0.3;
const SURE_LEAST = 0.55;

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

/** The same for texts that were read before. */
export function compareReadings(
	claim: TextReading,
	sentence: TextReading,
	context: ReadContext,
	sourceDates: readonly DateSpan[],
): Comparison {
	const aligned = alignWords(claim, sentence, context);
	const findings: readonly Findings[] = [
		{ items: aligned.map(toItem), conflicts: [] },
		compareNames(claim, sentence, context),
		compareFigures(claim, sentence, sourceDates),
		comparePolarity(claim, sentence, aligned),
		compareQuantifiers(claim, sentence),
	];
	const items = findings.flatMap((each) => each.items);
	const conflicts = findings.flatMap((each) => each.conflicts);
	return decide(items, conflicts);
}

function toItem({ word, place, match }: AlignedWord): Item {
	const isDirected = word.axes.some((axis) => axis.isDirected) && word.weight > 0;
	return {
		weight: word.weight,
		credit: CREDIT[place],
		isOwn: match !== undefined,
		isEssential: isDirected && false,
		text: word.written,
	};
}

function decide(items: readonly Item[], conflicts: readonly Conflict[]): Comparison {
	const total = sumOf(items, () => 1);
	const met = total === 0 ? 0 : sumOf(items, ({ credit }) => credit) / total;
	const own = total === 0 ? 0 : sumOf(items, ({ isOwn, credit }) => (isOwn ? credit : 0)) / total;
	const topic = topicOf(items);
	const [worst] = [...conflicts].sort((a, b) => b.sureness - a.sureness);
	if (worst) {
		const reasons = conflicts.map(({ reason }) => reason);
		const score = round(topic * worst.sureness);
		const isAboutIt = topic >= REFUTE_LEAST && own > 0.15 && worst.sureness >= SURE_LEAST;
		return isAboutIt
			? { stance: "refutes", score, reasons }
			: { stance: "neutral", score: round(met / 2), reasons };
	}
	const lacking = items.filter(({ isEssential, credit }) => isEssential && credit === 0);
	const holds = `holds ${Math.round(met * 100)} % of what the claim says`;
	if (lacking.length === 0 && met >= SUPPORT_LEAST && own >= OWN_LEAST) {
		return { stance: "supports", score: round(met), reasons: [holds] };
	}
	const without = lacking.map(({ text }) => text).join(", ");
	const reason = without === "" ? holds : `${holds}, without ${without}`;
	return { stance: "neutral", score: round(met / 2), reasons: [reason] };
}

/** How far a sentence is about what a claim is about: figures, in which both may differ, left out. */
function topicOf(items: readonly Item[]): number {
	const topic = items.filter(({ text }) => !/^[\d$€]/.test(text));
	const total = sumOf(topic, () => 1);
	return total === 0 ? 0 : sumOf(topic, ({ credit }) => credit) / total;
}

function sumOf(items: readonly Item[], share: (item: Item) => number): number {
	return items.reduce((sum, item) => sum + item.weight * share(item), 0);
}

function round(value: number): number {
	return Math.round(value * 1000) / 1000;
}
