import {
	ANSWER_LIMITS,
	isAnswered,
	LIMITS,
	type PassContext,
	type SkillServices,
} from "../../src/contract/contract.js";
import { isSpokenOf, toEvidencePassages } from "../../src/evidence/evidence.js";
import { runInTurns, type Steps, toTrendId } from "../../src/knowledge/knowledge.js";
import type { SearchOutcome } from "../../src/search/search.js";
import {
	type Candidate,
	type ComposedAnswer,
	composeFrom,
	findCandidates,
	passagesOf,
	type QuestionPart,
	readPassages,
	readQuestion,
	type ScoredPassage,
	scorePassages,
	selectPassages,
} from "../answers/answers.js";
import {
	type DeepDiveState,
	type DiveRound,
	ENDS,
	evidenceOf,
	graphsOf,
	type JudgedPassage,
	passagesOfState,
	type RaisedQuestion,
	toRaisedParts,
	trendIdOf,
} from "./dive-state.js";
import { findNextQuestions } from "./next-questions.js";
import { DIVE_MODES } from "./plan.js";

export type ResearchServices = Pick<SkillServices, "search" | "catalog" | "clock">;
type Reporting = Pick<PassContext, "signal" | "emit">;

/** Pairs that the judge reads for each token that may be printed, see readPassages. */
const TOKENS_FOR_ONE = 16;
/** What a round must add to the worth of the choice, as a share, and how often in a row it may fail to. */
const GAIN_LEAST = 0.03;
const IDLE_MOST = 2;
/** Passages read before, the likeliest, that each round reads its own beside. */
const ANCHORS = 3;
const NEAREST = 3;

/** One more round: the parts of the question first, then what the rounds before raised. What has ended stays as it is. */
export async function runRound(
	deps: ResearchServices,
	state: DeepDiveState,
	reporting: Reporting,
): Promise<DeepDiveState> {
	if (state.ended !== undefined) return state;
	const next =
		state.rounds.length === 0
			? await askParts(deps, state, reporting)
			: await askNext(deps, state, reporting);
	return { ...next, ...toEnd(next) };
}

function toEnd({ ended, rounds, input }: DeepDiveState): Pick<DeepDiveState, "ended"> {
	if (ended !== undefined) return { ended };
	const limits = DIVE_MODES[input.mode];
	const pairs = rounds.reduce((sum, round) => sum + round.pairs, 0);
	if (rounds.length >= limits.rounds) return { ended: ENDS.rounds };
	if (pairs >= limits.pairs) return { ended: ENDS.pairs };
	const last = rounds.slice(-IDLE_MOST - 1);
	if (last.length <= IDLE_MOST) return {};
	const isIdle = (least: (before: DiveRound, after: DiveRound) => boolean) =>
		last.slice(1).every((after, at) => least(last[at] ?? after, after));
	if (isIdle((before, after) => after.value < (1 + GAIN_LEAST) * before.value)) {
		return { ended: ENDS.gains };
	}
	const isStuck = isIdle(
		({ open }, after) => after.open.length > 0 && after.open.join() === open.join(),
	);
	return isStuck ? { ended: ENDS.gaps } : {};
}

/** The question and its parts. A dive ends here whose question the search does not answer, or that names what nothing found has; that no passage says it yet is left to the next rounds. */
async function askParts(
	{ search, catalog }: ResearchServices,
	state: DeepDiveState,
	{ signal, emit }: Reporting,
): Promise<DeepDiveState> {
	const { query: question, added, mode } = state.input;
	const limits = DIVE_MODES[mode];
	const reading = readQuestion(question);
	const { parts } = reading;
	const graphs = graphsOf(catalog, state);
	const found = await findCandidates(search, {
		...{ graphs, parts, signal },
		conceptsMax: limits.conceptsFirst,
	});
	const { candidates, outcome } = found;
	const asked = parts.map((part, place) => ({
		question: part.question,
		why: place === 0 ? "The question as it was asked." : "A part of the question.",
		passagesNew: candidates.filter(({ ranks }) => firstRanked(ranks) === place).length,
	}));
	for (const { passagesNew, ...one } of asked) {
		emit({ event: "research.search", data: { round: 1, ...one, passages_new: passagesNew } });
	}
	const scored = await scorePassages(search, parts, candidates, signal);
	// As every other product decides it, from as many passages: among more of them something would be found for any question.
	const { tokens } = ANSWER_LIMITS;
	const first = await readPassages(search, { parts, scored, tokens }, signal);
	const evidence = { reading, outcome, ...first };
	const { missing, gaps } = await composeFrom(search, { question, tokens, signal }, evidence);
	const sentences = first.passages.flatMap(({ passage }) => passage.sentences);
	const isAbout =
		isAnswered(outcome.decision) && missing.length === 0 && isSpokenOf(added ?? "", sentences);
	const known = {
		...state,
		outcome: toOutcome(outcome),
		missing,
		found: [
			...new Set(
				candidates.map(({ passage }) => toTrendId(passage.graph.record.id, passage.concept.id)),
			),
		],
	};
	if (!isAbout) {
		const open = gaps.map(({ part }) => part);
		const round = { asked, pairs: parts.length * first.passages.length, open, value: 0 };
		return { ...known, rounds: [round], ended: ENDS.refused };
	}
	const pairs = limits.firstPairs;
	const wide = await readPassages(
		search,
		{ parts, scored, tokens: pairs * TOKENS_FOR_ONE },
		signal,
	);
	const passages = wide.passages.map((one) => toJudged(one, { round: 1 }));
	const readings = wide.readings && { readings: wide.readings };
	const read = { ...known, passages, ...readings };
	return closeRound({ search, catalog }, read, { asked, pairs, signal });
}

