import { type Json, readCursor, toCursor } from "../../src/contract/contract.js";
import { findNearNames, measureCoverage } from "../../src/evidence/evidence.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { MatchReason } from "../entities/entities.js";
import { type Brand, brandIndexOf } from "./brand-index.js";
import { namesInDomain, namesInTicker, noSuchBrand } from "./brand-names.js";

export interface BrandListRequest {
	readonly graph_id?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** What somebody knows of a brand; each that is given is looked for. */
export interface BrandClue {
	readonly name?: string | undefined;
	readonly domain?: string | undefined;
	readonly ticker?: string | undefined;
	readonly limit: number;
}

interface BrandCandidate {
	readonly brand: string;
	readonly name: string;
	readonly score: number;
	readonly why: MatchReason | "domain" | "ticker";
	/** The name it was found by. */
	readonly matched: string;
}

export type BrandDirectory = ReturnType<typeof createBrandDirectory>;

/** Brands the graphs know: names and numbers only, what is said of them is for sale. */
export function createBrandDirectory({ catalog }: { readonly catalog: GraphCatalog }) {
	return {
		/** In the order of the keys. Throws INVALID_ARGUMENT for a cursor of another list, NOT_FOUND for an unknown graph. */
		async list({ graph_id: graphId, limit, cursor }: BrandListRequest): Promise<Json> {
			if (graphId !== undefined) catalog.assertKnown(graphId);
			const identity = { list: "brands", asked: { graph_id: graphId ?? null } };
			const [after = ""] = cursor === undefined ? [] : readCursor(cursor, identity, 1);
			const { brands } = await brandIndexOf(catalog);
			const rest = brands.filter(
				({ key, nodes }) =>
					key > after &&
					(graphId === undefined || nodes.some(({ graph }) => graph.record.id === graphId)),
			);
			const page = rest.slice(0, limit);
			const last = page.at(-1);
			const next = last && rest.length > limit ? toCursor(identity, [last.key]) : null;
			return { items: page.map(toItem), next_cursor: next };
		},

		/** Best first. */
		async resolve({ name, domain, ticker, limit }: BrandClue) {
			const { names } = await brandIndexOf(catalog);
			const named = name === undefined ? [] : names.find(name, limit).map(toCandidate);
			const others = [
				...foundBy(names, "domain", domain === undefined ? [] : namesInDomain(domain), limit),
				...foundBy(names, "ticker", ticker === undefined ? [] : namesInTicker(ticker), limit),
			];
			const best = new Map<string, BrandCandidate>();
			for (const candidate of [...named, ...others]) {
				const known = best.get(candidate.brand);
				if (!known || known.score < candidate.score) best.set(candidate.brand, candidate);
			}
			const items = [...best.values()].sort((a, b) => b.score - a.score).slice(0, limit);
			return { items };
		},

		/** Throws NOT_FOUND, with near names. */
		async get(key: string): Promise<Json> {
			const { byKey } = await brandIndexOf(catalog);
			const brand = byKey.get(key.toLowerCase());
			if (brand) return toDetail(brand);
			throw noSuchBrand(key, await findNearNames(key, byKey.keys()));
		},
	};
}

type Names = Awaited<ReturnType<typeof brandIndexOf>>["names"];

const CLUE_SHARE = 0.95;
const WEAKER = 0.1;

/** Each name is a weaker clue than the one before it; what is only spelled alike is none. */
function foundBy(
	names: Names,
	why: "domain" | "ticker",
	clues: readonly string[],
	limit: number,
): readonly BrandCandidate[] {
	return clues.flatMap((clue, index) =>
		names
			.find(clue, limit)
			.filter((match) => match.why !== "near spelling")
			.map((match) => ({
				...toCandidate(match),
				score: round(match.score * (CLUE_SHARE - WEAKER * index)),
				why,
			})),
	);
}

function toCandidate(match: ReturnType<Names["find"]>[number]): BrandCandidate {
	const { named, score, why, matched } = match;
	return { brand: named.key, name: named.name, score: round(score), why, matched };
}

function toItem({ key, name, nodes }: Brand) {
	return {
		brand: key,
		name,
		types: [...new Set(nodes.map(({ concept }) => concept.type))],
		graphs: [...new Set(nodes.map(({ graph }) => graph.record.id))],
		nodes: nodes.length,
	};
}

function toDetail(brand: Brand) {
	const { nodes, name } = brand;
	const concepts = nodes.map(({ concept }) => concept);
	const { graphs, ...item } = toItem(brand);
	const others = concepts.flatMap(({ title, aliases }) => [title, ...aliases]);
	return {
		...item,
		aliases: [...new Set(others)].filter((other) => other !== name),
		tags: [...new Set(concepts.flatMap(({ tags }) => tags))],
		graphs,
		coverage: measureCoverage(concepts),
	};
}

function round(value: number): number {
	return Math.round(value * 1000) / 1000;
}
