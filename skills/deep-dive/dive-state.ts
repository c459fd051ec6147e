import type { EvidencePassage } from "../../src/evidence/evidence.js";
import { type CitedSentence, toEvidencePassages } from "../../src/evidence/evidence.js";
import type { DEEP_DIVE_MODES } from "../../src/jobs/jobs.js";
import {
	type Concept,
	findConcept,
	type Graph,
	type GraphCatalog,
} from "../../src/knowledge/knowledge.js";
import type { SearchOutcome } from "../../src/search/search.js";
import {
	type ComposedAnswer,
	type QuestionPart,
	readQuestion,
	type ScoredPassage,
} from "../answers/answers.js";

/** How thoroughly a question is looked into. */
export type DeepDiveMode = (typeof DEEP_DIVE_MODES)[number];

/** What one deep dive asks. */
export interface DeepDiveInput {
	readonly query: string;
	readonly mode: DeepDiveMode;
	/** Of a follow-up: what it put beside the question before. */
	readonly added?: string | undefined;
	/** Graphs it is confined to; all of them where absent. */
	readonly graphs?: readonly string[] | undefined;
	/** Supplemental feeds to look at beside those that suggest themselves. */
	readonly feeds?: readonly string[] | undefined;
}

/** What a next question goes on from: a part that nothing answers, a name, a link between concepts, a claim that may be wrong. */
export type QuestionOrigin = "gap" | "name" | "link" | "counter";

/** A question that what was found before raised. */
export interface RaisedQuestion {
	readonly question: string;
	readonly origin: QuestionOrigin;
	/** Why it is asked, as a sentence. */
	readonly why: string;
	/** How near what it asks about is to the question of the dive, 0..1. */
	readonly relevance: number;
	/** The concept it asks about, by its trend id. */
	readonly about?: string | undefined;
}

/** What one round asked and came to. */
export interface DiveRound {
	readonly asked: readonly {
		readonly question: string;
		readonly why: string;
		/** Passages that no question before it had found. */
		readonly passagesNew: number;
	}[];
	/** Pairs of a question and a passage that were judged. */
	readonly pairs: number;
	/** Places of the parts that nothing answers after it. */
	readonly open: readonly number[];
	/** What the best choice of passages so far is worth. */
	readonly value: number;
}

/** A passage that was judged, by its id. */
export interface JudgedPassage {
	readonly passageId: string;
	/** Counted from 1: the round that found it. */
	readonly round: number;
	/** How likely it answers each part of the question. */
	readonly answers: readonly number[];
	/** How likely it answers questions that were raised, by their places. */
	readonly raised: readonly (readonly [place: number, likelihood: number])[];
}

/** What the search said to the question as a whole. */
export interface DiveOutcome extends Pick<SearchOutcome, "decision" | "missing" | "mode"> {
	/** Trend ids of the first concepts. */
	readonly nearest: readonly string[];
}

/** Everything a deep dive knows between two passes: JSON, and evidence by id alone, so that no text is kept twice. */
export interface DeepDiveState {
	readonly form: typeof STATE_FORM;
	readonly input: DeepDiveInput;
	/** ISO 8601: when it began. */
	readonly asOf: string;
	/** Graphs it looks in; all of them where empty. */
	readonly graphIds: readonly string[];
	readonly outcome?: DiveOutcome;
	/** Names, figures and versions of the question that nothing found has. */
	readonly missing: readonly string[];
	readonly rounds: readonly DiveRound[];
	readonly raised: readonly RaisedQuestion[];
	readonly passages: readonly JudgedPassage[];
	/** The judge's best reading of each part of the question; none without a judge. */
	readonly readings?: readonly number[];
	/** What the answer after the latest round is, and the passages that it quotes, with the places of what they answer. */
	readonly answer?: {
		readonly verdict: ComposedAnswer["verdict"];
		readonly chosen: readonly { readonly passageId: string; readonly part: number }[];
	};
	/** Concepts whose passages were found. */
	readonly found: readonly string[];
	/** Why no further round is run; undefined while there may be one. */
	readonly ended?: string;
	/** Observations of supplemental feeds, as they are reported. */
	readonly supplemental: readonly unknown[];
	/** Feeds that were left out, and why. */
	readonly skippedFeeds: readonly { readonly feed_id: string; readonly reason: string }[];
}

/** Why a dive runs no further round. */
export const ENDS = {
	refused: "nothing in these graphs answers the question",
	gains: "two rounds in a row added less than 3 %",
	gaps: "two rounds in a row closed no gap",
	pairs: "all readings were spent",
	questions: "nothing new and relevant was left to ask",
	rounds: "all rounds were run",
} as const;

/** States of another form are of an older version: such a dive begins again. */
export const STATE_FORM = 2;

