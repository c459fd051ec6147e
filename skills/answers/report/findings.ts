import type { TrustTier } from "../../../src/contract/contract.js";
import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	findPublisher,
	normalizeName,
} from "../../../src/evidence/evidence.js";
import type { Evidence } from "../../../src/knowledge/knowledge.js";
import type { PairJudge } from "../../../src/search/search.js";
import { type Denial, findDenials } from "./denials.js";

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
	{ sentences }: { readonly sentences: readonly CitedSentence[] },
	{ today, isContradicted }: { readonly today: string; readonly isContradicted: boolean },
): number {
	const groups = groupSources(sentences.flatMap(({ sources }) => sources)).length;
	const belief = Math.min(...sentences.map(({ concept }) => BELIEF[concept.trust]));
	const isStale = sentences.some(({ concept }) => (concept.staleAfter ?? "9999") < today);
	const carried = 1 - (1 - belief) ** Math.max(1, groups);
	const share = (isStale ? STALE_SHARE : 1) * (isContradicted ? CONTRADICTED_SHARE : 1);
	return Math.round(Math.min(CONFIDENCE_MAX, carried * share) * 100) / 100;
}

/** Share of a sentence's content words that another must hold to carry it. */
const CARRIED_SHARE = 0.6;
const DIGITS = /\d+(?:[.,]\d+)*/g;
const NEGATION =
	/\b(?:not|no|never|none|nor|neither|nobody|nothing|nowhere|cannot|without|hardly|barely|fails? to)\b|n['’]t\b/i;

/** Whether a text's words, numbers and negation are those of another. */
export function isSupported(text: string, evidence: string): boolean {
	const words = contentWords(text);
	if (words.length === 0) return false;
	if (coverageOf(words, contentTerms(evidence)) < CARRIED_SHARE) return false;
	const numbers = new Set(evidence.match(DIGITS) ?? []);
	if ((text.match(DIGITS) ?? []).some((number) => !numbers.has(number))) return false;
	return NEGATION.test(text) === NEGATION.test(evidence);
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

/**
 * Share of content words, numbers aside, that two sentences have in common (Jaccard) to be held against each other: sentences
 * worded otherwise speak of other sides of a thing more often than they contradict each other.
 */
const SAME_WORDS = 0.45;
const SHARED_LEAST = 3;

/**
 * Pairs of which each denies the other as the judge reads them, surest first; none without a judge. Only pairs in nearly the same
 * words are read, those that share most first; what is contradicted in other words is not found.
 */
export function findContradictions<S extends CitedSentence>(
	judge: PairJudge | undefined,
	sentences: readonly S[],
	signal: AbortSignal,
): Promise<readonly Denial<S>[]> {
	const read = sentences.map((sentence) => {
		const terms = contentWords(sentence.text).map(([term = ""]) => term);
		return { sentence, terms: new Set(terms.filter((term) => !/^[\d.,]+$/.test(term))) };
	});
	const pairs = read
		.flatMap(({ sentence: one, terms }, place) =>
			read.slice(place + 1).map((other) => {
				return { one, other: other.sentence, shared: shareOf(terms, other.terms) };
			}),
		)
		.filter(({ one, other, shared }) => shared >= SAME_WORDS && one.text !== other.text)
		.sort((a, b) => b.shared - a.shared);
	return findDenials(judge, pairs, signal);
}

function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
	let shared = 0;
	for (const term of one) if (other.has(term)) shared += 1;
	return shared < SHARED_LEAST ? 0 : shared / (one.size + other.size - shared);
}
