import { groupSources } from "../answers/answers.js";
import { BRAND_LIMITS } from "./brand-limits.js";
import { toneOf } from "./brand-tone.js";
import type { DatedMention } from "./brand-window.js";

export type RiskKind = "security" | "legal" | "lifecycle" | "operations";

/** A sentence that speaks of a danger, word for word. */
export interface BrandRisk {
	readonly kind: RiskKind;
	readonly mention: DatedMention;
	readonly sourcesIndependent: number;
}

const KINDS: readonly (readonly [kind: RiskKind, words: RegExp])[] = [
	[
		"security",
		/\b(?:vulnerab|exploit|ransomware|malware|attack|breach|overflow|injection|insecure|compromis|zero-day|spoof|phish|backdoor)/i,
	],
	[
		"legal",
		/\b(?:lawsuit|sued|fined|penalt|antitrust|infring|sanction|regulator|unlawful|illegal)/i,
	],
	[
		"lifecycle",
		/\b(?:deprecat|end of life|end-of-life|obsolet|discontinu|abandon|withdrawn|sunset|retired)/i,
	],
	["operations", /\b(?:outage|downtime|recall|shortage|delayed|incident|failure|data loss|crash)/i],
];

/**
 * Sentences with a word of danger whose tone is not positive: what says that there is no such thing is turned around by its
 * negation. By independent sources, then newest first.
 */
export function findRisks(mentions: readonly DatedMention[]): readonly BrandRisk[] {
	const risks: BrandRisk[] = [];
	const told = new Set<string>();
	for (const mention of mentions) {
		if (!mention.isRead) continue;
		const { text } = mention.sentence;
		const kind = KINDS.find(([, words]) => words.test(text))?.[0];
		if (!kind || told.has(text) || toneOf(text) === "positive") continue;
		told.add(text);
		risks.push({ kind, mention, sourcesIndependent: groupSources(mention.sources).length });
	}
	return risks
		.sort((a, b) => b.sourcesIndependent - a.sourcesIndependent)
		.slice(0, BRAND_LIMITS.risksTold);
}
