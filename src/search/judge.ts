import type { DataStatus, Decision } from "../core/wire.js";

/** What speaks for the best row; every share and cosine in 0..1. */
export interface AnswerSigns {
	/** Number of subject words in the query. */
	readonly subjectWords: number;
	/** Weighted share of the subject words that the best row's text holds. */
	readonly coverage: number;
	/** The same, looking only at its title, aliases, tags and summary. */
	readonly headingCoverage: number;
	/** Weighted share of the subject words that any searched concept holds. */
	readonly known: number;
	/** Cosine of the query and the best row; undefined in keyword mode. */
	readonly cosine: number | undefined;
	/** True when the row is among the first three of either side. */
	readonly isAgreed: boolean;
	/** True when the query names a standard, vulnerability or the like that nobody covers. */
	readonly lacksIdentifier: boolean;
	/** True when the query is, in essence, a name of the best row. */
	readonly isNamed: boolean;
}

/**
 * Logistic weights and thresholds fitted on questions over the sample catalog (its own and paraphrases)
 * against off-topic and nonsense ones, some 350 in all; nothing was kept aside to test them on. The margin to the second row was tried and told nothing.
 */
const HYBRID = { coverage: 0.2, known: 0.25, cosine: 0.5, agreement: 0.05 } as const;
const KEYWORD = { coverage: 0.6, known: 0.3, agreement: 0.1 } as const;
const THRESHOLDS = {
	hybrid: { answer: 0.56, partial: 0.475, clarify: 0.425 },
	keyword: { answer: 0.8, partial: 0.65, clarify: 0.5 },
} as const;
/** One word is soon found somewhere: alone it counts for less, least when no heading has it. */
const LONE_WORD = { heading: 0.6, body: 0.5 } as const;
const MISSING_IDENTIFIER_PENALTY = 0.1;
/** Below this share of its coverage, headings did not carry the match: the text and its sources did. */
const HEADING_SHARE = 0.4;

/** How much the best row answers the query, 0..1. */
export function strengthOf(signs: AnswerSigns): number {
	const trust = trustInWords(signs);
	const coverage = signs.coverage * trust;
	const known = signs.known * trust;
	const agreement = signs.isAgreed ? 1 : 0;
	const weighed =
		signs.cosine === undefined
			? KEYWORD.coverage * coverage + KEYWORD.known * known + KEYWORD.agreement * agreement
			: HYBRID.coverage * coverage +
				HYBRID.known * known +
				HYBRID.cosine * Math.max(0, signs.cosine) +
				HYBRID.agreement * agreement;
	return Math.max(0, weighed - (signs.lacksIdentifier ? MISSING_IDENTIFIER_PENALTY : 0));
}

function trustInWords({ subjectWords, headingCoverage }: AnswerSigns): number {
	if (subjectWords > 1) return 1;
	return headingCoverage > 0 ? LONE_WORD.heading : LONE_WORD.body;
}

/**
 * ANSWER: the best row speaks about the query. PARTIAL: it covers a part. CLARIFY: related at most; the caller should ask more
 * narrowly. ABSTAIN: nothing here; no rows are sold. A query without subject words is never answered.
 */
export function decide(signs: AnswerSigns): Decision {
	if (signs.subjectWords === 0) return "ABSTAIN";
	const strength = strengthOf(signs);
	const limits = THRESHOLDS[signs.cosine === undefined ? "keyword" : "hybrid"];
	if (signs.isNamed || (strength >= limits.answer && !signs.lacksIdentifier)) return "ANSWER";
	if (strength >= limits.partial) return "PARTIAL";
	return strength >= limits.clarify ? "CLARIFY" : "ABSTAIN";
}

/**
 * NO_MATCH with ABSTAIN and WEAK_MATCH with CLARIFY. Otherwise ENTITY_MATCH when the query is a name, an alias or
 * the identifier of the best row; EVIDENCE_MATCH when the row's text and sources match rather than its headings; else TREND_MATCH.
 */
export function statusOf(decision: Decision, signs: AnswerSigns): DataStatus {
	if (decision === "ABSTAIN") return "NO_MATCH";
	if (decision === "CLARIFY") return "WEAK_MATCH";
	if (signs.isNamed) return "ENTITY_MATCH";
	const isCarriedByText = signs.headingCoverage < HEADING_SHARE * signs.coverage;
	return isCarriedByText ? "EVIDENCE_MATCH" : "TREND_MATCH";
}
