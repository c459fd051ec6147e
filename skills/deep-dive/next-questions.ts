import { truncateText } from "../../src/documents/documents.js";
import { contentTerms, contentWords, coverageOf, titled } from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import {
	type Concept,
	type Graph,
	restOfTurn,
	runInTurns,
	type Steps,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { type JudgedSearch, tokenize } from "../../src/search/search.js";
import { cosineOf, type QuestionPart, type ScoredPassage } from "../answers/answers.js";
import { findCalled } from "../entities/entities.js";
import { findNeighbors, graphMaps } from "../graphs/graphs.js";
import type { DeepDiveState, QuestionOrigin, RaisedQuestion } from "./dive-state.js";

/** How near to the question of the dive a next one must be, and from where on it repeats one that was asked: cosines. */
const RELEVANT_LEAST = 0.35;
const REPEATED_FROM = 0.9;
/** Without an encoder: share of the question's words that what is asked about has, and of each other's from which two ask the same. */
const WORDS_LEAST = 0.3;
/** The likeliest passages, in which names are looked for. */
const NAMING_PASSAGES = 40;
/** Passages that must have a name for it to be asked about. */
const NAMED_LEAST = 2;
/** From which likelihood on what a passage's concept is linked to is asked about, and what it says is doubted. */
const LINKED_LEAST = 0.3;
const NEIGHBORS_EACH = 6;
const CLAIM_CHARS = 160;
/** What a concept that was found already counts: its passages were read. */
const FOUND_SHARE = 0.5;
/** Questions of each origin that are compared with the question of the dive, for each that is wanted. */
const COMPARED_EACH = 2;

interface NextRequest {
	readonly graphs: readonly Graph[];
	/** Of the question of the dive, itself first. */
	readonly parts: readonly QuestionPart[];
	/** What was judged, the likeliest first. */
	readonly passages: readonly ScoredPassage[];
	/** At most. */
	readonly wanted: number;
	readonly signal: AbortSignal;
}

/** A question that may be asked next, with the text that says what it asks about. */
interface Askable extends Omit<RaisedQuestion, "relevance"> {
	readonly matter: string;
	readonly score: number;
}

/** In turn one of each: what is open first, then names, links and doubts. */
const ORIGINS: readonly QuestionOrigin[] = ["gap", "name", "link", "counter"];

/** The questions that what was found so far raises; each asks about something near the question of the dive, and none asks the same again. */
export async function findNextQuestions(
	search: Pick<JudgedSearch, "embedder">,
	state: DeepDiveState,
	request: NextRequest,
): Promise<readonly RaisedQuestion[]> {
	const { graphs, passages, wanted, parts, signal } = request;
	const most = COMPARED_EACH * wanted;
	const [whole] = parts;
	const lists: Record<QuestionOrigin, readonly Askable[]> = {
		gap: askGaps(state, request),
		name: await askNames(state, { graphs, passages, signal }),
		link: await askLinks(state, passages, signal),
		counter: askCounters(state, request),
	};
	const askable = ORIGINS.map((origin) =>
		[...lists[origin]].sort((a, b) => b.score - a.score || compare(a, b)).slice(0, most),
	);
	const asked = [...parts, ...state.raised].map(({ question }) => question);
	const measure = await measureNearness(search, {
		question: whole?.question ?? "",
		asked,
		askable: askable.flat(),
	});
	signal.throwIfAborted();
	return chooseInTurn(askable, measure, wanted);
}

type Nearness = Awaited<ReturnType<typeof measureNearness>>;

/** One of each origin after the other, as long as it is near the question of the dive and no other asks the same. */
function chooseInTurn(
	askable: readonly (readonly Askable[])[],
	{ least, relevanceOf, repeats }: Nearness,
	wanted: number,
): readonly RaisedQuestion[] {
	const turns = Math.max(0, ...askable.map(({ length }) => length));
	const order = Array.from({ length: turns }, (_, turn) =>
		askable.flatMap((list) => list[turn] ?? []),
	);
	const chosen: Askable[] = [];
	for (const one of order.flat()) {
		if (chosen.length >= wanted) break;
		if (relevanceOf(one) >= least && !repeats(one, chosen)) chosen.push(one);
	}
	return chosen.map((one) => ({
		question: one.question,
		origin: one.origin,
		why: one.why,
		relevance: Math.round(relevanceOf(one) * 100) / 100,
		...(one.about !== undefined && { about: one.about }),
	}));
}

function compare(a: Askable, b: Askable): number {
	return a.question < b.question ? -1 : 1;
}

/** A part that nothing answers is asked again of each concept that comes nearest. */
function askGaps(
	{ rounds, outcome }: DeepDiveState,
	{ parts, graphs }: Pick<NextRequest, "parts" | "graphs">,
): readonly Askable[] {
	const open = rounds.at(-1)?.open ?? [];
	const near = (outcome?.nearest ?? []).flatMap((trendId) => {
		const graph = graphs.find(({ record }) => trendId.startsWith(`${record.id}:`));
		return graph?.concepts.find(({ id }) => trendId === toTrendId(graph.record.id, id)) ?? [];
	});
	return open.flatMap((place) => {
		const part = parts[place]?.question ?? "";
		return near.map((concept, rank): Askable => {
			const question = `${concept.title}: ${part}`;
			const why = `Nothing answers yet: ${part}.`;
			return { question, origin: "gap", why, matter: question, score: 1 / (1 + rank) };
		});
	});
}

/** Names of concepts in two passages and more that are about another one: the likelier these and the rarer the name, the sooner. */
async function askNames(
	{ found, raised }: DeepDiveState,
	{ graphs, passages, signal }: Pick<NextRequest, "graphs" | "passages" | "signal">,
): Promise<readonly Askable[]> {
	const near = passages.slice(0, NAMING_PASSAGES);
	const known = new Map<string, Awaited<ReturnType<typeof findCalled>>>();
	const named = new Map<string, { graph: Graph; concept: Concept; by: Set<ScoredPassage> }>();
	for (const one of near) {
		for (const name of await runInTurns(namesIn(one.passage.text), signal)) {
			if (!known.has(name)) known.set(name, await findCalled(graphs, name));
			const called = known.get(name);
			if (!called || called.concept === one.passage.concept) continue;
			const id = toTrendId(called.graph.record.id, called.concept.id);
			const entry = named.get(id) ?? { ...called, by: new Set() };
			entry.by.add(one);
			named.set(id, entry);
		}
	}
	const isAsked = new Set(raised.map(({ about }) => about));
	const isFound = new Set(found);
	return [...named].flatMap(([id, { concept, by }]): Askable[] => {
		if (by.size < NAMED_LEAST || isAsked.has(id)) return [];
		const rarity = Math.log(1 + near.length / by.size);
		const carried = [...by].reduce((sum, { answers }) => sum + Math.max(...answers), 0);
		const score = carried * rarity * (isFound.has(id) ? FOUND_SHARE : 1);
		const [first] = by;
		const other = first?.passage.concept.title ?? "";
		const question = `How does ${concept.title} relate to ${other}?`;
		const why = `${by.size} passages name ${concept.title}.`;
		return [{ ...toNamed(concept, id), question, origin: "name", why, score }];
	});
}

const NAME_WORDS = 4;

/** Runs of words that may be a name: none begins or ends with a word that only joins others, and a single one is written as names are. */
function* namesIn(text: string): Steps<readonly string[]> {
	const words = tokenize(text);
	const names = new Set<string>();
	for (const start of words.keys()) {
		yield;
		for (const run of runsFrom(words, start)) {
			const name = run.map(({ written }) => written).join(" ");
			if (run.length > 1 || /\d|\p{Lu}/u.test(name)) names.add(name);
		}
	}
	yield* restOfTurn();
	return [...names];
}

type Word = ReturnType<typeof tokenize>[number];

function runsFrom(words: readonly Word[], start: number): readonly (readonly Word[])[] {
	if (words[start]?.isStopWord) return [];
	const runs = Array.from({ length: NAME_WORDS }, (_, more) =>
		words.slice(start, start + more + 1),
	);
	return runs.filter((run, more) => run.length === more + 1 && !run.at(-1)?.isStopWord);
}

/** What the concepts of likely passages are linked to and no search has found. */
async function askLinks(
	{ found, raised }: DeepDiveState,
	passages: readonly ScoredPassage[],
	signal: AbortSignal,
): Promise<readonly Askable[]> {
	const isKnown = new Set([...found, ...raised.map(({ about }) => about)]);
	const linked = new Map<string, Askable>();
	const walked = new Set<Concept>();
	for (const { passage, answers } of passages) {
		const likelihood = Math.max(...answers);
		if (likelihood < LINKED_LEAST || walked.has(passage.concept)) continue;
		signal.throwIfAborted();
		walked.add(passage.concept);
		const { graph, concept } = passage;
		await graphMaps.ready(graph);
		const reach = { depth: 1, limit: NEIGHBORS_EACH, direction: "both" } as const;
		for (const { concept: other, weight } of findNeighbors(graph, concept.id, reach).items) {
			const id = toTrendId(graph.record.id, other.id);
			const score = likelihood * Math.min(1, weight);
			if (isKnown.has(id) || score <= (linked.get(id)?.score ?? 0)) continue;
			const question = `How does ${other.title} relate to ${concept.title}?`;
			const why = `The graph links it to ${concept.title}.`;
			linked.set(id, { ...toNamed(other, id), question, origin: "link", why, score });
		}
	}
	return [...linked.values()];
}

/** What speaks against the claim that answers each part best. */
function askCounters(
	{ raised }: DeepDiveState,
	{ parts, passages }: Pick<NextRequest, "parts" | "passages">,
): readonly Askable[] {
	const isAsked = new Set(raised.map(({ about }) => about));
	const claims = new Map<string, Askable>();
	for (const part of parts.keys()) {
		const score = (one: ScoredPassage) => one.answers[part] ?? 0;
		const best = passages.reduce<ScoredPassage | undefined>(
			(first, one) => (first && score(first) >= score(one) ? first : one),
			undefined,
		);
		if (!best || score(best) < LINKED_LEAST || isAsked.has(best.passage.passageId)) continue;
		const { passageId: about, sentences } = best.passage;
		const claim = sentences[0].text;
		const question = `What speaks against this: ${truncateText(claim, CLAIM_CHARS)}`;
		const why = "The answer rests on it.";
		claims.set(about, {
			question,
			origin: "counter",
			why,
			about,
			matter: claim,
			score: score(best),
		});
	}
	return [...claims.values()];
}

function toNamed({ title, summary }: Concept, about: string) {
	return { about, matter: titled([title], [summary]) };
}

interface Compared {
	readonly question: string;
	readonly asked: readonly string[];
	readonly askable: readonly Askable[];
}

/** How near questions are to that of the dive, and to each other: by the encoder, or by words where there is none or it fails. */
async function measureNearness(
	{ embedder }: Pick<JudgedSearch, "embedder">,
	{ question, asked, askable }: Compared,
) {
	const texts = [question, ...asked, ...askable.map((one) => one.question)];
	const matters = askable.map(({ matter }) => matter);
	try {
		if (!embedder) return nearnessByWords(question, asked);
		const [queries, about] = await Promise.all([
			embedder.embed(texts, "query"),
			embedder.embed(matters, "passage"),
		]);
		const vectors = new Map(texts.map((text, at) => [text, queries[at]]));
		const relevance = new Map(
			askable.map(({ question: next }, at) => {
				const near = Math.max(
					cosineOf(queries[0], vectors.get(next)),
					cosineOf(queries[0], about[at]),
				);
				return [next, near];
			}),
		);
		return {
			least: RELEVANT_LEAST,
			relevanceOf: (one: Askable) => relevance.get(one.question) ?? 0,
			repeats: (one: Askable, chosen: readonly Askable[]) =>
				[...asked, ...chosen.map((other) => other.question)].some(
					(other) => cosineOf(vectors.get(other), vectors.get(one.question)) >= REPEATED_FROM,
				),
		};
	} catch (error) {
		// What it failed with is in the status, for the operator.
		if (error instanceof ServiceError) return nearnessByWords(question, asked);
		throw error;
	}
}

function nearnessByWords(question: string, asked: readonly string[]) {
	const words = contentWords(question);
	const isSame = (one: string, other: string) =>
		coverageOf(contentWords(one), contentTerms(other)) >= REPEATED_FROM;
	return {
		least: WORDS_LEAST,
		relevanceOf: ({ matter }: Askable) => coverageOf(words, contentTerms(matter)),
		repeats: (one: Askable, chosen: readonly Askable[]) =>
			[...asked, ...chosen.map((other) => other.question)].some((other) =>
				isSame(one.question, other),
			),
	};
}
