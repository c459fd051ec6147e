import { createHash } from "node:crypto";
import { z } from "zod";
import { type CitedSentence, toCitedSentences } from "../../src/evidence/evidence.js";
import {
	type Concept,
	type Evidence,
	type Graph,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";

/** What a briefing remembers for the next one: hashes, no text. */
export type BriefingMemory = Omit<z.infer<typeof memorySchema>, "told">;

const memorySchema = z.object({
	/** When that briefing was made, in epoch milliseconds. */
	at: z.number(),
	/** Content hashes of graphs, by id. */
	graphs: z.record(z.string(), z.string()),
	/** By trend_id. */
	concepts: z.record(
		z.string(),
		z.object({
			text: z.string(),
			sources: z.array(z.string()),
			/** Of its cited sentences, and of its title and status. */
			evidence: z.array(z.string()).optional(),
		}),
	),
	/** Of sentences that were shown. */
	quoted: z.array(z.string()).optional(),
	/** What `quoted` was called in memories that are stored still. */
	told: z.array(z.string()).optional(),
});

/** A concept on the topic, in the graph it is of. */
export interface TopicConcept {
	readonly graph: Graph;
	readonly concept: Concept;
}

export interface TopicChange extends TopicConcept {
	readonly change: "added" | "changed" | "new_sources";
	/** Sources it did not cite before; all of them for one that was added. */
	readonly newSources: readonly Evidence[];
	/** Sentences it did not have before, or that rest on new sources. */
	readonly newSentences: readonly CitedSentence[];
}

/** What the graphs say on a topic now, to be compared with later. */
export function rememberTopic(
	concepts: readonly TopicConcept[],
	{
		graphs,
		at,
		quoted = [],
	}: {
		readonly graphs: readonly Graph[];
		readonly at: number;
		/** Hashes of what was shown until now, the latest last. */
		readonly quoted?: readonly string[];
	},
): BriefingMemory {
	return {
		at,
		quoted: quoted.slice(-SCHEDULE_LIMITS.sentencesRemembered),
		graphs: Object.fromEntries(graphs.map(({ record, contentHash }) => [record.id, contentHash])),
		concepts: Object.fromEntries(
			concepts.map(({ graph, concept }) => [
				toTrendId(graph.record.id, concept.id),
				{
					text: textHash(concept),
					sources: concept.evidence.slice(0, SCHEDULE_LIMITS.sourcesRemembered).map(sourceHash),
					evidence: [headHash(concept), ...toCitedSentences(graph, concept).map(sentenceHash)],
				},
			]),
		),
	};
}

/** Undefined for a text that is no memory. */
export function parseMemory(text: string | undefined): BriefingMemory | undefined {
	if (text === undefined) return undefined;
	const { data } = memorySchema.safeParse(JSON.parse(text));
	if (!data) return undefined;
	const { told, ...memory } = data;
	return told && !memory.quoted ? { ...memory, quoted: told } : memory;
}

/**
 * What is new on a topic since a briefing, in the order of the concepts. What a graph says did not change while its content
 * did not: a concept that is merely ranked higher than before is not new.
 */
export function findChanges(
	concepts: readonly TopicConcept[],
	before: BriefingMemory,
): readonly TopicChange[] {
	return concepts.flatMap((subject) => {
		const { graph, concept } = subject;
		if (before.graphs[graph.record.id] === graph.contentHash) return [];
		const known = before.concepts[toTrendId(graph.record.id, concept.id)];
		return known ? changeOf(subject, known) : [toAdded(subject)];
	});
}

function toAdded({ graph, concept }: TopicConcept): TopicChange {
	const newSentences = toCitedSentences(graph, concept);
	return { graph, concept, change: "added", newSources: concept.evidence, newSentences };
}

function changeOf(
	{ graph, concept }: TopicConcept,
	{ text, sources, evidence = [] }: BriefingMemory["concepts"][string],
): readonly TopicChange[] {
	const heard = new Set(sources);
	const isWhole = sources.length < SCHEDULE_LIMITS.sourcesRemembered;
	const newSources = isWhole ? concept.evidence.filter((one) => !heard.has(sourceHash(one))) : [];
	const all = toCitedSentences(graph, concept);
	const said = new Set(evidence);
	const added = all.filter((sentence) => !said.has(sentenceHash(sentence)));
	// What only lost sentences says nothing new.
	const isNewText = added.length > 0 || !said.has(headHash(concept));
	if (text !== textHash(concept) && isNewText) {
		return [{ graph, concept, change: "changed", newSources, newSentences: added }];
	}
	if (newSources.length === 0) return [];
	const carried = all.filter((one) => one.sources.some((source) => newSources.includes(source)));
	return [{ graph, concept, change: "new_sources", newSources, newSentences: carried }];
}

/** The trend_ids of concepts that were there then, and are in no graph now. */
export function findRemoved(before: BriefingMemory, graphs: readonly Graph[]): readonly string[] {
	const byId = new Map(graphs.map((graph) => [graph.record.id, graph]));
	return Object.keys(before.concepts).filter((trendId) => {
		const colon = trendId.indexOf(":");
		const graph = byId.get(trendId.slice(0, colon));
		if (graph?.contentHash === before.graphs[trendId.slice(0, colon)]) return false;
		return !graph?.concepts.some(({ id }) => id === trendId.slice(colon + 1));
	});
}

function textHash({ title, summary, body, status }: Concept): string {
	return shortHash(JSON.stringify([title, summary, body, status]));
}

function headHash({ title, status }: Concept): string {
	return shortHash(JSON.stringify([title, status]));
}

/** A sentence is known again by its words: its place changes with what stands before it. */
export function sentenceHash({ text }: Pick<CitedSentence, "text">): string {
	return shortHash(text);
}

function sourceHash({ sourceUrl }: Evidence): string {
	return shortHash(sourceUrl);
}

function shortHash(text: string): string {
	return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