function firstRanked(ranks: readonly number[]): number {
	return ranks.findIndex((rank) => rank > 0);
}

function toOutcome({ decision, missing, mode, rows }: SearchOutcome) {
	return { decision, missing, mode, nearest: rows.slice(0, NEAREST).map(({ trendId }) => trendId) };
}

/** What is kept of a passage: likelihoods to four digits. */
function toJudged(
	{ passage, answers }: Pick<ScoredPassage, "passage" | "answers">,
	{ round, raised = [] }: { round: number; raised?: JudgedPassage["raised"] },
): JudgedPassage {
	return { passageId: passage.passageId, round, answers: answers.map(round4), raised };
}

function round4(share: number): number {
	return Math.round(share * 10_000) / 10_000;
}

/** The next questions are searched for; what they find and no question before did is judged for them and for the question of the dive. */
async function askNext(
	{ search, catalog }: ResearchServices,
	state: DeepDiveState,
	{ signal, emit }: Reporting,
): Promise<DeepDiveState> {
	const { query, mode } = state.input;
	const limits = DIVE_MODES[mode];
	const { parts } = readQuestion(query);
	const graphs = graphsOf(catalog, state);
	const passages = passagesOfState(catalog, state);
	const wanted = limits.questions;
	const raised = await findNextQuestions(search, state, {
		graphs,
		parts,
		passages,
		wanted,
		signal,
	});
	if (raised.length === 0) return { ...state, ended: ENDS.questions };
	const round = state.rounds.length + 1;
	const find = (question: string, limit: number) =>
		search.find({ graphs, query: question, limit, effort: "fast", signal });
	const [wide, searched] = await Promise.all([
		Promise.all(parts.map((part) => find(part.question, LIMITS.rowsMax))),
		Promise.all(raised.map(({ question }) => find(question, limits.conceptsEach))),
	]);
	const known = new Set(state.passages.map(({ passageId }) => passageId));
	const collected = await runInTurns(collectNew({ wide, raised, searched, known }), signal);
	const asked = raised.map(({ question, why }, at) => {
		const passagesNew = collected.filter(({ by }) => by === at).length;
		const data = { round, question, why, concepts: searched[at]?.rows.length ?? 0 };
		emit({ event: "research.search", data: { ...data, passages_new: passagesNew } });
		return { question, why, passagesNew };
	});
	const judged = await judgeNew({ search }, { parts, raised, passages, collected, limits }, signal);
	const offset = state.raised.length;
	const fresh = judged.passages.map(({ one, raised: own }) =>
		toJudged(one, {
			round,
			raised: own.map(([at, likelihood]) => [offset + at, round4(likelihood)]),
		}),
	);
	const found = collected.map(({ passage }) => trendIdOf(passage.passageId));
	const readings = state.readings?.map((reading, part) =>
		Math.max(reading, judged.readings?.[part] ?? 0),
	);
	const next = {
		...state,
		raised: [...state.raised, ...raised],
		passages: [...state.passages, ...fresh],
		found: [...new Set([...state.found, ...found])],
		...(readings && { readings }),
	};
	return closeRound({ search, catalog }, next, { asked, pairs: judged.pairs, signal });
}

interface Collected extends Candidate {
	/** Place of the first question that found it. */
	readonly by: number;
}

/**
 * Passages that no question before has found. For the question of the dive their concepts rank as a wide search for it ranks them, and at
 * least as the question that found them does, as far as that is near to it.
 */
function* collectNew({
	wide,
	raised,
	searched,
	known,
}: {
	/** For each part of the question. */
	readonly wide: readonly SearchOutcome[];
	readonly raised: readonly RaisedQuestion[];
	/** For each question that was raised. */
	readonly searched: readonly SearchOutcome[];
	readonly known: ReadonlySet<string>;
}): Steps<readonly Collected[]> {
	const ranks = [...wide, ...searched].map(ranksOf);
	const isOfDive = (place: number) => place < wide.length;
	const collected = new Map<string, Collected>();
	for (const at of raised.keys()) {
		for (const { graph, concept, trendId } of searched[at]?.rows ?? []) {
			for (const passage of toEvidencePassages(graph, concept)) {
				yield;
				const { passageId } = passage;
				if (known.has(passageId) || collected.has(passageId)) continue;
				const ranked = ranks.map((rankOf) => rankOf.get(trendId) ?? 0);
				const by = ranked.slice(wide.length);
				const near = Math.max(...by.map((rank, one) => rank * (raised[one]?.relevance ?? 0)));
				const own = ranked.map((rank, place) => (isOfDive(place) ? Math.max(rank, near) : rank));
				collected.set(passageId, { passage, by: at, ranks: own });
			}
		}
	}
	return [...collected.values()];
}