export function startState(input: DeepDiveInput): DeepDiveState {
	const nothing = { missing: [], rounds: [], raised: [], passages: [], found: [], graphIds: [] };
	return { form: STATE_FORM, input, asOf: "", ...nothing, supplemental: [], skippedFeeds: [] };
}

/** The concept behind a trend id, as the catalog has it now; undefined when it is gone since. */
export function conceptOf(
	catalog: Pick<GraphCatalog, "find">,
	trendId: string,
): { readonly graph: Graph; readonly concept: Concept } | undefined {
	const colon = trendId.indexOf(":");
	const graph = catalog.find(trendId.slice(0, colon));
	const concept = graph && findConcept(graph, trendId.slice(colon + 1));
	return concept ? { graph, concept } : undefined;
}

/** The trend id of the concept that a piece of evidence stands in. */
export function trendIdOf(evidenceId: string): string {
	return evidenceId.slice(0, evidenceId.lastIndexOf("~"));
}

/** How much a question that was raised counts beside the parts of the question, whose weights are 1 and 2. */
const RAISED_WEIGHT = 0.4;

export function toRaisedParts(raised: readonly RaisedQuestion[]): readonly QuestionPart[] {
	return raised.map(({ question }) => ({ question, weight: RAISED_WEIGHT }));
}

/** How likely a passage must answer the question of the dive itself for its answer to a question that was raised to count. */
const BEARS_LEAST = 0.08;

/** What was judged, with its text, the likeliest first; what is gone since is left out. */
export function passagesOfState(
	catalog: Pick<GraphCatalog, "find">,
	{ passages, raised }: Pick<DeepDiveState, "passages" | "raised">,
): readonly ScoredPassage[] {
	const byConcept = new Map<string, ReadonlyMap<string, EvidencePassage>>();
	const readAll = (trendId: string) => {
		const known = conceptOf(catalog, trendId);
		const all = known ? toEvidencePassages(known.graph, known.concept) : [];
		return new Map(all.map((passage) => [passage.passageId, passage]));
	};
	const found = passages.flatMap(({ passageId, answers, raised: own }): ScoredPassage[] => {
		const trendId = trendIdOf(passageId);
		const all = byConcept.get(trendId) ?? readAll(trendId);
		byConcept.set(trendId, all);
		const passage = all.get(passageId);
		const likelihoods = new Map(own);
		const bears = Math.max(...answers) >= BEARS_LEAST;
		const beside = raised.map((_, place) => (bears ? (likelihoods.get(place) ?? 0) : 0));
		return passage ? [{ passage, answers: [...answers, ...beside], vector: undefined }] : [];
	});
	return found.sort((a, b) => Math.max(...b.answers) - Math.max(...a.answers));
}

/** What was found and read, as answers are composed from it. */
export function evidenceOf(catalog: Pick<GraphCatalog, "find">, state: DeepDiveState) {
	const { input, raised, readings } = state;
	const {
		decision = "ABSTAIN",
		missing = [],
		mode = "keyword",
		nearest = [],
	} = state.outcome ?? {};
	const rows = nearest.flatMap((trendId) => {
		const known = conceptOf(catalog, trendId);
		return known ? [{ ...known, trendId, score: 1, evidence: [], duplicates: [] }] : [];
	});
	return {
		reading: readQuestion(input.query),
		outcome: { decision, missing, mode, rows },
		passages: passagesOfState(catalog, state),
		readings,
		raised: toRaisedParts(raised),
		isKnown: state.ended !== ENDS.refused,
	};
}

/** Distinct addresses of what carries the concepts. */
export function sourcesOf(
	catalog: Pick<GraphCatalog, "find">,
	trendIds: Iterable<string>,
): ReadonlySet<string> {
	const evidence = [...trendIds].flatMap((id) => conceptOf(catalog, id)?.concept.evidence ?? []);
	return new Set(evidence.map(({ sourceUrl }) => sourceUrl));
}

/** Where a deep dive looks: the graphs it chose, else those it is confined to, else all. */
export function graphsOf(
	catalog: GraphCatalog,
	{ input, graphIds }: Pick<DeepDiveState, "input" | "graphIds">,
): readonly Graph[] {
	const ids = graphIds.length > 0 ? graphIds : input.graphs;
	return ids ? ids.flatMap((id) => catalog.find(id) ?? []) : catalog.list();
}

/** Whether sentences stand in one note, or rest on one source: parts of one account contradict nothing. */
export function areOfOneAccount(one: CitedSentence, other: CitedSentence): boolean {
	if (one.concept === other.concept) return true;
	const urls = new Set(one.sources.map(({ sourceUrl }) => sourceUrl));
	return other.sources.some(({ sourceUrl }) => urls.has(sourceUrl));
}
