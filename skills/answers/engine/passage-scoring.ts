import { type EvidencePassage, titled } from "../../../src/evidence/evidence.js";
import { ServiceError } from "../../../src/kernel/kernel.js";
import { runInTurns, type Steps } from "../../../src/knowledge/knowledge.js";
import { type JudgedSearch, readPairs } from "../../../src/search/search.js";
import type { QuestionPart } from "./question-reading.js";
import { isWrittenIn, measureWordShares } from "./word-shares.js";

/** A passage that may answer, and the rank of its concept for each part of the question, 0..1. */
export interface Candidate {
	readonly passage: EvidencePassage;
	readonly ranks: readonly number[];
}

/** What speaks for a passage as part of an answer to one part of a question. */
interface PassageSigns {
	/** How far its concept stands above the others for the part, 0..1. */
	readonly rank: number;
	/** How much less near it is by the encoder than the nearest passage, in cosine; 0 without an encoder. */
	readonly gap: number;
	/** 1 for the summary of a concept. */
	readonly summary: number;
	/** Natural logarithms of its words, and of how many passages its concept has among those compared. */
	readonly words: number;
	readonly crowd: number;
}

/**
 * Log odds that a passage carries a fact that an answer needs = bias + the sum of weight × sign. Fitted on the open questions of
 * bench/labelled/answers: logistic, leaving out one author after the other.
 */
const WEIGHTS: Readonly<Record<keyof PassageSigns | "bias", number>> = {
	bias: -6.53,
	rank: 6.97,
	gap: -6.03,
	summary: 1.12,
	words: 0.274,
	crowd: -0.669,
};
/** What is added to the log odds once the judge has read it: a constant, and for each unit of its log odds behind the best reading. */
const READING = { bias: 0.6, behind: -0.194 } as const;

/** A passage, and how likely it belongs into the answer to each part of the question, in their order. */
export interface ScoredPassage {
	readonly passage: EvidencePassage;
	readonly answers: readonly number[];
	/** Of unit length; undefined without an encoder. */
	readonly vector: Float32Array | undefined;
}

/** Passages that an encoder compares: those that come first by words and by the ranks of their concepts. */
const COMPARED_MOST = 128;

/** How likely passages belong into an answer, the likeliest first; those that neither words nor ranks put forward are left out. */
export async function scorePassages(
	{ embedder }: Pick<JudgedSearch, "embedder">,
	parts: readonly QuestionPart[],
	candidates: readonly Candidate[],
	signal: AbortSignal,
): Promise<readonly ScoredPassage[]> {
	const compared = await runInTurns(chooseCompared(parts, candidates), signal);
	const { vectors, asked } = await embedAll(embedder, parts, compared);
	signal.throwIfAborted();
	const crowds = new Map<unknown, number>();
	for (const { passage } of compared) {
		crowds.set(passage.concept, (crowds.get(passage.concept) ?? 0) + 1);
	}
	const nearness = parts.map((_, part) => vectors.map((vector) => cosineOf(asked[part], vector)));
	const nearest = nearness.map((cosines) => Math.max(...cosines));
	const scored = compared.map(({ passage, ranks }, at): ScoredPassage => {
		const own = {
			summary: passage.sentences[0].paragraph === 0 ? 1 : 0,
			words: Math.log(passage.text.split(" ").length),
			crowd: Math.log(crowds.get(passage.concept) ?? 1),
		};
		const answers = parts.map((_, part) => {
			const gap = vectors[at] ? (nearest[part] ?? 0) - (nearness[part]?.[at] ?? 0) : 0;
			return likelihoodOf({ ...own, rank: ranks[part] ?? 0, gap });
		});
		return { passage, answers, vector: vectors[at] };
	});
	return scored.sort((a, b) => Math.max(...b.answers) - Math.max(...a.answers));
}

function likelihoodOf({ rank, gap, summary, words, crowd }: PassageSigns): number {
	const odds =
		WEIGHTS.bias +
		WEIGHTS.rank * rank +
		WEIGHTS.gap * gap +
		WEIGHTS.summary * summary +
		WEIGHTS.words * words +
		WEIGHTS.crowd * crowd;
	return shareOf(odds);
}

/** Under its titles, as models read it; beside a question that calls its concept by another name, with that name. */
function textOf(
	{ passage: { concept, heading, text } }: Pick<Candidate, "passage">,
	asked = "",
): string {
	const called = concept.aliases.filter(
		(alias) => HAS_LETTERS.test(alias) && isWrittenIn(asked, alias),
	);
	const names = called.filter((alias) => !isWrittenIn(`${concept.title} ${text}`, alias));
	const title = names.length > 0 ? `${concept.title} (${names.join(", ")})` : concept.title;
	return titled([title, heading ?? ""], [text]);
}

const HAS_LETTERS = /\p{L}{2}/u;

