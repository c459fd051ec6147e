import { isAnswered, type PassContext, type SkillServices } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	toCitedSentences,
} from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import {
	type Graph,
	type GraphCatalog,
	runInTurns,
	type Steps,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { chooseSentences, findDenials } from "../answers/answers.js";
import type { Feeds } from "../feeds/feeds.js";
import { findNeighbors, graphMaps } from "../graphs/graphs.js";
import { createClaimVerifier, extractClaims } from "../verify/verify.js";
import {
	type CheckedSentence,
	conceptOf,
	type DeepDiveMode,
	type DeepDiveState,
	evidenceOf,
	type FoundConcept,
	type FoundContradiction,
	mergeBy,
	type ReadSentence,
	subjectOf,
} from "./plan.js";

export type ResearchServices = Pick<SkillServices, "search" | "catalog" | "clock">;

/** Concepts looked at for each aspect; concepts and sentences remembered in all; concepts whose surroundings are followed. */
const LIMITS = {
	fast: { perAspect: 8, concepts: 40, sentences: 200, followed: 6 },
	comprehensive: { perAspect: 15, concepts: 120, sentences: 500, followed: 20 },
} as const;

/** Concepts for the aspects of the plan from one place to another. */
export async function searchAspects(
	{ search, catalog }: ResearchServices,
	state: DeepDiveState,
	{
		aspects: [from, to],
		signal,
		emit,
	}: { readonly aspects: readonly [number, number?] } & Pick<PassContext, "signal" | "emit">,
): Promise<DeepDiveState> {
	const { perAspect: limit, concepts } = LIMITS[state.input.mode];
	const graphs = graphsOf(catalog, state);
	let { found, mode } = state;
	const answered = new Set(state.answered);
	const aspects = (state.plan?.aspects ?? []).map(({ question }, place) => ({ question, place }));
	for (const { question, place } of aspects.slice(from, to)) {
		signal.throwIfAborted();
		const outcome = await search.find({ graphs, query: question, limit, signal });
		mode = mode === "keyword" ? mode : outcome.mode;
		const rows = isAnswered(outcome.decision) ? outcome.rows : [];
		const now = rows.map(({ graph, concept, score }) => ({
			trendId: toTrendId(graph.record.id, concept.id),
			score,
			aspects: [place],
		}));
		emit({ event: "research.search", data: { question, concepts: now.length } });
		if (now.length > 0) answered.add(place);
		found = mergeBy(({ trendId }) => trendId, [...found, ...now], concepts);
	}
	return { ...state, found, answered: [...answered], ...(mode && { mode }) };
}

/** The sentences of what was found and not read yet, rated for the question and the aspect each bears on most. */
export async function readFound(
	{ catalog }: ResearchServices,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	const read = new Set(state.readConcepts);
	const unread = state.found.filter(({ trendId }) => !read.has(trendId));
	const { sentences: limit } = LIMITS[state.input.mode];
	const now = await runInTurns(rateSentences(catalog, state, unread), signal);
	return {
		...state,
		readConcepts: [...state.readConcepts, ...unread.map(({ trendId }) => trendId)],
		sentences: mergeBy(({ evidenceId }) => evidenceId, [...state.sentences, ...now], limit),
	};
}

/** How much the question's own words count in a sentence, its aspect's, and how well its concept was found. */
const WEIGHTS = { question: 0.4, aspect: 0.25, concept: 0.35 } as const;

function* rateSentences(
	catalog: GraphCatalog,
	{ input, plan }: DeepDiveState,
	concepts: readonly FoundConcept[],
): Steps<readonly ReadSentence[]> {
	const asked = contentWords(input.query);
	const aspects = (plan?.aspects ?? []).map(({ question }) => contentWords(question));
	const rated: ReadSentence[] = [];
	for (const found of concepts) {
		yield;
		const known = conceptOf(catalog, found.trendId);
		if (!known) continue;
		const title = contentTerms(known.concept.title);
		for (const { evidenceId, text } of toCitedSentences(known.graph, known.concept)) {
			const terms = new Set([...contentTerms(text), ...title]);
			const covered = found.aspects.map((place) => coverageOf(aspects[place] ?? [], terms));
			const score =
				WEIGHTS.question * coverageOf(asked, terms) +
				WEIGHTS.aspect * Math.max(0, ...covered) +
				WEIGHTS.concept * found.score;
			rated.push({ evidenceId, score, aspects: found.aspects });
		}
	}
	return rated;
}

/** What a neighbor's score loses with each edge. */
const STEP_SHARE = 0.5;
const NEIGHBORS_EACH = 6;

/** Concepts around the best ones, along the edges of their graphs. */
export async function followGraph(
	{ catalog }: ResearchServices,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	const limits = LIMITS[state.input.mode];
	const around: FoundConcept[] = [];
	for (const { trendId, score, aspects } of state.found.slice(0, limits.followed)) {
		signal.throwIfAborted();
		const known = conceptOf(catalog, trendId);
		if (!known) continue;
		await graphMaps.ready(known.graph);
		const reach = { depth: 1, limit: NEIGHBORS_EACH, direction: "both" } as const;
		const near = findNeighbors(known.graph, known.concept.id, reach);
		for (const { concept, weight } of near.items) {
			const id = toTrendId(known.graph.record.id, concept.id);
			around.push({ trendId: id, score: score * STEP_SHARE * Math.min(1, weight), aspects });
		}
	}
	const found = mergeBy(({ trendId }) => trendId, [...state.found, ...around], limits.concepts);
	return { ...state, found };
}

/** Where a deep dive looks: the graphs it is confined to, else those of its plan, else all. */
export function graphsOf(catalog: GraphCatalog, { input, plan }: DeepDiveState): readonly Graph[] {
	if (input.graphs) return input.graphs.flatMap((id) => catalog.find(id) ?? []);
	const planned = (plan?.graphIds ?? []).flatMap((id) => catalog.find(id) ?? []);
	return planned.length > 0 ? planned : catalog.list();
}

/** Sentences that the report will rest on, and are therefore doubted. */
const KEY_SENTENCES: Readonly<Record<DeepDiveMode, number>> = { fast: 12, comprehensive: 36 };
const VERIFIED: Readonly<Record<DeepDiveMode, number>> = { fast: 0, comprehensive: 16 };
/** Concepts in which a sentence's opposite is looked for. */
const OPPONENTS = 6;
/** Sentences that a key sentence is read beside, those that share most words with it. */
const OPPONENT_SENTENCES = 8;
const CONTRADICTIONS_MAX = 20;

/** Looks for what speaks against each key sentence, anywhere in the graphs the question is asked of; without a judge nothing does. */
export async function challengeFindings(
	{ search, catalog }: ResearchServices,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	const graphs = graphsOf(catalog, state);
	const found = new Map<string, FoundContradiction>();
	for (const key of keySentences(catalog, state, KEY_SENTENCES[state.input.mode])) {
		signal.throwIfAborted();
		const asked = { graphs, query: key.text, limit: OPPONENTS, signal };
		// What is found is read beside the sentence later.
		const { rows } = await search.find({ ...asked, effort: "fast" });
		const others = rows.flatMap(({ graph, concept }) => toCitedSentences(graph, concept));
		const pairs = opponentsOf(key, others).map((other) => ({ one: key, other }));
		for (const { one, other, reasons } of await findDenials(search.judge, pairs, signal)) {
			const ids = { one: one.evidenceId, other: other.evidenceId };
			found.set([ids.one, ids.other].sort().join("\n"), { ...ids, reasons });
		}
	}
	return { ...state, contradictions: [...found.values()].slice(0, CONTRADICTIONS_MAX) };
}

/** Which of the others might deny a sentence. */
function opponentsOf(
	key: CitedSentence,
	others: readonly CitedSentence[],
): readonly CitedSentence[] {
	const [claim] = extractClaims(key.text);
	if (claim?.kind !== "checkable") return [];
	const words = contentWords(key.text);
	return others
		.filter((other) => !isOfOneAccount(other, key) && speaksOf(other, key))
		.map((other) => ({ other, shared: coverageOf(words, contentTerms(other.text)) }))
		.sort((a, b) => b.shared - a.shared)
		.slice(0, OPPONENT_SENTENCES)
		.map(({ other }) => other);
}

/** Has the key sentences checked as claims, so that the report can say how many sources carry each. */
export async function verifyFindings(
	deps: ResearchServices,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	const verifier = createClaimVerifier(deps);
	const graphs = graphsOf(deps.catalog, state);
	const checked: CheckedSentence[] = [];
	const asOf = state.asOf.slice(0, 10);
	for (const key of keySentences(deps.catalog, state, VERIFIED[state.input.mode])) {
		const { evidenceId, text: claim } = key;
		const verified = await verifier.verify({ claim, asOf, graphs, signal });
		const { verdict, confidence, independentGroups } = verified;
		checked.push({ evidenceId, verdict, confidence, independentGroups });
	}
	return { ...state, checked };
}

/** The sentences that say most about the question, and least of the same. */
function keySentences(
	catalog: GraphCatalog,
	{ sentences, input }: DeepDiveState,
	sentencesMax: number,
): readonly CitedSentence[] {
	const offered = evidenceOf(catalog, sentences.slice(0, 4 * sentencesMax));
	return chooseSentences({ question: input.query, offered, sentencesMax });
}

/** What one note says twice, or two notes say after one source, are parts of one account and no contradiction. */
function isOfOneAccount(other: CitedSentence, key: CitedSentence): boolean {
	if (other.concept === key.concept || other.text === key.text) return true;
	const urls = new Set(key.sources.map(({ sourceUrl }) => sourceUrl));
	return other.sources.some(({ sourceUrl }) => urls.has(sourceUrl));
}

/** Sentences leave out what they are about: only what is said of the same thing can deny one. */
function speaksOf(other: CitedSentence, { concept }: CitedSentence): boolean {
	if (other.concept === concept || other.concept.title === concept.title) return true;
	const terms = contentTerms(`${other.concept.title}\n${other.text}`);
	return [concept.title, ...concept.aliases].some((name) => {
		const words = contentWords(name);
		return words.length > 0 && coverageOf(words, terms) === 1;
	});
}

/** Where numbers from outside the graphs come from, as far as a deep dive looks. */
export type FeedObserver = Pick<Feeds, "suggest" | "observe">;

const FEEDS_MAX = 6;
const OBSERVATIONS_EACH = 12;

/** Observations of the feeds that were asked for and of those that bear on the question; without feeds there are none. */
export async function readFeeds(
	feeds: FeedObserver | undefined,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	const { query, feeds: asked = [] } = state.input;
	if (!feeds || state.found.length === 0) return state;
	const suggested = await feeds.suggest(subjectOf(query), FEEDS_MAX);
	const feedIds = [...new Set([...asked, ...suggested.map(({ feed }) => feed.id)])];
	if (feedIds.length === 0) return state;
	signal.throwIfAborted();
	try {
		const observed = await feeds.observe({ feedIds, limit: OBSERVATIONS_EACH });
		return { ...state, supplemental: observed.feeds, skippedFeeds: observed.skipped };
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		// A feed that was dropped from the registry since the job began costs the report its numbers, not the report.
		const reason = error.message;
		return { ...state, skippedFeeds: feedIds.map((feed_id) => ({ feed_id, reason })) };
	}
}
