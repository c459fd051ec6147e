import type { TrustTier } from "../../../src/contract/contract.js";
import {
	type CitedSentence,
	contentWords,
	jaccard,
	normalizeName,
} from "../../../src/evidence/evidence.js";
import type { Evidence, Steps } from "../../../src/knowledge/knowledge.js";
import {
	compareClaim,
	compareReadings,
	findPublisher,
	readContext,
	readText,
	toAtomicClaim,
} from "../../verify/verify.js";
import { isSupported } from "../citation-gate.js";

/** Sentences that say the same thing; the first says it best. */
export interface FindingCluster {
	readonly sentences: readonly [CitedSentence, ...CitedSentence[]];
}

/** Share of words two sentences have in common (Jaccard) from which they say the same. */
const SAME_SHARE = 0.5;

/** Puts sentences that say the same together, in the order they were given: each joins the first cluster it is like. */
export function clusterSentences(sentences: readonly CitedSentence[]): readonly FindingCluster[] {
	const clusters: { terms: ReadonlySet<string>; sentences: [CitedSentence, ...CitedSentence[]] }[] =
		[];
	for (const sentence of sentences) {
		const terms = new Set(contentWords(sentence.text).map(([first = ""]) => first));
		const alike = clusters.find((cluster) => jaccard(terms, cluster.terms) >= SAME_SHARE);
		if (alike) alike.sentences.push(sentence);
		else clusters.push({ terms, sentences: [sentence] });
	}
	return clusters;
}

/** How far one independent source of each tier of trust is accepted by itself. */
const BELIEF: Readonly<Record<TrustTier, number>> = {
	"human-reviewed": 0.7,
	"machine-confirmed": 0.6,
	unverified: 0.5,
};
const STALE_SHARE = 0.8;
const CONTRADICTED_SHARE = 0.6;
const CONFIDENCE_MAX = 0.95;

/**
 * How well a finding is carried, 0..1: 1 − Π(1 − belief) over independent groups of its sources (noisy-or, Pearl 1988), with
 * the belief of the least trusted concept; × 0.8 where a concept is past the day it was to be checked again, × 0.6 where other evidence
 * contradicts it; at most 0.95. An order, no calibrated probability.
 */
export function confidenceOfFinding(
	{ sentences }: FindingCluster,
	{ today, isContradicted }: { readonly today: string; readonly isContradicted: boolean },
): number {
	const groups = groupSources(sentences.flatMap(({ sources }) => sources)).length;
	const belief = Math.min(...sentences.map(({ concept }) => BELIEF[concept.trust]));
	const isStale = sentences.some(({ concept }) => (concept.staleAfter ?? "9999") < today);
	const carried = 1 - (1 - belief) ** Math.max(1, groups);
	const share = (isStale ? STALE_SHARE : 1) * (isContradicted ? CONTRADICTED_SHARE : 1);
	return Math.round(Math.min(CONFIDENCE_MAX, carried * share) * 100) / 100;
}

type Pair = Pick<Contradiction, "one" | "other">;

/**
 * Clusters in which nothing denies the first sentence: what does, in the same words though it be, carries no finding of
 * that sentence and begins a cluster of its own.
 */
export function* withoutDeniers(
	clusters: readonly FindingCluster[],
	pairs: readonly Pair[],
): Steps<readonly FindingCluster[]> {
	const apart: FindingCluster[] = [];
	for (const { sentences } of clusters) {
		const [lead, ...others] = sentences;
		const same: CitedSentence[] = [];
		for (const other of others) {
			yield;
			if (areOpposed(lead, other, pairs)) apart.push({ sentences: [other] });
			else same.push(other);
		}
		apart.push({ sentences: [lead, ...same] });
	}
	return apart;
}

/** Those of a cluster that hold the words and numbers of its first sentence, that one included. */
export function carriersOf({
	sentences: [lead, ...others],
}: FindingCluster): readonly [CitedSentence, ...CitedSentence[]] {
	return [lead, ...others.filter(({ text }) => isSupported(lead.text, text))];
}

function areOpposed(one: CitedSentence, other: CitedSentence, pairs: readonly Pair[]): boolean {
	const ids = [one.evidenceId, other.evidenceId];
	const isPair = pairs.some(
		(pair) => ids.includes(pair.one.evidenceId) && ids.includes(pair.other.evidenceId),
	);
	return isPair || denies(one, other) || denies(other, one);
}

function denies({ text }: CitedSentence, claimed: CitedSentence): boolean {
	const { title, aliases } = claimed.concept;
	const names = [title, ...aliases];
	return compareClaim(toAtomicClaim(claimed.text), text, { names }).stance === "refutes";
}

