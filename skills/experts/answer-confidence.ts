import type { Decision, TrustTier } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	toArticleAddress,
} from "../../src/evidence/evidence.js";

const TRUST: Readonly<Record<TrustTier, number>> = {
	"human-reviewed": 1,
	"machine-confirmed": 0.9,
	unverified: 0.75,
};
const PARTIAL = 0.75;
const STALE = 0.9;

export interface ConfidenceRequest {
	readonly question: string;
	readonly decision: Decision;
	/** What the answer cites. */
	readonly cited: readonly CitedSentence[];
	/** `YYYY-MM-DD`. */
	readonly today: string;
}

/**
 * How well an answer is carried, 0..1: share of the question's content words that what it cites covers × (hosts + 1) / (hosts + 2),
 * by distinct hosts of its sources, × mean trust, × 0.75 when the search found part of an answer, × 0.9 when something cited
 * was to be checked again by now. An order, no probability: it is not calibrated against outcomes.
 */
export function confidenceOf({ question, decision, cited, today }: ConfidenceRequest): number {
	if (cited.length === 0) return 0;
	const texts = cited.flatMap(({ text, concept }) => [text, concept.title, ...concept.aliases]);
	const covered = coverageOf(contentWords(question), contentTerms(texts.join("\n")));
	const hosts = hostsOf(cited).size;
	const independence = (hosts + 1) / (hosts + 2);
	const trust = cited.reduce((sum, { concept }) => sum + TRUST[concept.trust], 0) / cited.length;
	const part = decision === "ANSWER" ? 1 : PARTIAL;
	const age = cited.some(({ concept }) => isStale(concept.staleAfter, today)) ? STALE : 1;
	return Math.round(covered * independence * trust * part * age * 1000) / 1000;
}

/** What a reader should know of what an answer rests on, as whole sentences. */
export function limitsOf({ decision, cited, today }: Omit<ConfidenceRequest, "question">) {
	const limits: string[] = [];
	if (decision !== "ANSWER") limits.push("The corpus covers the question in part.");
	if (hostsOf(cited).size === 1) limits.push("All sources cited are of one publisher.");
	const concepts = [...new Set(cited.map(({ concept }) => concept))];
	const counted: [string, number][] = [
		["drafts", concepts.filter(({ status }) => status === "draft").length],
		["deprecated", concepts.filter(({ status }) => status === "deprecated").length],
		["not verified by anybody", concepts.filter(({ trust }) => trust === "unverified").length],
		[
			"due to be checked again",
			concepts.filter(({ staleAfter }) => isStale(staleAfter, today)).length,
		],
	];
	for (const [what, count] of counted) {
		if (count > 0) limits.push(`Of ${concepts.length} notes cited ${count} are ${what}.`);
	}
	return limits;
}

function hostsOf(cited: readonly CitedSentence[]): ReadonlySet<string> {
	const sources = cited.flatMap((sentence) => sentence.sources);
	return new Set(sources.map(({ sourceUrl }) => toArticleAddress(sourceUrl)?.host ?? sourceUrl));
}

function isStale(staleAfter: string | undefined, today: string): boolean {
	return staleAfter !== undefined && staleAfter < today;
}
