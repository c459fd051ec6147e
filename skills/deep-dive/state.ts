import { type CitedSentence, toCitedSentences } from "../../src/evidence/evidence.js";
import type { Concept, Graph, GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { DeepDiveMode, DeepDivePlan } from "./plan.js";

/** What one deep dive asks. */
export interface DeepDiveInput {
	readonly query: string;
	readonly mode: DeepDiveMode;
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