/** Vectors of passages and parts; none where there is no encoder, and where it fails: words and ranks have to do then. */
async function embedAll(
	embedder: JudgedSearch["embedder"],
	parts: readonly QuestionPart[],
	compared: readonly Candidate[],
): Promise<Readonly<Record<"vectors" | "asked", readonly Float32Array[]>>> {
	const none = { vectors: [], asked: [] };
	if (!embedder || compared.length === 0) return none;
	try {
		const [vectors, asked] = await Promise.all([
			embedder.embed(
				compared.map((one) => textOf(one)),
				"passage",
			),
			embedder.embed(
				parts.map(({ question }) => question),
				"query",
			),
		]);
		return { vectors, asked };
	} catch (error) {
		// What it failed with is in the status, for the operator.
		if (error instanceof ServiceError) return none;
		throw error;
	}
}

/** Candidates that come first for some part, by the share of its words that they hold and by the rank of their concept. */
function* chooseCompared(
	parts: readonly QuestionPart[],
	candidates: readonly Candidate[],
): Steps<readonly Candidate[]> {
	if (candidates.length <= COMPARED_MOST) return candidates;
	const questions = parts.map(({ question }) => question);
	const passages = candidates.map(({ passage }) => passage);
	const shares = yield* measureWordShares(questions, passages);
	const chosen = new Set<number>();
	for (const part of parts.keys()) {
		yield;
		const scores = candidates.map(
			({ ranks }, at) => (shares[part]?.[at] ?? 0) + (ranks[part] ?? 0),
		);
		const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
		const wanted = Math.ceil(COMPARED_MOST / parts.length);
		for (const at of order.slice(0, wanted)) chosen.add(at);
	}
	return candidates.filter((_, at) => chosen.has(at));
}

/** Cosine of two vectors of unit length; 0 where one is missing. */
export function cosineOf(one: Float32Array | undefined, other: Float32Array | undefined): number {
	if (!one || !other) return 0;
	let sum = 0;
	for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
	return sum;
}

/** Pairs that the judge reads for all parts together: these, and one more for so many tokens that may be printed. */
const READ_LEAST = 24;
const TOKENS_FOR_ONE = 16;
/** Pairs of one question: what it costs is bounded, whatever is asked. */
const PAIRS_MOST = 256;

/** The likeliest passages as the judge reads them, the likeliest first, and the best reading of each part, 0..1. */
export interface ReadPassages {
	readonly passages: readonly ScoredPassage[];
	/** Undefined without a judge that answers. */
	readonly readings: readonly number[] | undefined;
}

/** Has the likeliest passages read beside each part; what is read to say less than the best counts less. Rejects only for a caller that has left. */
export async function readPassages(
	{ judge }: Pick<JudgedSearch, "judge">,
	{
		parts,
		scored,
		tokens,
	}: {
		readonly parts: readonly QuestionPart[];
		/** The likeliest first. */
		readonly scored: readonly ScoredPassage[];
		/** That may be printed. */
		readonly tokens: number;
	},
	signal: AbortSignal,
): Promise<ReadPassages> {
	const count = Math.min(PAIRS_MOST, Math.max(READ_LEAST, Math.ceil(tokens / TOKENS_FOR_ONE)));
	const chosen = chooseRead(parts, scored, count);
	const read = [...new Set(chosen.flat())];
	const pairs = chosen.flatMap((ones, part) =>
		ones.map((one) => {
			const text = parts[part]?.question ?? "";
			return { one, part, text, passage: textOf(one, text) };
		}),
	);
	const { readings } = await readPairs(judge, pairs, signal);
	if (!readings || read.length === 0) return { passages: read, readings: undefined };
	const odds = new Map<string, number>();
	const keyOf = (part: number, one: ScoredPassage) => `${part} ${one.passage.passageId}`;
	for (const [at, { part, one }] of pairs.entries()) {
		odds.set(keyOf(part, one), logOdds(readings[at]?.answers ?? 0));
	}
	const best = parts.map((_, part) =>
		Math.max(...read.map((one) => odds.get(keyOf(part, one)) ?? -ODDS_MOST)),
	);
	const passages = read.map((one): ScoredPassage => {
		const answers = one.answers.map((likelihood, part) => {
			// What was not read beside a part was no likely answer to it.
			const behind = (best[part] ?? 0) - (odds.get(keyOf(part, one)) ?? -ODDS_MOST);
			return shareOf(logOdds(likelihood) + READING.bias + READING.behind * behind);
		});
		return { ...one, answers };
	});
	passages.sort((a, b) => Math.max(...b.answers) - Math.max(...a.answers));
	return { passages, readings: best.map(shareOf) };
}

/** For each part those that come first for it, some of them all. */
function chooseRead(
	parts: readonly QuestionPart[],
	scored: readonly ScoredPassage[],
	count: number,
): readonly (readonly ScoredPassage[])[] {
	return parts.map((_, part) => {
		const order = [...scored].sort((a, b) => (b.answers[part] ?? 0) - (a.answers[part] ?? 0));
		return order.slice(0, Math.ceil(count / parts.length));
	});
}

const ODDS_MOST = 8;

function logOdds(share: number): number {
	return Math.max(-ODDS_MOST, Math.min(ODDS_MOST, Math.log(share / (1 - share))));
}

function shareOf(odds: number): number {
	return 1 / (1 + Math.exp(-odds));
}
