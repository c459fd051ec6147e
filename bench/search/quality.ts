import { systemClock } from "../../src/kernel/clock.js";
import { createPairJudge } from "../../src/search/judge/pair-judge.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { POOL } from "../../src/search/ranking/ranking.js";
import {
	type DetectionRange,
	detectionRange,
	type Estimate,
	estimate,
	ndcgAt,
	recallAt,
	reciprocalRank,
} from "./metrics.js";
import { createMiniSearch, createOrama, documentsOf, rankWith } from "./other-engines.js";
import { createOurIndex, type OurIndex } from "./our-index.js";
import { documentId, type Question, type QuestionSet } from "./question-set.js";

const CUTOFF = 10;
/** Where a second or third part of an answer should be. */
const EARLY_CUTOFF = 5;
const DEPTH = 20;

export interface SystemQuality {
	readonly ndcg_at_10: Estimate;
	readonly recall_at_5: Estimate;
	readonly recall_at_10: Estimate;
	readonly mrr: Estimate;
	/** Of the relevant rows among its first fifty, the share among its first ten. */
	readonly kept_in_10_of_50: number;
	/** Means by kind of question, where a set has several. */
	readonly by_kind?: Readonly<Record<string, KindQuality>>;
}

interface KindQuality {
	readonly questions: number;
	readonly ndcg_at_10: number;
	readonly recall_at_5: number;
	readonly recall_at_10: number;
	readonly mrr: number;
	/** Share of those judged best among the first five rows: what answers, without what is part of it or background. */
	readonly best_at_5: number;
	/** Share of questions whose first row is one of those judged best. */
	readonly best_first: number;
}

export interface QualityReport {
	readonly questions: number;
	readonly answerable: number;
	readonly documents: number;
	readonly systems: Readonly<Record<string, SystemQuality>>;
	/** How well the decision detects questions without an answer; undefined where no one judged that. */
	readonly abstention: DetectionRange | undefined;
	/** Decisions by kind of question, those without an answer also by what may mislead. */
	readonly decisions: Readonly<Record<string, Readonly<Record<string, number>>>> | undefined;
}

type Rank = (question: Question) => readonly string[];

/**
 * Every system on the same questions; all have the same words to go by, and no system sees a judgment. "sold" is what a caller gets:
 * names first, near-duplicates and weak rows left out, and no row at all for an abstention.
 */
export async function measureQuality(
	set: QuestionSet,
	model: ModelLocation,
	judge?: ModelLocation,
): Promise<QualityReport> {
	const answerable = set.questions.filter(({ grades }) => grades.size > 0);
	const documents = documentsOf(set.graphs);
	const reader = judge && (await createPairJudge(systemClock, judge));
	const ours = await createOurIndex(set, model, reader);
	const sold = await sell(set.questions, ours);
	const read = new Map<string, readonly string[]>();
	for (const question of answerable) read.set(question.id, await ours.read(question));
	await reader?.close();
	const [miniSearch, orama] = [createMiniSearch(documents), await createOrama(documents)];
	const ranks: Readonly<Record<string, Rank>> = {
		minisearch: (question) => rankWith(miniSearch, question, DEPTH),
		orama: (question) => rankWith(orama, question, DEPTH),
		bm25: ours.lexical,
		dense: ours.dense,
		fused: ours.fused,
		fused_graph: ours.linked,
		read: ({ id }) => read.get(id) ?? [],
		sold: ({ id }) =>
			(sold.get(id)?.rows ?? []).map(({ graph, concept }) => documentId(graph, concept)),
	};
	const systems = Object.entries(ranks).map(
		([name, rank]) => [name, measureSystem(answerable, rank)] as const,
	);
	return {
		questions: set.questions.length,
		answerable: answerable.length,
		documents: documents.length,
		systems: Object.fromEntries(systems),
		...decisionsOf(set, sold),
	};
}

