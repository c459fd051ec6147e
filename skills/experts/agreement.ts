import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	titled,
} from "../../src/evidence/evidence.js";
import { type PairJudge, readPairs } from "../../src/search/search.js";
import { findDenials } from "../answers/answers.js";
import { objectToSupport, readFacts } from "../verify/verify.js";
import { CONSULT_LIMITS } from "./consult-wire.js";

/** One sentence that an answer rests on, and whose answer. */
export interface Point {
	readonly by: string;
	readonly sentence: CitedSentence;
}

/** From which reading on, of either in the other, two sentences say the same; pairs that are read. */
const AGREED_LEAST = 0.8;
const PAIRS_MAX = 48;
/** Share below which two sentences are about different things. */
const NEAR = 0.3;

/** Compares what different people say. Without a judge no one is known to agree with another, or to contradict them. */
export async function findAgreement(
	points: readonly Point[],
	{ judge, signal }: { readonly judge: PairJudge | undefined; readonly signal: AbortSignal },
) {
	const read = points.map(readPoint);
	const near = pairsOf(read);
	const bySentences = new Map(near.map((pair) => [keyOf(pair.one, pair.other), pair]));
	const sentences = near.map(({ one, other }) => {
		return { one: one.sentence, other: other.sentence };
	});
	const denials = await findDenials(judge, sentences, signal);
	const contradictions: { one: Point; other: Point; reasons: readonly string[] }[] = [];
	const groups = new Map<ReadPoint, Set<ReadPoint>>(read.map((point) => [point, new Set([point])]));
	for (const { one, other, reasons } of denials) {
		const pair = bySentences.get(keyOf({ sentence: one }, { sentence: other }));
		if (pair) contradictions.push({ one: pair.one, other: pair.other, reasons });
	}
	const denied = new Set(contradictions.map(({ one, other }) => keyOf(one, other)));
	for (const { one, other } of await findAgreed(near, { judge, signal })) {
		if (!denied.has(keyOf(one, other))) join(groups, one, other);
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
type NearPair = ReturnType<typeof pairsOf>[number];

function readPoint(point: Point) {
	const { text } = point.sentence;
	return { ...point, words: contentWords(text), terms: contentTerms(text) };
}

function keyOf(one: Pick<Point, "sentence">, other: Pick<Point, "sentence">): string {
	return `${one.sentence.evidenceId} ${other.sentence.evidenceId}`;
}

/** Points of different people, each two once, that are about the same; those nearest to each other come first. */
function pairsOf(points: readonly ReadPoint[]) {
	return points
		.flatMap((one, index) =>
			points
				.slice(index + 1)
				.filter(({ by }) => by !== one.by)
				.map((other) => ({ one, other, shared: sharedOf(one, other) })),
		)
		.filter(({ shared }) => shared >= NEAR)
		.sort((a, b) => b.shared - a.shared);
}

/** What shares next to nothing is not compared any further. */
function sharedOf(one: ReadPoint, other: ReadPoint): number {
	return Math.max(coverageOf(one.words, other.terms), coverageOf(other.words, one.terms));
}

/** Pairs of which each bears the other out, as the judge reads them both ways; none without a judge. */
async function findAgreed(
	near: readonly NearPair[],
	{ judge, signal }: { readonly judge: PairJudge | undefined; readonly signal: AbortSignal },
): Promise<readonly NearPair[]> {
	const asked = near.slice(0, PAIRS_MAX);
	const toPair = (one: ReadPoint, { sentence: { concept, text } }: ReadPoint) => {
		return { text: one.sentence.text, passage: titled([concept.title], [text]) };
	};
	const both = asked.flatMap(({ one, other }) => [toPair(one, other), toPair(other, one)]);
	const { readings } = await readPairs(judge, both, signal);
	const objects = ({ sentence: one }: ReadPoint, { sentence: other }: ReadPoint) =>
		objectToSupport(
			readFacts(one.text),
			readFacts([other.text, other.concept.title, ...other.concept.aliases].join(" ; ")),
		) !== undefined;
	return asked.filter(({ one, other }, at) => {
		const [there, back] = [readings?.[2 * at], readings?.[2 * at + 1]];
		const isBorneOut = Math.min(there?.supports ?? 0, back?.supports ?? 0) >= AGREED_LEAST;
		return isBorneOut && !objects(one, other) && !objects(other, one);
	});
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
