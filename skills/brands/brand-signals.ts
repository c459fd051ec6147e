import { createMomentum, daysOf } from "../../src/evidence/evidence.js";
import { type Concept, type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import { groupSources } from "../answers/answers.js";
import { addToList } from "../entities/entities.js";
import { createWalk, graphMaps, placeOf, toStep } from "../graphs/graphs.js";
import { countTones, round } from "./brand-figures.js";
import type { Brand } from "./brand-grouping.js";
import { BRAND_LIMITS } from "./brand-index.js";
import { toSourcedSentences } from "./brand-mentions.js";
import { type BrandWindow, type DatedMention, sentenceWithin, textsRead } from "./brand-reading.js";

/** Something that happened to a brand, or changed about it. */
export interface BrandSignal {
	readonly type: "event" | "signal" | "volume";
	readonly title: string;
	readonly date: string | null;
	/** 0..1. */
	readonly strength: number;
	readonly mentions: readonly DatedMention[];
}

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 365;
const UNDATED_FACTOR = 0.5;

interface Placed {
	readonly graph: Graph;
	readonly concept: Concept;
}

/** Nodes that mention the brand, each with its mentions. */
function groupByNode(mentions: readonly DatedMention[]) {
	const byId = new Map<string, Placed & { readonly mentions: DatedMention[] }>();
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
		return [{ type, title: concept.title, date: newest, strength, mentions: own }];
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
	// How much is said when: what a sentence tells of another year was said in its own.
	const said = mentions.map((mention) => ({
		...mention,
		day: mention.sources[0]?.publishedAt ?? null,
	}));
	const { buckets } = toBuckets(said, window);
	if (buckets.length < LEAST_BUCKETS) return [];
	const all = buckets.reduce((sum, bucket) => sum + bucket.mentions.length, 0);
	return buckets.flatMap(({ period, mentions: own }) => {
		const mean = (all - own.length) / (buckets.length - 1);
		const z = (own.length - mean) / Math.sqrt(Math.max(mean, 1));
		if (own.length < LEAST_SPIKE || z < LEAST_Z) return [];
		const title = `${own.length} mentions in ${period}, ${round(mean)} in other stretches on average`;
		const [type, date] = ["volume" as const, own[0]?.day ?? null];
		return [{ type, title, date, strength: round(z / (z + 2)), mentions: own }];
	});
}

export type BucketSize = "day" | "month" | "quarter" | "year";

/** What was said in one stretch of time. */
export type Bucket = ReturnType<typeof toBuckets>["buckets"][number];

/** Days up to a month, months up to two years, quarters up to five, then years. */
function bucketSizeFor(first: string, last: string): BucketSize {
	const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
	if (days <= 31) return "day";
	if (days <= 731) return "month";
	return days <= 1_827 ? "quarter" : "year";
}

/**
 * Dated mentions by the day of their newest source in the window, in order of time, empty stretches included as long as
 * there are no more than BRAND_LIMITS.bucketsMax; then the last ones up to the newest mention. `isCut` where the window has
 * earlier stretches than these, `earlier` is the number of dated mentions that fall into them.
 */
export function toBuckets(
	mentions: readonly DatedMention[],
	{ from, to }: BrandWindow,
	wanted?: BucketSize,
) {
	const days = mentions.flatMap(({ day }) => day ?? []).sort();
	const [first, last] = [days[0], days.at(-1)];
	if (first === undefined || last === undefined) {
		return { size: wanted ?? "month", buckets: [], isCut: false, earlier: 0 };
	}
	const [begin, end] = from === null ? [first, last] : [from, to];
	const size = wanted ?? bucketSizeFor(begin, end);
	const byPeriod = new Map<string, DatedMention[]>();
	const whole = lastPeriods(begin, end, size);
	const reachesBack = whole[0] === periodOf(begin, size);
	const periods = reachesBack ? whole : lastPeriods(begin, last, size);
	for (const period of periods) byPeriod.set(period, []);
	for (const mention of mentions) {
		if (mention.day !== null) byPeriod.get(periodOf(mention.day, size))?.push(mention);
	}
	const buckets = [...byPeriod].map(([period, own]) => ({
		period,
		mentions: own,
		sentiment: countTones(textsRead(own)),
	}));
	const told = buckets.reduce((sum, bucket) => sum + bucket.mentions.length, 0);
	const isCut = periods[0] !== periodOf(begin, size);
	return { size, buckets, isCut, earlier: days.length - told };
}

/** `2025-08-25`, `2025-08`, `2025-Q3` or `2025`. */
function periodOf(day: string, size: BucketSize): string {
	if (size === "day") return day;
	if (size === "month") return day.slice(0, 7);
	if (size === "year") return day.slice(0, 4);
	return `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
}

/** Periods from the first to the last day, oldest first, no more than may be returned: the last of them. */
function lastPeriods(first: string, last: string, size: BucketSize): readonly string[] {
	const periods: string[] = [];
	let day = last;
	while (day >= first && periods.length < BRAND_LIMITS.bucketsMax) {
		periods.push(periodOf(day, size));
		day = dayBefore(day, size);
	}
	return periods.reverse();
}

/** The last day of the period before. */
function dayBefore(day: string, size: BucketSize): string {
	const [year, month, date] = day.split("-").map(Number) as [number, number, number];
	const start = {
		day: [year, month - 1, date],
		month: [year, month - 1, 1],
		quarter: [year, Math.floor((month - 1) / 3) * 3, 1],
		year: [year, 0, 1],
	}[size] as [number, number, number];
	return new Date(Date.UTC(...start) - DAY_MS).toISOString().slice(0, 10);
}

/**
 * Trends that name the brand in the window or are linked with its nodes, each with what it is cited for in the window; by
 * momentum as of the window's end. `role` is "names it", or the type of the edge between them.
 */
export async function findTrends(
	brand: Brand,
	mentions: readonly DatedMention[],
	window: BrandWindow,
) {
	const naming = groupByNode(mentions).map(({ mentions: own, ...node }) => {
		return { ...node, role: "names it", sentences: own.map(({ sentence }) => sentence) };
	});
	const linked = (await linkedNodes(brand)).map((node) => {
		const said = isTrend(node.concept) ? toSourcedSentences(node.graph, node.concept) : [];
		const within = said.flatMap((sentence) => sentenceWithin(sentence, window) ?? []);
		return { ...node, sentences: within.slice(0, 1) };
	});
	const nodes = new Map<string, (typeof linked)[number]>();
	for (const node of [...naming, ...linked]) {
		const trendId = toTrendId(node.graph.record.id, node.concept.id);
		if (!isTrend(node.concept) || nodes.has(trendId) || node.sentences.length === 0) continue;
		nodes.set(trendId, node);
	}
	const momentumOf = createMomentum(window.to);
	return [...nodes]
		.map(([trendId, { concept, role, sentences }]) => ({
			trendId,
			name: concept.title,
			role,
			momentum: momentumOf(concept.evidence),
			sentences,
		}))
		.sort((a, b) => b.momentum.score - a.momentum.score || (a.trendId < b.trendId ? -1 : 1))
		.slice(0, BRAND_LIMITS.trendsMax);
}

function isTrend({ type }: Concept): boolean {
	return type.toLowerCase() === "trend";
}

const LINKS_PER_NODE = 200;

async function linkedNodes({ nodes }: Brand) {
	const linked: (Placed & { readonly role: string })[] = [];
	for (const { graph, concept } of nodes) {
		const map = await graphMaps.ready(graph);
		const walk = createWalk(map, {}, LINKS_PER_NODE);
		walk.follow(placeOf(graph, concept.id), (edge, _, direction) => {
			const step = toStep(map, edge, direction);
			linked.push({ graph, concept: step.to, role: step.edge.type });
		});
	}
	return linked;
}

/** Other brands that are spoken of in the same sentences, most often first. */
export function findCoMentions(brand: Brand, mentions: readonly DatedMention[]) {
	const together = new Map<Brand, DatedMention[]>();
	for (const mention of mentions) {
		for (const other of mention.links.keys()) {
			if (other !== brand) addToList(together, other, mention);
		}
	}
	return [...together]
		.map(([other, own]) => ({
			brand: other,
			mentions: own,
			share: round(own.length / mentions.length),
		}))
		.sort((a, b) => b.mentions.length - a.mentions.length || (a.brand.key < b.brand.key ? -1 : 1))
		.slice(0, BRAND_LIMITS.coMentionsMax);
}
