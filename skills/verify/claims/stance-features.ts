import type { RankedSentence } from "../../../src/evidence/evidence.js";
import { type Concept, type Steps, stepsOf } from "../../../src/knowledge/knowledge.js";
import { toDateSpan } from "./date-spans.js";
import { examineReadings, type ReadComparison } from "./stance-comparator.js";
import type { StanceSigns } from "./stance-signs.js";
import { type ReadContext, readCatalogContext, readCatalogText, readText } from "./text-reading.js";
import { type AtomicClaim, CLAIM_LIMITS } from "./verification.js";

/** What a sentence is weighed by: what was measured of it, what the rules say, and how it stands among the others. */
export type StanceFeatures = Readonly<ReturnType<typeof toFeatures>[number]>;
export type StanceFeature = keyof StanceFeatures;

/** The features of all sentences that were found for one claim. */
export function toFeatures(measured: readonly MeasuredSentence[]) {
	const maxOf = (read: (one: MeasuredSentence) => number) => Math.max(0, ...measured.map(read));
	const top = {
		met: maxOf(({ signs }) => signs.met),
		topic: maxOf(({ signs }) => signs.topic),
		rank: maxOf(({ sentence }) => sentence.score),
		named: maxOf(({ signs }) => (signs.names >= 1 ? signs.topic : 0)),
	};
	return measured.map(({ signs, comparison, sentence }) => {
		const { stance, score } = comparison;
		return {
			...signs,
			ruleSupports: stance === "supports" ? score : 0,
			ruleRefutes: stance === "refutes" ? score : 0,
			metBelowBest: signs.met - top.met,
			topicBelowBest: signs.topic - top.topic,
			rankBelowFirst: sentence.score - top.rank,
			// How much better another sentence, one that has the claim's names, fits.
			namedElsewhere: signs.rival > 0 ? top.named - signs.topic : 0,
			...crossed(signs),
		};
	});
}

const TURNED_LEAST = 0.34;
const UNEVEN = 0.6;

/** A difference counts by how much of the claim comes back beside it. */
function crossed(signs: StanceSigns) {
	const { lacking, news, turned, denial, opposite, figure, rival, quantity, unevenDenial } = signs;
	// Words alone are not all: a claim may be made of names and a date.
	const cover = (1 - lacking + signs.topic) / 2;
	const conflict = Math.max(denial, opposite, rival, figure, quantity);
	const isTurned = turned >= TURNED_LEAST ? 1 : 0;
	const clash = Math.max(denial, opposite, isTurned, UNEVEN * unevenDenial);
	return {
		agreedCover: (1 - clash) * (1 - conflict) * signs.met,
		clashCover: clash * cover * (0.5 + 0.5 * news),
		turnedCover: turned * cover,
		conflictCover: conflict * cover,
		denialCover: Math.max(denial, opposite) * (signs.same + signs.alike),
		figureCover: figure * signs.same,
		rivalCover: rival * signs.same,
		// An opposite and a denial at once: as a rule they cancel.
		twiceTurned: Number(opposite > 0 && denial > 0),
	};
}

/** A sentence that was found for a claim, with what the rules say to it and what was measured. */
export interface MeasuredSentence extends ReadComparison {
	readonly sentence: RankedSentence;
}

/** Holds a claim against each sentence, in the light of its concept and of the sentences around it. */
export function* measureSentences(
	claim: AtomicClaim,
	sentences: readonly RankedSentence[],
	unknown: readonly string[],
): Steps<readonly MeasuredSentence[]> {
	const reading = readText(claim.text);
	const stepsOfOne = Math.ceil(reading.text.length / CLAIM_LIMITS.charsPerStep);
	const contexts = new Map<Concept, ReadContext>();
	const measured: MeasuredSentence[] = [];
	for (const sentence of sentences) {
		yield* stepsOf(stepsOfOne);
		const { concept, sources, text } = sentence;
		const context = contexts.get(concept) ?? contextOf(sentence, sentences, unknown);
		contexts.set(concept, context);
		const dates = sources.flatMap(({ publishedAt, datePrecision }) =>
			publishedAt === undefined ? [] : [toDateSpan(publishedAt, datePrecision ?? "day")],
		);
		measured.push({ sentence, ...examineReadings(reading, readCatalogText(text), context, dates) });
	}
	return measured;
}

function contextOf(
	{ concept, graph }: RankedSentence,
	sentences: readonly RankedSentence[],
	unknown: readonly string[],
): ReadContext {
	const around = sentences.filter((other) => other.concept === concept).map(({ text }) => text);
	const names = [concept.title, ...concept.aliases];
	return readCatalogContext({ names, domain: graph.record.title, around, unknown });
}
