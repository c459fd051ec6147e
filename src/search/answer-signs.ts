import { headingTermsOf } from "./concept-names.js";
import type { Found } from "./found-concepts.js";
import type { AnswerSigns } from "./judge.js";
import {
	coverageByTerms,
	coverageOf,
	isMissingIdentifier,
	knownShareOf,
	type WeighedWord,
} from "./query-coverage.js";
import type { RankedSlot } from "./ranking.js";

const AGREEMENT_RANKS = 3;

/** What speaks for the best of the ranked rows. `weighed` are the query's subject words as the searched graphs know them. */
export function readSigns(
	weighed: readonly WeighedWord[],
	best: Found | undefined,
	ranked: readonly RankedSlot[],
): AnswerSigns {
	const common = {
		subjectWords: best ? weighed.length : 0,
		known: knownShareOf(weighed),
		lacksIdentifier: weighed.some(isMissingIdentifier),
	};
	if (!best) {
		const none = { coverage: 0, headingCoverage: 0, cosine: undefined };
		return { ...common, ...none, isAgreed: false, isNamed: false };
	}
	const { slot, concept } = best;
	return {
		...common,
		coverage: coverageOf(weighed, slot.scope, slot.concept),
		headingCoverage: coverageByTerms(weighed, headingTermsOf(concept)),
		cosine: slot.cosine,
		isAgreed: isAgreed(slot, ranked),
		isNamed: best.isNamed,
	};
}

function isAgreed(best: RankedSlot, ranked: readonly RankedSlot[]): boolean {
	const better = (isBetter: (other: RankedSlot) => boolean) => ranked.filter(isBetter).length;
	return (
		better((other) => other.lexical > best.lexical) < AGREEMENT_RANKS &&
		better((other) => (other.cosine ?? 0) > (best.cosine ?? 0)) < AGREEMENT_RANKS
	);
}
