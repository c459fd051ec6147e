import { notFound, type ServiceError } from "../../src/kernel/kernel.js";
import { groupSources } from "../answers/answers.js";
import type { Brand } from "./brand-grouping.js";
import { BRAND_MENTIONS_LEAST, BRAND_OWNERS_LEAST } from "./brand-index.js";
import type { Mention, MentionIndex } from "./brand-mentions.js";
import { type BrandReading, type BrandWindow, measureFootprint } from "./brand-reading.js";

/** How much is said of a brand, and by how many independent owners of sources. */
export function measureSaid(mentions: readonly Mention[]) {
	const sources = mentions.flatMap(({ sentence }) => sentence.sources);
	const said = { mentions: mentions.length, owners: groupSources(sources).length };
	return {
		...said,
		isSold: said.mentions >= BRAND_MENTIONS_LEAST && said.owners >= BRAND_OWNERS_LEAST,
	};
}

/** "1 mention", "2 mentions". */
export function countOf(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const NEAREST = 3;

/**
 * Throws NOT_FOUND for a brand of which too little is said in the window to be sold, with what is known for free: how many mentions in how
 * many graphs, by how many owners, and the brands nearest to it that are sold.
 */
export function assertSold(
	{ brand, mentions }: BrandReading,
	window: BrandWindow,
	index: MentionIndex,
): void {
	const said = measureSaid(mentions);
	if (said.isSold) return;
	const { graphs } = measureFootprint(mentions);
	const nearest = nearestSold(brand, index).map(({ name }) => name);
	throw tooLittle(brand, { ...said, graphs, nearest, window });
}

function tooLittle(
	{ name }: Brand,
	{
		mentions,
		owners,
		graphs,
		nearest,
		window,
	}: Pick<ReturnType<typeof measureSaid>, "mentions" | "owners"> & {
		readonly graphs: number;
		readonly nearest: readonly string[];
		readonly window: BrandWindow;
	},
): ServiceError {
	const days = window.from === null ? `up to ${window.to}` : `from ${window.from} to ${window.to}`;
	const others = nearest.length > 0 ? ` Nearest brands with enough: ${nearest.join(", ")}.` : "";
	return notFound(
		`${name} has ${countOf(mentions, "mention")} in ${countOf(graphs, "graph")}, by ${countOf(owners, "independent owner")} of sources, ${days}; it is sold from ${BRAND_MENTIONS_LEAST} mentions by ${BRAND_OWNERS_LEAST} owners on.${others}`,
		{
			details: [
				{ path: "mentions", message: String(mentions) },
				{ path: "graphs", message: String(graphs) },
				{ path: "owners", message: String(owners) },
				{ path: "nearest", message: nearest.join(", ") },
			],
		},
	);
}

/** Its maker and products, those named with it, then those of the same graphs with most tags in common. */
function nearestSold(brand: Brand, index: MentionIndex): readonly Brand[] {
	const own = index.get(brand) ?? [];
	const beside = own.flatMap(({ links }) => [...links.keys()]);
	const graphs = new Set(brand.nodes.map(({ graph }) => graph.record.id));
	const inGraphs = [...index]
		.filter(([other]) => other.nodes.some(({ graph }) => graphs.has(graph.record.id)))
		.map(([other]) => other)
		.sort((a, b) => sharedTags(brand, b) - sharedTags(brand, a));
	const family = [...(brand.maker ? [brand.maker] : []), ...brand.products];
	const near = new Set([...family, ...beside, ...inGraphs]);
	near.delete(brand);
	const sold: Brand[] = [];
	for (const other of near) {
		if (sold.length >= NEAREST) break;
		if (measureSaid(index.get(other) ?? []).isSold) sold.push(other);
	}
	return sold;
}

function sharedTags(one: Brand, other: Brand): number {
	const tagsOf = ({ nodes }: Brand) => new Set(nodes.flatMap(({ concept }) => concept.tags));
	const own = tagsOf(one);
	return [...tagsOf(other)].filter((tag) => own.has(tag)).length;
}
