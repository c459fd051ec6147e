import type { Concept, Edge } from "../../src/knowledge/knowledge.js";

/** Which side of a question a sentence speaks for. */
export type Side = "for" | "against" | "open";

const FOR =
	/\b(?:accepted|adopted|approved|arrived|final|landed|released|stable|shipped|merged|available|supported|standardi[sz]ed|supports?|enables?|allows?|gains?|improves?|improved|faster|cheaper|safer|simpler|safe|fixes|solves?|benefits?|advantages?|guarantees?|guaranteed|succeeded|widely|makes it (?:easy|easier|cheap|possible)|saves?|without (?:breaking|cost|overhead))\b|^for\b/gi;
const AGAINST =
	/\b(?:rejected|rejection|withdrawn|refused|objections?|deprecated|(?:was|were|been|being|is|are|be) removed|superseded|abandoned|breaks?|broke|breaking|too costly|slower|slows?|problems?|lacks?|cannot|risks?|harder|limits?|limited|fails?|failed|failure|leaks?|unsafe|insecure|drawbacks?|criticism|criticised|too (?:late|slow|complex|many|much)|incompatib\w+|harm)\b|^against\b/gi;
/** Outcomes count twice: what became of something says more than what was hoped or feared of it. */
const DECIDED_FOR = /\b(?:accepted|adopted|approved|final|shipped|merged|standardi[sz]ed)\b/gi;
const DECIDED_AGAINST =
	/\b(?:rejected|rejection|withdrawn|refused|deprecated|(?:was|were|been|being|is|are|be) removed|superseded|abandoned)\b/gi;
const OPEN =
	/\b(?:drafts?|unresolved|unclear|undecided|not yet|remains? (?:open|to be|a|an|under)|pending|deferred|under discussion|unknown|no decision|open questions?|provisional|experimental|whether|proposes?|proposed|still)\b|\?$/i;
/** A negation right before a word turns it around: "was not rejected", "no longer breaks". */
const TURNED = /\b(?:not|no|never|without|no longer|nothing)\s+(?:\w+\s+)?$/i;

/** Edges by which what a concept says counts for, or against, the concept it is linked with. */
const RELATIONS: Readonly<Record<string, number>> = {
	supports: 1,
	enables: 1,
	motivates: 1,
	"illustrated-by": 1,
	contradicts: -1,
	opposes: -1,
	constrains: -1,
	"replaced-by": -1,
	"superseded-by": -1,
};

export interface SidedText {
	readonly text: string;
	readonly concept: Concept;
}

/**
 * Which side a sentence speaks for: words of success against words of failure, each turned around by a negation right before
 * it, then how its concept is linked with the one asked about, then whether it is deprecated or a draft. Undefined where
 * nothing tells.
 */
export function sideOf({ text, concept }: SidedText, lead: Concept | undefined): Side | undefined {
	const balance =
		count(text, FOR, AGAINST) -
		count(text, AGAINST, FOR) +
		count(text, DECIDED_FOR, DECIDED_AGAINST) -
		count(text, DECIDED_AGAINST, DECIDED_FOR);
	if (balance !== 0) return balance > 0 ? "for" : "against";
	if (OPEN.test(text)) return "open";
	const linked = lead === undefined || lead === concept ? 0 : linkOf(concept, lead);
	if (linked !== 0) return linked > 0 ? "for" : "against";
	if (concept.status === "deprecated") return "against";
	return concept.status === "draft" ? "open" : undefined;
}

function count(text: string, words: RegExp, opposite: RegExp): number {
	const plain = [...text.matchAll(words)].filter(({ index }) => !isTurned(text, index)).length;
	const turned = [...text.matchAll(opposite)].filter(({ index }) => isTurned(text, index)).length;
	return plain + turned;
}

function isTurned(text: string, index: number): boolean {
	return TURNED.test(text.slice(Math.max(0, index - 30), index));
}

function linkOf(concept: Concept, lead: Concept): number {
	const out = concept.edges.filter(({ target }) => target === lead.id);
	const back = lead.edges.filter(({ target }) => target === concept.id);
	return [...out, ...back].reduce((sum, { type }: Edge) => sum + (RELATIONS[type] ?? 0), 0);
}
