import { type CitedSentence, toArticleAddress } from "../../src/evidence/evidence.js";
import type { Concept, Edge } from "../../src/knowledge/knowledge.js";
import { CONSULT_LIMITS } from "../experts/experts.js";

/** One argument and whose graph it is from. */
export interface DebatePoint {
	/** Id of the analyst's graph. */
	readonly by: string;
	readonly sentence: CitedSentence;
}

const TRUST = { "human-reviewed": 1, "machine-confirmed": 0.9, unverified: 0.75 } as const;
/** How much one side must outweigh the other. */
const CLEAR = 1.25;
const REASONS = 4;

export const DEBATE_METHOD = `A side weighs the sum over its distinct sources of the best trust of what cites them (human-reviewed 1, machine-confirmed 0.9, unverified 0.75); it wins with at least ${CLEAR} times the other's weight, else the question is open.`;

/** Judges by what either side rests on, see DEBATE_METHOD; reasons are those that rest on most. */
export function judgeDebate(pro: readonly DebatePoint[], contra: readonly DebatePoint[]) {
	const [weightFor, weightAgainst] = [weightOf(pro), weightOf(contra)];
	const verdict = verdictOf(weightFor, weightAgainst);
	const strongest = (points: readonly DebatePoint[]) =>
		[...points].sort((a, b) => weightOf([b]) - weightOf([a])).slice(0, REASONS / 2);
	const reasonsFor = strongest(pro).map((point) => ({ ...point, side: "for" as const }));
	const reasonsAgainst = strongest(contra).map((point) => ({ ...point, side: "against" as const }));
	// The winner's in front.
	const reasons =
		verdict === "against" ? [...reasonsAgainst, ...reasonsFor] : [...reasonsFor, ...reasonsAgainst];
	return { verdict, weightFor, weightAgainst, reasons };
}

function verdictOf(pro: number, contra: number): Side {
	if (pro > 0 && pro >= CLEAR * contra) return "for";
	return contra > 0 && contra >= CLEAR * pro ? "against" : "open";
}

function weightOf(points: readonly DebatePoint[]): number {
	const best = new Map<string, number>();
	for (const { sentence } of points) {
		for (const { sourceUrl } of sentence.sources) {
			const source = toArticleAddress(sourceUrl)?.text ?? sourceUrl;
			best.set(source, Math.max(best.get(source) ?? 0, TRUST[sentence.concept.trust]));
		}
	}
	const sum = [...best.values()].reduce((total, trust) => total + trust, 0);
	return Math.round(sum * 1000) / 1000;
}

/** Some of everybody's arguments, in turn, each once. */
export function inTurns(sides: readonly (readonly DebatePoint[])[]): readonly DebatePoint[] {
	const longest = Math.max(0, ...sides.map(({ length }) => length));
	const rounds = Array.from({ length: longest }, (_, round) => sides.map((side) => side[round]));
	const points = rounds.flat().filter((point) => point !== undefined);
	return points.slice(0, 2 * CONSULT_LIMITS.arguments);
}

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

/**
 * Which side a sentence speaks for: words of success against words of failure, each turned around by a negation right before
 * it, then how its concept is linked with the one asked about, then whether it is deprecated or a draft. Undefined where
 * none of these says.
 */
export function sideOf(
	{ text, concept }: Pick<CitedSentence, "text" | "concept">,
	lead: Concept | undefined,
): Side | undefined {
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
