import {
	type CitedSentence,
	createMomentum,
	type Momentum,
	toCitedSentences,
} from "../../src/evidence/evidence.js";
import { type Concept, toTrendId } from "../../src/knowledge/knowledge.js";
import { createWalk, graphMaps, placeOf, toStep } from "../graphs/graphs.js";
import type { Brand, BrandNode } from "./brand-index.js";
import { BRAND_LIMITS } from "./brand-limits.js";
import { type BrandWindow, type DatedMention, sentenceWithin } from "./brand-reading.js";
import { groupByNode } from "./brand-signals.js";
import { round } from "./brand-tone.js";

/** A trend that a brand has a part in. */
interface BrandTrend {
	readonly trendId: string;
	readonly name: string;
	/** "names it", or the type of the edge between them. */
	readonly role: string;
	readonly momentum: Momentum;
	readonly sentences: readonly CitedSentence[];
}

/**
 * Trends that name the brand in the window or are linked with its nodes, each with what it is cited for in the window; by
 * momentum as of the window's end.
 */
export async function findTrends(
	brand: Brand,
	mentions: readonly DatedMention[],
	window: BrandWindow,
): Promise<readonly BrandTrend[]> {
	const momentumOf = createMomentum(window.to);
	const trends = new Map<string, BrandTrend>();
	const add = (
		{ graph, concept }: BrandNode,
		role: string,
		sentences: readonly CitedSentence[],
	) => {
		const trendId = toTrendId(graph.record.id, concept.id);
		if (!isTrend(concept) || trends.has(trendId) || sentences.length === 0) return;
		const momentum = momentumOf(concept.evidence);
		const told = sentences.slice(0, BRAND_LIMITS.evidencePerItem);
		trends.set(trendId, { trendId, name: concept.title, role, momentum, sentences: told });
	};
	for (const node of groupByNode(mentions)) {
		const sentences = node.mentions.map(({ sentence }) => sentence);
		add(node, "names it", sentences);
	}
	for (const node of await linkedNodes(brand)) {
		if (!isTrend(node.concept)) continue;
		const said = toCitedSentences(node.graph, node.concept);
		const told = said.flatMap((sentence) => sentenceWithin(sentence, window) ?? []);
		add(node, node.role, told.slice(0, 1));
	}
	return [...trends.values()]
		.sort((a, b) => b.momentum.score - a.momentum.score || (a.trendId < b.trendId ? -1 : 1))
		.slice(0, BRAND_LIMITS.trendsTold);
}

function isTrend({ type }: Concept): boolean {
	return type.toLowerCase() === "trend";
}

const LINKS_PER_NODE = 200;

async function linkedNodes({ nodes }: Brand) {
	const linked: (BrandNode & { readonly role: string })[] = [];
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
		for (const other of mention.brands) {
			if (other !== brand) together.set(other, [...(together.get(other) ?? []), mention]);
		}
	}
	return [...together]
		.map(([other, own]) => ({
			brand: other,
			mentions: own,
			share: round(own.length / mentions.length),
		}))
		.sort((a, b) => b.mentions.length - a.mentions.length || (a.brand.key < b.brand.key ? -1 : 1))
		.slice(0, BRAND_LIMITS.coMentionsTold);
}
