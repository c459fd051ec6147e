import { type CitedSentence, toArticleAddress } from "../../src/evidence/evidence.js";
import { CONSULT_LIMITS } from "../experts/experts.js";
import type { Side } from "./thesis.js";

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

function verdictOf(pro: number, contra: number): Side | "open" {
	if (pro > 0 && pro >= CLEAR * contra) return "for";
	return contra > 0 && contra >= CLEAR * pro ? "against" : "open";
}

function weightOf(points: readonly DebatePoint[]): number {
	const best = new Map<string, number>();
	for (const { sentence } of points) {
		for (const { sourceUrl } of sentence.sources) {
			const source = documentOf(sourceUrl);
			best.set(source, Math.max(best.get(source) ?? 0, TRUST[sentence.concept.trust]));
		}
	}
	const sum = [...best.values()].reduce((total, trust) => total + trust, 0);
	return Math.round(sum * 1000) / 1000;
}

/** Documents that each side of a debate alone rests on at least. */
const DOCUMENTS_LEAST = 2;

/** Whether both sides have enough to be a debate, and in words what there is. */
export function surveyDebate(pro: readonly DebatePoint[], contra: readonly DebatePoint[]) {
	const [own, others] = [countDocuments(pro, contra), countDocuments(contra, pro)];
	const isDebate = Math.min(own, others) >= DOCUMENTS_LEAST;
	const found = `by marks in the text and by the judge ${describe(pro, own)} bear out what these graphs answer, and ${describe(contra, others)} speak against it`;
	const message = `No debate, and nothing is charged: ${found}; each side needs ${DOCUMENTS_LEAST} documents that the other has not. POST /v1/analysts/consult has what one analyst's graph answers.`;
	return { isDebate, message: isDebate ? null : message };
}

/** Documents of one side alone: what both sides quote sets neither against the other. */
function countDocuments(points: readonly DebatePoint[], others: readonly DebatePoint[]): number {
	const shared = documentsOf(others);
	return [...documentsOf(points)].filter((document) => !shared.has(document)).length;
}

/** One host may publish what many wrote: proposals for and against a change stand side by side in one register. */
function documentsOf(points: readonly DebatePoint[]): ReadonlySet<string> {
	const sources = points.flatMap(({ sentence }) => sentence.sources);
	return new Set(sources.map(({ sourceUrl }) => documentOf(sourceUrl)));
}

function documentOf(sourceUrl: string): string {
	return toArticleAddress(sourceUrl)?.text ?? sourceUrl;
}

function describe({ length }: readonly DebatePoint[], documents: number): string {
	return `${length} sentences of ${documents} documents of their own`;
}

/** Some of everybody's arguments, in turn, each once. */
export function inTurns(sides: readonly (readonly DebatePoint[])[]): readonly DebatePoint[] {
	const longest = Math.max(0, ...sides.map(({ length }) => length));
	const rounds = Array.from({ length: longest }, (_, round) => sides.map((side) => side[round]));
	const points = rounds.flat().filter((point) => point !== undefined);
	return points.slice(0, 2 * CONSULT_LIMITS.arguments);
}
