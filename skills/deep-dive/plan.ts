import type { Json, PriceList, SkillServices } from "../../src/contract/contract.js";
import { type CitedSentence, toCitedSentences } from "../../src/evidence/evidence.js";
import type { DEEP_DIVE_MODES } from "../../src/jobs/jobs.js";
import { formatUsd } from "../../src/kernel/kernel.js";
import type { Concept, Graph, GraphCatalog } from "../../src/knowledge/knowledge.js";
import { type GraphRouter, tokenize } from "../../src/search/search.js";
import { findTitleOf } from "../entities/entities.js";

/** How thoroughly a question is looked into. */
export type DeepDiveMode = (typeof DEEP_DIVE_MODES)[number];

/** One question that is searched for on the way to the answer. */
export interface Aspect {
	readonly question: string;
	/** Why it is asked, in one sentence. */
	readonly purpose: string;
	/** Whether it is the question, or part of it; others ask about its subject and are idle where nothing is known of it. */
	readonly isCore: boolean;
}

/** What will be done for a question, and where: nothing of any graph's content. */
export interface DeepDivePlan {
	readonly aspects: readonly Aspect[];
	/** Graphs that would answer, strongest first. */
	readonly graphIds: readonly string[];
	readonly passes: readonly DeepDivePass[];
	/** Words of the question that no graph covers. */
	readonly missing: readonly string[];
}

export const DEEP_DIVE_PASSES = [
	...(["plan", "search", "read", "follow", "deepen"] as const),
	...(["challenge", "verify", "feeds", "write"] as const),
];
export type DeepDivePass = (typeof DEEP_DIVE_PASSES)[number];

export const PASSES_OF: Readonly<Record<DeepDiveMode, readonly DeepDivePass[]>> = {
	fast: ["plan", "search", "read", "follow", "challenge", "write"],
	comprehensive: DEEP_DIVE_PASSES,
};

/** What every subject is asked about; a fast dive asks the first few. */
const FACETS: readonly (readonly [words: string, purpose: string])[] = [
	["definition purpose how it works", "What it is and how it works."],
	["limits sizes numbers values defaults", "Which figures bound it."],
	["replaced superseded deprecated history changed", "What it replaced and what replaced it."],
	["risks attacks failure security considerations", "How it fails."],
	["alternatives compared difference trade-offs", "What competes with it."],
	["requirements must recommended practice", "What is required or advised."],
	["draft open questions not settled status", "What is not settled."],
];
const FACETS_ASKED: Readonly<Record<DeepDiveMode, number>> = { fast: 3, comprehensive: 7 };
const NAMES_ASKED: Readonly<Record<DeepDiveMode, number>> = { fast: 2, comprehensive: 5 };
const GRAPHS_ASKED: Readonly<Record<DeepDiveMode, number>> = { fast: 6, comprehensive: 12 };
const SUBJECT_WORDS = 8;
const SIDES_MAX = 3;
const NAME_WORDS = 4;
/** Words of a question in which names are looked for. */
const NAMED_WORDS = 60;
/** Between things that are set side by side. */
const SEPARATORS = /\s+(?:versus|vs\.?|compared (?:to|with)|as against|rather than)\s+/i;

interface PlanRequest extends Pick<DeepDivePlanRequest, "query" | "mode"> {
	/** Graphs it is confined to. */
	readonly graphs: readonly Graph[];
	readonly signal: AbortSignal;
}