/** How far concepts stand above the others that a search found, 0..1. */
function ranksOf({ rows }: SearchOutcome): ReadonlyMap<string, number> {
	const best = rows[0]?.score ?? 1;
	return new Map(rows.map(({ trendId, score }) => [trendId, best > 0 ? score / best : 0]));
}

interface NewPassages {
	readonly parts: readonly QuestionPart[];
	readonly raised: readonly RaisedQuestion[];
	/** Judged before, the likeliest first. */
	readonly passages: readonly ScoredPassage[];
	readonly collected: readonly Collected[];
	readonly limits: (typeof DIVE_MODES)[keyof typeof DIVE_MODES];
}

/** Has the likeliest of the new passages read beside the parts of the question, among the best of those before, and beside what was raised. */
async function judgeNew(
	{ search }: Pick<ResearchServices, "search">,
	{ parts, raised, passages, collected, limits }: NewPassages,
	signal: AbortSignal,
) {
	const beside = toRaisedParts(raised);
	const anchors = passages.slice(0, ANCHORS).map(({ passage, answers }): Candidate => {
		// Where it stands among the new ones does not matter: it is there to be compared with.
		return {
			passage,
			ranks: [...parts.map((_, part) => answers[part] ?? 0), ...beside.map(() => 0)],
		};
	});
	const asked = [...parts, ...beside];
	const scored = await scorePassages(search, asked, [...anchors, ...collected], signal);
	const isBefore = new Set(anchors.map(({ passage }) => passage.passageId));
	const fresh = scored.filter(({ passage }) => !isBefore.has(passage.passageId));
	const likely = new Set<ScoredPassage>();
	for (const at of beside.keys()) {
		const place = parts.length + at;
		const order = [...fresh].sort((a, b) => (b.answers[place] ?? 0) - (a.answers[place] ?? 0));
		for (const one of order.slice(0, limits.passagesEach)) likely.add(one);
	}
	const compared = scored.filter((one) => likely.has(one) || isBefore.has(one.passage.passageId));
	const forParts = await readPassages(
		search,
		{
			parts,
			scored: compared.map((one) => ({ ...one, answers: one.answers.slice(0, parts.length) })),
			tokens: limits.roundPairs * TOKENS_FOR_ONE,
		},
		signal,
	);
	const forRaised = await readPassages(
		search,
		{
			parts: beside,
			scored: [...likely].map((one) => ({ ...one, answers: one.answers.slice(parts.length) })),
			tokens: beside.length * limits.passagesEach * TOKENS_FOR_ONE,
		},
		signal,
	);
	const own = new Map(forRaised.passages.map((one) => [one.passage.passageId, one.answers]));
	const read = forParts.passages.filter(({ passage }) => !isBefore.has(passage.passageId));
	return {
		readings: forParts.readings,
		pairs: parts.length * forParts.passages.length + forRaised.passages.length,
		passages: read.map((one) => ({
			one,
			raised: [...(own.get(one.passage.passageId) ?? []).entries()],
		})),
	};
}

/** The state after a round, with what it came to. */
async function closeRound(
	{ search, catalog }: Pick<ResearchServices, "search" | "catalog">,
	state: DeepDiveState,
	{ asked, pairs, signal }: Pick<DiveRound, "asked" | "pairs"> & { readonly signal: AbortSignal },
): Promise<DeepDiveState> {
	const { query: question, mode } = state.input;
	const { tokens } = DIVE_MODES[mode];
	const evidence = evidenceOf(catalog, state);
	const composed = await composeFrom(search, { question, tokens, signal }, evidence);
	const asking = [...evidence.reading.parts, ...evidence.raised];
	const chosen = selectPassages(asking, evidence.passages, tokens);
	const value = asking.reduce((sum, { weight }, part) => {
		const answered = chosen.reduce((total, { answers }) => total + (answers[part] ?? 0), 0);
		return sum + weight * Math.sqrt(answered);
	}, 0);
	const open = composed.gaps.map(({ part }) => part);
	const round = { asked, pairs, open, value: round4(value) };
	const answer = { verdict: composed.verdict, chosen: printedOf(composed, evidence.passages) };
	return { ...state, answer, rounds: [...state.rounds, round] };
}

/** The passages that an answer quotes, with the places of what they answer. */
function printedOf(composed: ComposedAnswer, passages: readonly ScoredPassage[]) {
	const parts = new Map(composed.blocks.map(({ passage, part }) => [passage.passageId, part]));
	const quoted = new Set(passagesOf(composed).flatMap((said) => said.map((one) => one.evidenceId)));
	return passages.flatMap(({ passage: { passageId } }) =>
		quoted.has(passageId) ? [{ passageId, part: parts.get(passageId) ?? 0 }] : [],
	);
}
