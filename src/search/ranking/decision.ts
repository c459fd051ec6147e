import type { DataStatus, Decision } from "../../contract/contract.js";
import {
	DECISION,
	type DecisionModel,
	WEIGHED_SIGNS,
	type WeighedSign,
} from "./decision-weights.js";

/** What speaks for the best row of a search; shares in 0..1. */
export interface AnswerSigns {
	/** Number of subject words in the query. */
	readonly subjectWords: number;
	/** Weighted share of the subject words that the best row's text holds. */
	readonly coverage: number;
	/** The same, looking only at its title, aliases, tags and summary. */
	readonly headingCoverage: number;
	/** Weighted share of the subject words that any searched concept of the best row's graph holds. */
	readonly known: number;
	/** The greatest weight of subject words that one of the first rows holds, from 0 up: how much there is to go by at all. */
	readonly evidence: number;
	/** How rare in the language the words are that the best row holds, summed, from 0 up: common words are in every text. */
	readonly rarity: number;
	/**
	 * How far the closest row is above what comes closest to foreign questions in its graph, in their standard deviations. Undefined in
	 * keyword mode, and while that is not known.
	 */
	readonly nearness: number | undefined;
	/** How likely the row that answers best answers, as the judge reads it, 0..1; undefined where it was not asked. */
	readonly answers: number | undefined;
	/** 1 when the query names something that no one covers, 0.5 when it may be a name, else 0. */
	readonly lacksName: number;
	/** True when the query names a standard, vulnerability or the like that no one covers. */
	readonly lacksIdentifier: boolean;
	/** True when the query is, in essence, a name of the best row. */
	readonly isNamed: boolean;
	/** True when the query names something that the best row, and few others, are about. */
	readonly isAboutName: boolean;
	/** True when the query is so short, and so many rows are as good as the best one, that it is open what was meant. */
	readonly isAmbiguous: boolean;
}

/** Long queries hold more words by accident than short ones: beyond this, more weight says nothing more. */
const MOST_EVIDENCE = 8;
/** Farther off or nearer says nothing more. */
const NEARNESS = { least: -2, most: 8 } as const;
/** Who asks by a name is understood. */
const NAMED_STRENGTH = 0.97;
/** Below this share of its coverage, headings did not carry the match: the text and its sources did. */
const HEADING_SHARE = 0.4;

/** The signs as the strength weighs them, each from the worst to the best it can say. */
export function toWeighedSigns(signs: AnswerSigns): Readonly<Record<WeighedSign, number>> {
	const { known, evidence, rarity, coverage, nearness = 0, answers = 0.5, lacksName } = signs;
	return {
		known,
		evidence: Math.log1p(Math.min(MOST_EVIDENCE, evidence)),
		rarity: Math.log1p(rarity),
		coverage,
		nearness: Math.max(NEARNESS.least, Math.min(NEARNESS.most, nearness)),
		answers: logOddsOf(answers),
		lacksName,
	};
}

/** How likely it is that the searched graphs answer the query, 0..1. */
export function strengthOf(signs: AnswerSigns): number {
	const { bias, weights } = DECISION[modeOf(signs)];
	const weighed = toWeighedSigns(signs);
	const logit = WEIGHED_SIGNS.reduce((sum, sign) => sum + weights[sign] * weighed[sign], bias);
	const strength = 1 / (1 + Math.exp(-logit));
	return signs.isNamed ? Math.max(NAMED_STRENGTH, strength) : strength;
}

/** "read" where the judge has read rows; otherwise "hybrid" where vectors were compared, else "keyword". */
export type DecisionMode = keyof typeof DECISION;

function modeOf({ nearness, answers }: AnswerSigns): DecisionMode {
	if (nearness === undefined) return "keyword";
	return answers === undefined ? "hybrid" : "read";
}

/** Surer than this says nothing more. */
const MOST_LOG_ODDS = 6;

function logOddsOf(share: number): number {
	const odds = Math.log(Math.max(0, share) / Math.max(0, 1 - share));
	return Math.max(-MOST_LOG_ODDS, Math.min(MOST_LOG_ODDS, odds));
}

/**
 * ANSWER: the best row speaks about the query. PARTIAL: it covers a part. CLARIFY: related at most, or a short query that many
 * rows answer equally well; the caller should ask more narrowly. ABSTAIN: nothing here; no rows are sold. A query without
 * subject words is never answered.
 */
export function decide(signs: AnswerSigns): Decision {
	return decisionAt(strengthOf(signs), signs, DECISION[modeOf(signs)].limits);
}

/** What is decided at this strength, where the limits are these. */
export function decisionAt(
	strength: number,
	signs: AnswerSigns,
	limits: DecisionModel["limits"],
): Decision {
	if (signs.subjectWords === 0) return "ABSTAIN";
	if (signs.isNamed) return "ANSWER";
	if (strength < limits.clarify) return isWorthAsking(signs) ? "CLARIFY" : "ABSTAIN";
	if (strength < limits.partial || signs.isAmbiguous) return "CLARIFY";
	const isWhole = !signs.lacksIdentifier && signs.lacksName < 1;
	return isWhole && strength >= limits.answer ? "ANSWER" : "PARTIAL";
}

/** True when the caller can say more about something that is here. */
function isWorthAsking({ isAboutName, isAmbiguous, known }: AnswerSigns): boolean {
	return isAboutName || (isAmbiguous && known >= 1);
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