/** Splits a question into what must be found to answer it. Deterministic: the same question over the same graphs gives the same plan. */
export async function makePlan(router: GraphRouter, request: PlanRequest): Promise<DeepDivePlan> {
	const { query, mode, graphs, signal } = request;
	const routed = await router.route({ graphs, query, limit: GRAPHS_ASKED[mode], signal });
	const subject = subjectOf(query);
	const names = await namesIn(query, graphs, NAMES_ASKED[mode]);
	const core: readonly (readonly [question: string, purpose: string])[] = [
		[query, "The question as it was asked."],
		...sidesOf(query).map((part) => [part, `One side of what is compared: ${part}.`] as const),
		...names.map((name) => [name, `What the graphs say of ${name} itself.`] as const),
	];
	const facets = FACETS.slice(0, FACETS_ASKED[mode]);
	const aspects = [
		...core.map(([question, purpose]) => ({ question, purpose, isCore: true })),
		...facets.map(([words, purpose]) => {
			return { question: `${subject} ${words}`, purpose, isCore: false };
		}),
	];
	const seen = new Set<string>();
	return {
		aspects: aspects.filter(({ question }) => !seen.has(question) && seen.add(question)),
		graphIds: routed.graphs.map(({ graph }) => graph.record.id),
		passes: PASSES_OF[mode],
		missing: routed.missing,
	};
}

/** The words a question is about, as written, without those that only ask. */
export function subjectOf(query: string): string {
	const words = tokenize(query).filter(({ isStopWord }) => !isStopWord);
	const subject = words.slice(0, SUBJECT_WORDS);
	return subject.map(({ written }) => written).join(" ");
}

/** What a question sets side by side; none where it compares nothing. */
export function sidesOf(query: string): readonly string[] {
	const parts = query.split(SEPARATORS).map((part) => part.replace(/[?!.]+$/, "").trim());
	return parts.length > 1 ? parts.filter((part) => part !== "").slice(0, SIDES_MAX) : [];
}

/** Titles of the catalog that the question names, longest names first. */
async function namesIn(query: string, graphs: readonly Graph[], limit: number) {
	const tokens = tokenize(query).slice(0, NAMED_WORDS);
	const words = tokens.map(({ written }) => written);
	const found: string[] = [];
	for (let length = Math.min(NAME_WORDS, words.length); length >= 1; length--) {
		for (let start = 0; start + length <= words.length && found.length < limit; start++) {
			const name = words.slice(start, start + length).join(" ");
			if (length === 1 && !/\d|\p{Lu}/u.test(name)) continue;
			const title = await findTitleOf(graphs, name);
			if (title !== undefined && !found.includes(title)) found.push(title);
		}
	}
	return found;
}

export interface DeepDivePlanRequest {
	readonly query: string;
	readonly mode: DeepDiveMode;
	readonly graphs?: readonly string[] | undefined;
}

/** What each mode is priced as. */
export const SOLD_AS = {
	fast: "research.deep_dive",
	comprehensive: "research.deep_dive.comprehensive",
} as const;

/** What a deep dive would ask, where, in which passes and for how much; runs nothing, keeps nothing, reveals no content. */
export function createDeepDivePlans({
	catalog,
	search,
	prices,
}: Pick<SkillServices, "catalog" | "search"> & { readonly prices: PriceList }) {
	/** Throws NOT_FOUND for an unknown graph. */
	return async (request: DeepDivePlanRequest, signal: AbortSignal): Promise<Json> => {
		const { query, mode, graphs: ids } = request;
		const graphs = ids ? ids.map((id) => catalog.get(id)) : catalog.list();
		const plan = await makePlan(search, { query, mode, graphs, signal });
		const { aspects, graphIds, passes, missing } = plan;
		const { amountMicros, billingType } = prices.priceOf(SOLD_AS[mode]);
		return {
			query,
			mode,
			aspects: aspects.map(({ question, purpose }) => ({ question, purpose })),
			graphs: graphIds,
			passes,
			missing,
			would_answer: graphIds.length > 0,
			price_usd: formatUsd(amountMicros),
			billing_type: billingType,
			operation: SOLD_AS.fast,
		};
	};
}

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

/** A concept that bears on some aspects of the question. */
export interface FoundConcept {
	readonly trendId: string;
	/** Of the aspect it fits best, 0..1. */
	readonly score: number;
	/** Places of those aspects in the plan. */
	readonly aspects: readonly number[];
}

/** A cited sentence that was read, by its evidence id. */
export interface ReadSentence {
	readonly evidenceId: string;
	readonly score: number;
	readonly aspects: readonly number[];
}