function measureSystem(questions: readonly Question[], rank: Rank): SystemQuality {
	const judged = questions.map((question) => measure(question, rank(question)));
	return {
		ndcg_at_10: estimate(judged.map(({ ndcg }) => ndcg)),
		recall_at_5: estimate(judged.map(({ early }) => early)),
		recall_at_10: estimate(judged.map(({ recall }) => recall)),
		mrr: estimate(judged.map(({ reciprocal }) => reciprocal)),
		kept_in_10_of_50: sumOf(judged, ({ inTen }) => inTen) / sumOf(judged, ({ inPool }) => inPool),
		...byKind(judged),
	};
}

function measure({ grades, kind }: Question, ranked: readonly string[]) {
	const highest = Math.max(...grades.values());
	const best = new Map([...grades].filter(([, grade]) => grade === highest));
	const relevant = (cutoff: number) =>
		ranked.slice(0, cutoff).filter((id) => grades.has(id)).length;
	return {
		kind,
		inTen: relevant(CUTOFF),
		inPool: relevant(POOL),
		ndcg: ndcgAt(CUTOFF, ranked, grades),
		early: recallAt(EARLY_CUTOFF, ranked, grades),
		recall: recallAt(CUTOFF, ranked, grades),
		reciprocal: reciprocalRank(ranked.slice(0, CUTOFF), grades),
		earlyBest: recallAt(EARLY_CUTOFF, ranked, best),
		bestFirst: best.has(ranked[0] ?? "") ? 1 : 0,
	};
}

type Judged = ReturnType<typeof measure>;

function sumOf(judged: readonly Judged[], read: (one: Judged) => number): number {
	return judged.reduce((sum, one) => sum + read(one), 0);
}

const MOST_KINDS = 12;

function byKind(judged: readonly Judged[]): Pick<SystemQuality, "by_kind"> {
	const kinds = [...new Set(judged.map(({ kind }) => kind))].sort();
	if (kinds.length > MOST_KINDS) return {};
	return { by_kind: Object.fromEntries(kinds.map((kind) => [kind, meansOf(judged, kind)])) };
}

function meansOf(judged: readonly Judged[], kind: string): KindQuality {
	const own = judged.filter((one) => one.kind === kind);
	const mean = (measureOf: (one: Judged) => number) => estimate(own.map(measureOf)).mean;
	return {
		questions: own.length,
		ndcg_at_10: mean(({ ndcg }) => ndcg),
		recall_at_5: mean(({ early }) => early),
		recall_at_10: mean(({ recall }) => recall),
		mrr: mean(({ reciprocal }) => reciprocal),
		best_at_5: mean(({ earlyBest }) => earlyBest),
		best_first: mean(({ bestFirst }) => bestFirst),
	};
}

/** What a caller gets, by question. */
type SoldAnswers = ReadonlyMap<string, Awaited<ReturnType<OurIndex["find"]>>>;

async function sell(questions: QuestionSet["questions"], ours: OurIndex): Promise<SoldAnswers> {
	const sold = new Map<string, Awaited<ReturnType<OurIndex["find"]>>>();
	for (const question of questions) sold.set(question.id, await ours.find(question));
	return sold;
}

function decisionsOf(
	{ questions }: QuestionSet,
	sold: SoldAnswers,
): Pick<QualityReport, "abstention" | "decisions"> {
	const judged = questions.filter(({ isAnswerable }) => isAnswerable !== undefined);
	if (judged.length === 0) return { abstention: undefined, decisions: undefined };
	const counts: Record<string, Record<string, number>> = {};
	const cases = judged.map((question) => {
		const decision = sold.get(question.id)?.decision ?? "ABSTAIN";
		const kind = question.trap ? `${question.kind}: ${question.trap}` : question.kind;
		const ofKind = counts[kind] ?? {};
		counts[kind] = { ...ofKind, [decision]: (ofKind[decision] ?? 0) + 1 };
		return { said: decision === "ABSTAIN", meant: question.isAnswerable === false };
	});
	return { abstention: detectionRange(cases), decisions: counts };
}
