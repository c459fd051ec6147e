import type { TimeFrame } from "../../../src/contract/contract.js";
import type { CitedSentence } from "../../../src/evidence/evidence.js";
import { toDayNumber } from "./date-spans.js";
import type { AtomicClaim, EvidenceStance } from "./verification.js";

/** What says that something was replaced or is over. */
const OVER =
	/\b(?:obsoletes?|obsoleted|supersedes?|superseded|replaces?|replaced|withdrawn|deprecate[sd]|deprecation|retired|removed|abolish(?:es|ed)?|no longer|used to|formerly|originally|until|dropped|ended|ends|discontinued|maintenance mode|end of life|since then|restricts?|restricted|abandoned)\b/i;

/** What the clock says to a claim and its evidence. */
export interface TimeReport {
	readonly time: TimeFrame;
	/** A whole sentence. */
	readonly reason: string;
}

/**
 * Places a claim in time: FUTURE when its dates are behind `asOf`, OUTDATED when what speaks for the verdict says that it
 * was so and is no more, or is past its own date, CURRENT when sources are dated, else UNDATED.
 */
export function judgeTime(
	claim: AtomicClaim,
	bearing: readonly EvidenceStance[],
	asOf: string,
): TimeReport {
	const today = toDayNumber(asOf);
	if (claim.dates.length > 0 && claim.dates.every(({ from }) => from > today)) {
		return { time: "FUTURE", reason: `The claim speaks of a time behind ${asOf}.` };
	}
	const stale = bearing.map(({ sentence }) => staleReason(sentence, asOf)).find((why) => why);
	if (stale && bearing.every(({ sentence }) => staleReason(sentence, asOf))) {
		return { time: "OUTDATED", reason: stale };
	}
	const changed = bearing.find(
		({ stance, sentence }) => stance === "refutes" && OVER.test(sentence.text),
	);
	if (changed && claim.dates.length === 0) {
		return { time: "OUTDATED", reason: "What refutes it tells that this was so and has changed." };
	}
	const dated = bearing.flatMap(({ sentence }) =>
		sentence.sources.flatMap(({ publishedAt }) => publishedAt ?? []),
	);
	const newest = dated.sort().at(-1);
	if (newest === undefined)
		return { time: "UNDATED", reason: "Nothing that bears on it is dated." };
	return { time: "CURRENT", reason: `The newest source that bears on it is of ${newest}.` };
}

/** Why a sentence's concept may not speak of now. */
function staleReason({ concept, graph }: CitedSentence, asOf: string): string | undefined {
	if (concept.status === "deprecated")
		return `"${concept.title}" is marked deprecated in its graph.`;
	if (concept.staleAfter !== undefined && concept.staleAfter < asOf) {
		return `"${concept.title}" asked to be checked again after ${concept.staleAfter}.`;
	}
	const ended = concept.edges.filter(({ validTo }) => validTo !== undefined && validTo < asOf);
	const isOver = concept.edges.length > 0 && ended.length === concept.edges.length;
	return isOver
		? `All that "${concept.title}" links to in ${graph.record.id} was valid until before ${asOf}.`
		: undefined;
}