/** Two pieces of evidence that cannot both be so. */
export interface FoundContradiction {
	readonly one: string;
	readonly other: string;
	readonly reasons: readonly string[];
}

/** What became of a key sentence when it was checked against everything else. */
export interface CheckedSentence {
	readonly evidenceId: string;
	readonly verdict: string;
	readonly confidence: number;
	readonly independentGroups: number;
}

/** Everything a deep dive knows between two passes: JSON, and evidence by id alone, so that no text is kept twice. */
export interface DeepDiveState {
	readonly input: DeepDiveInput;
	/** ISO 8601: when it began; nothing later is reported. */
	readonly asOf: string;
	readonly plan?: DeepDivePlan;
	readonly found: readonly FoundConcept[];
	/** Places of the aspects for which anything was found, whether or not it was good enough to be remembered. */
	readonly answered: readonly number[];
	/** Concepts whose sentences were read. */
	readonly readConcepts: readonly string[];
	readonly sentences: readonly ReadSentence[];
	readonly contradictions: readonly FoundContradiction[];
	readonly checked: readonly CheckedSentence[];
	/** Observations of supplemental feeds, as they are reported. */
	readonly supplemental: readonly unknown[];
	/** Feeds that were left out, and why. */
	readonly skippedFeeds: readonly { readonly feed_id: string; readonly reason: string }[];
	readonly mode?: "hybrid" | "keyword";
}

export function startState(input: DeepDiveInput): DeepDiveState {
	const nothing = { found: [], answered: [], readConcepts: [], sentences: [] };
	const unchecked = { contradictions: [], checked: [], supplemental: [], skippedFeeds: [] };
	return { input, asOf: "", ...nothing, ...unchecked };
}

/** What was found before and now, each once with its best score, best first. */
export function mergeBy<Item extends Pick<ReadSentence, "score" | "aspects">>(
	idOf: (item: Item) => string,
	items: readonly Item[],
	limit: number,
): readonly Item[] {
	const merged = new Map<string, Item>();
	for (const item of items) {
		const known = merged.get(idOf(item));
		const aspects = [...new Set([...(known?.aspects ?? []), ...item.aspects])];
		const score = Math.max(known?.score ?? 0, item.score);
		merged.set(idOf(item), { ...item, score, aspects });
	}
	return [...merged.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}

/** The concept behind a trend id, as the catalog has it now; undefined when it is gone since. */
export function conceptOf(
	catalog: Pick<GraphCatalog, "find">,
	trendId: string,
): { readonly graph: Graph; readonly concept: Concept } | undefined {
	const colon = trendId.indexOf(":");
	const graph = catalog.find(trendId.slice(0, colon));
	const concept = graph?.concepts.find(({ id }) => id === trendId.slice(colon + 1));
	return graph && concept ? { graph, concept } : undefined;
}

/** The evidence behind what was read, best first; what is gone since is left out. */
export function evidenceOf(
	catalog: Pick<GraphCatalog, "find">,
	sentences: readonly Pick<ReadSentence, "evidenceId">[],
): readonly CitedSentence[] {
	const byConcept = new Map<string, ReadonlyMap<string, CitedSentence>>();
	const readAll = (trendId: string) => {
		const known = conceptOf(catalog, trendId);
		const all = known ? toCitedSentences(known.graph, known.concept) : [];
		return new Map(all.map((sentence) => [sentence.evidenceId, sentence]));
	};
	return sentences.flatMap(({ evidenceId }) => {
		const trendId = evidenceId.slice(0, evidenceId.lastIndexOf("~"));
		const own = byConcept.get(trendId) ?? readAll(trendId);
		byConcept.set(trendId, own);
		return own.get(evidenceId) ?? [];
	});
}

/** Distinct addresses of what carries the concepts. */
export function sourcesOf(
	catalog: Pick<GraphCatalog, "find">,
	trendIds: readonly string[],
): ReadonlySet<string> {
	const evidence = trendIds.flatMap((id) => conceptOf(catalog, id)?.concept.evidence ?? []);
	return new Set(evidence.map(({ sourceUrl }) => sourceUrl));
}
