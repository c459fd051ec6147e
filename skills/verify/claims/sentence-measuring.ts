import type { RankedSentence } from "../../../src/evidence/evidence.js";
import { type Concept, type Steps, stepsOf } from "../../../src/knowledge/knowledge.js";
import { CLAIM_LIMITS } from "./claim-limits.js";
import { toDateSpan } from "./date-spans.js";
import { type ReadContext, readCatalogContext } from "./sentence-context.js";
import { examineReadings, type ReadComparison } from "./stance-comparator.js";
import { readCatalogText, readText } from "./text-reading.js";
import type { AtomicClaim } from "./verification.js";

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