/**
 * Sources in groups that count once each: those of one publisher, and copies, published under one title by several publishers.
 * Titles of fewer than four words name too many things to make copies.
 */
export function groupSources(sources: Iterable<Evidence>) {
	const byUrl = new Map([...sources].map((source) => [source.sourceUrl, source]));
	const groups = new Map<string, { publisher: string; sources: Evidence[] }>();
	for (const source of byUrl.values()) {
		const publisher = findPublisher(source).owner;
		const title = normalizeName(source.title);
		const isTelling = title.split(" ").length >= TELLING_WORDS;
		const keys = [`p ${publisher}`, ...(isTelling ? [`t ${title}`] : [])];
		const known = new Set(keys.flatMap((key) => groups.get(key) ?? []));
		const [group = { publisher, sources: [] }, ...others] = known;
		group.sources.push(source, ...others.flatMap((other) => other.sources));
		for (const key of keys) groups.set(key, group);
		if (others.length === 0) continue;
		for (const [key, other] of groups) if (others.includes(other)) groups.set(key, group);
	}
	return [...new Set(groups.values())];
}

const TELLING_WORDS = 4;

/** Two sentences that cannot both hold, as far as rules can say. */
export interface Contradiction<S extends CitedSentence = CitedSentence> {
	readonly one: S;
	readonly other: S;
	/** How sure it is that they speak of the same and differ, 0..1. */
	readonly score: number;
	/** What they differ in, as half sentences. */
	readonly reasons: readonly string[];
}

/**
 * Share of content words, numbers aside, that two sentences have in common (Jaccard) to be held against each other: sentences
 * worded otherwise speak of other sides of a thing more often than they contradict each other.
 */
const SAME_WORDS = 0.45;
const SHARED_LEAST = 3;
const SCORE_LEAST = 0.55;
/** Pairs that are compared, those that share most first come first; a comparison takes a fraction of a millisecond. */
const PAIRS_MAX = 4_000;

/**
 * Pairs of which each refutes the other by the comparator of claims (numbers with units, dates, negation, opposites,
 * quantifiers, names), surest first. Only pairs in nearly the same words are compared, PAIRS_MAX at most; what is
 * contradicted in other words is not found.
 */
export function* findContradictions<S extends CitedSentence>(
	sentences: readonly S[],
	most: number,
): Steps<readonly Contradiction<S>[]> {
	const found: Contradiction<S>[] = [];
	for (const { one, other } of comparable(sentences.map(toRead)).slice(0, PAIRS_MAX)) {
		yield;
		const contradiction = compare(one, other);
		if (contradiction) found.push(contradiction);
	}
	return found.sort((a, b) => b.score - a.score).slice(0, most);
}

type Read<S extends CitedSentence> = ReturnType<typeof toRead<S>>;

function toRead<S extends CitedSentence>(sentence: S) {
	const { text, concept } = sentence;
	const reading = readText(text);
	const terms = contentWords(text).map(([term = ""]) => term);
	return {
		sentence,
		text,
		terms: new Set(terms.filter((term) => !/^[\d.,]+$/.test(term))),
		reading,
		context: readContext({ names: [concept.title, ...concept.aliases.slice(0, 10)] }),
		/** Whom the sentence names first: as a rule, whom it speaks of. */
		subject: reading.names[0]?.text.toLowerCase(),
	};
}

/** Pairs that share enough words, those that share most first. */
function comparable<S extends CitedSentence>(read: readonly Read<S>[]) {
	return read
		.flatMap((one, place) =>
			read.slice(place + 1).map((other) => ({ one, other, shared: shareOf(one, other) })),
		)
		.filter(({ one, other, shared }) => shared >= SAME_WORDS && one.text !== other.text)
		.sort((a, b) => b.shared - a.shared);
}

function shareOf<S extends CitedSentence>(one: Read<S>, other: Read<S>): number {
	let shared = 0;
	for (const term of one.terms) if (other.terms.has(term)) shared += 1;
	return shared < SHARED_LEAST ? 0 : shared / (one.terms.size + other.terms.size - shared);
}

function compare<S extends CitedSentence>(one: Read<S>, other: Read<S>) {
	if (one.subject !== other.subject) return undefined;
	const there = compareReadings(one.reading, other.reading, other.context, []);
	if (there.stance !== "refutes" || there.score < SCORE_LEAST) return undefined;
	const back = compareReadings(other.reading, one.reading, one.context, []);
	if (back.stance !== "refutes" || back.score < SCORE_LEAST) return undefined;
	const score = Math.round(Math.min(there.score, back.score) * 100) / 100;
	return { one: one.sentence, other: other.sentence, score, reasons: there.reasons };
}
