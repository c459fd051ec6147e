import { type CitedSentence, daysOf } from "../../src/evidence/evidence.js";
import { type Concept, type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import { groupSources } from "../answers/answers.js";
import { toBuckets } from "./brand-buckets.js";
import { round } from "./brand-figures.js";
import { BRAND_LIMITS } from "./brand-limits.js";
import type { BrandWindow, DatedMention } from "./brand-window.js";

/** Something that happened to a brand, or changed about it. */
export interface BrandSignal {
	readonly type: "event" | "signal" | "volume";
	readonly title: string;
	readonly date: string | null;
	/** 0..1. */
	readonly strength: number;
	readonly sentences: readonly CitedSentence[];
}

/** Mentions of one node. */
export interface MentioningNode {
	readonly graph: Graph;
	readonly concept: Concept;
	readonly mentions: readonly DatedMention[];
}

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 365;
const UNDATED_FACTOR = 0.5;

export function groupByNode(mentions: readonly DatedMention[]): readonly MentioningNode[] {
	const byId = new Map<string, { graph: Graph; concept: Concept; mentions: DatedMention[] }>();
	for (const mention of mentions) {
		const { graph, concept } = mention.sentence;
		const id = toTrendId(graph.record.id, concept.id);
		const node = byId.get(id) ?? { graph, concept, mentions: [] };
		byId.set(id, node);
		node.mentions.push(mention);
	}
	return [...byId.values()];
}

/** Strongest first, then newest. */
export function toSignals(
	mentions: readonly DatedMention[],
	window: BrandWindow,
): readonly BrandSignal[] {
	const signals = [...nodeSignals(mentions, window), ...volumeSignals(mentions, window)];
	return signals.sort(
		(a, b) => b.strength - a.strength || ((a.date ?? "") < (b.date ?? "") ? 1 : -1),
	);
}

/**
 * Nodes of type Event and Signal that mention the brand. Strength is g / (g + 1) for g independent sources, halved for every
 * 365 days between the newest of them and the window's end, and for having no date.
 */
function nodeSignals(mentions: readonly DatedMention[], { to }: BrandWindow): BrandSignal[] {
	return groupByNode(mentions).flatMap(({ concept, mentions: own }) => {
		const type = concept.type.toLowerCase();
		if (type !== "event" && type !== "signal") return [];
		const sources = own.flatMap((mention) => mention.sources);
		const groups = groupSources(sources).length;
		const { newest } = daysOf(sources.map(({ publishedAt }) => publishedAt));
		const strength = round((groups / (groups + 1)) * freshness(newest, to));
		return [{ type, title: concept.title, date: newest, strength, sentences: sentencesOf(own) }];
	});
}

/** Halves every 365 days. */
function freshness(day: string | null, to: string): number {
	if (day === null) return UNDATED_FACTOR;
	const days = Math.max(0, (Date.parse(to) - Date.parse(day)) / DAY_MS);
	return 0.5 ** (days / HALF_LIFE_DAYS);
}

const LEAST_SPIKE = 3;
const LEAST_Z = 2;
const LEAST_BUCKETS = 4;

/**
 * Stretches with at least three mentions and z = (n − m) / √max(m, 1) of 2 or more, m being the mean of the other stretches:
 * what a Poisson process of that mean would rarely do. Strength is z / (z + 2).
 */
function volumeSignals(mentions: readonly DatedMention[], window: BrandWindow): BrandSignal[] {
	const { buckets } = toBuckets(mentions, window);
	if (buckets.length < LEAST_BUCKETS) return [];
	const all = buckets.reduce((sum, bucket) => sum + bucket.mentions.length, 0);
	return buckets.flatMap(({ period, mentions: own }) => {
		const mean = (all - own.length) / (buckets.length - 1);
		const z = (own.length - mean) / Math.sqrt(Math.max(mean, 1));
		if (own.length < LEAST_SPIKE || z < LEAST_Z) return [];
		const title = `${own.length} mentions in ${period}, ${round(mean)} in other stretches on average`;
		const date = own[0]?.day ?? null;
		return [
			{
				type: "volume" as const,
				title,
				date,
				strength: round(z / (z + 2)),
				sentences: sentencesOf(own),
			},
		];
	});
}

function sentencesOf(mentions: readonly DatedMention[]): readonly CitedSentence[] {
	return mentions.slice(0, BRAND_LIMITS.evidencePerItem).map(({ sentence }) => sentence);
}
