import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
} from "../../src/evidence/evidence.js";
import { runInTurns } from "../../src/knowledge/knowledge.js";
import { compareClaim, toAtomicClaim } from "../verify/verify.js";
import { CONSULT_LIMITS } from "./consult-wire.js";

/** One sentence that an answer rests on, and whose answer. */
export interface Point {
	readonly by: string;
	readonly sentence: CitedSentence;
}

/** From this on one sentence bears another out, or denies it. */
const SURE_LEAST = 0.7;
/** Share of the content words of either sentence that the other holds, and how many at least, to say the same. */
const SAME_SHARE = 0.6;
const SAME_WORDS = 4;
/** Share below which two sentences are about different things. */
const NEAR = 0.3;

/** Compares what different people say, by the rules that claims are checked by. */
export function findAgreement(points: readonly Point[], signal?: AbortSignal) {
	return runInTurns(agreementOf(points), signal);
}

function* agreementOf(points: readonly Point[]) {
	const read: ReadPoint[] = [];
	for (const point of points) {
		yield;
		read.push(readPoint(point));
	}
	const contradictions: { one: Point; other: Point; reasons: readonly string[] }[] = [];
	const groups = new Map<ReadPoint, Set<ReadPoint>>(read.map((point) => [point, new Set([point])]));
	for (const [one, other] of pairsOf(read)) {
		yield;
		const { relation, reasons } = relate(one, other);
		if (relation === "contradicts") contradictions.push({ one, other, reasons });
		else if (relation === "agrees") join(groups, one, other);
	}
	const all = [...new Set(groups.values())];
	const shared = all.filter((group) => group.size > 1).map((group) => ({ points: [...group] }));
	const disputed = new Set(contradictions.flatMap(({ one, other }) => [one, other]));
	const single = all.flatMap((group) => {
		const [only] = group;
		return only && group.size === 1 && !disputed.has(only) ? [only] : [];
	});
	const most = CONSULT_LIMITS.agreementPoints;
	return {
		/** What several say, each in their own words. */
		shared: shared.slice(0, most),
		contradictions: contradictions.slice(0, most),
		/** What one alone says. */
		single: evenly(single, most),
	};
}

type ReadPoint = ReturnType<typeof readPoint>;

function readPoint(point: Point) {
	const { text } = point.sentence;
	return {
		...point,
		claim: toAtomicClaim(text),
		words: contentWords(text),
		terms: contentTerms(text),
	};
}

/** Points of different people, each two once, that are about the same. */
function* pairsOf(points: readonly ReadPoint[]): Iterable<readonly [ReadPoint, ReadPoint]> {
	for (const [index, one] of points.entries()) {
		for (const other of points.slice(index + 1)) {
			if (one.by !== other.by && speakOfTheSame(one, other)) yield [one, other];
		}
	}
}

/** A denial in either direction counts before anything else. */
function relate(one: ReadPoint, other: ReadPoint) {
	const compared = [compare(one, other), compare(other, one)];
	const sure = compared.filter(({ score }) => score >= SURE_LEAST);
	const denial = sure.find(({ stance }) => stance === "refutes");
	if (denial) return { relation: "contradicts", reasons: denial.reasons } as const;
	const agrees = sure.some(({ stance }) => stance === "supports") || saysTheSame(one, other);
	return { relation: agrees ? "agrees" : "neither", reasons: [] } as const;
}

function compare({ claim }: ReadPoint, { sentence: { text, concept } }: ReadPoint) {
	return compareClaim(claim, text, { names: [concept.title, ...concept.aliases] });
}

/** What shares next to nothing is not compared any further. */
function speakOfTheSame(one: ReadPoint, other: ReadPoint): boolean {
	return Math.max(coverageOf(one.words, other.terms), coverageOf(other.words, one.terms)) >= NEAR;
}

function saysTheSame(one: ReadPoint, other: ReadPoint): boolean {
	const [shorter, longer] = one.words.length <= other.words.length ? [one, other] : [other, one];
	return (
		shorter.words.length >= SAME_WORDS && coverageOf(shorter.words, longer.terms) >= SAME_SHARE
	);
}

function join(groups: Map<ReadPoint, Set<ReadPoint>>, one: ReadPoint, other: ReadPoint): void {
	const joined = new Set([...(groups.get(one) ?? []), ...(groups.get(other) ?? [])]);
	for (const point of joined) groups.set(point, joined);
}

/** Some of everybody's, in turn. */
function evenly(points: readonly Point[], most: number): readonly Point[] {
	const seen = new Map<string, number>();
	return points
		.map((point) => {
			const turn = seen.get(point.by) ?? 0;
			seen.set(point.by, turn + 1);
			return { point, turn };
		})
		.sort((a, b) => a.turn - b.turn)
		.slice(0, most)
		.map(({ point }) => point);
}
