import { z } from "zod";
import {
	catalogPageQuery,
	dataOperation,
	EVIDENCE_LIMITS,
	isoDayField,
	replyComponent,
	replyList,
	requestComponent,
	type Services,
} from "../../src/contract/contract.js";
import { findNearNames, measureCoverage } from "../../src/evidence/evidence.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { candidatesField, matchScoreField, nameField, whyField } from "../entities/entities.js";
import { toPage } from "../graphs/graphs.js";
import type { Brand } from "./brand-grouping.js";
import {
	aliasesOf,
	type BrandIndex,
	brandIndexOf,
	namesInDomain,
	namesInTicker,
	noSuchBrand,
} from "./brand-index.js";
import { type Linking, type MentionIndex, mentionsByBrand } from "./brand-mentions.js";
import { measureSaid } from "./brand-minimum.js";
import { BRAND_RULE } from "./brand-wire.js";

const brandFields = {
	brand: z.string().describe("Its name in addresses"),
	name: z.string(),
	types: z.array(z.string()),
	graphs: z.array(z.string()),
	nodes: z.int(),
	mentions: z.int().describe("Sentences about it in all graphs"),
	owners: z.int().describe("Independent owners of their sources"),
	has_intelligence: z
		.boolean()
		.describe("Whether enough is said of it for POST /v1/brand-intelligence/{brand}"),
};
const brandListSchema = replyList("BrandList", replyComponent("Brand", z.object(brandFields)));
const brandDetailSchema = replyComponent(
	"BrandDetail",
	z.object({
		...brandFields,
		aliases: z.array(z.string()),
		tags: z.array(z.string()),
		coverage: z.object({
			sources: z.int().describe("Distinct addresses"),
			oldest: isoDayField.nullable().describe("Day of the oldest dated source"),
			newest: isoDayField.nullable(),
		}),
	}),
);
const candidateSchema = z.object({
	brand: z.string(),
	name: z.string(),
	score: matchScoreField,
	why: z.enum([...whyField.options, "domain", "ticker"]),
	matched: z.string().describe("The name it was found by"),
});
const brandCandidatesSchema = replyList("BrandCandidates", candidateSchema);
const listQuery = z.strictObject(catalogPageQuery);
const resolveBody = requestComponent(
	"BrandResolveRequest",
	z
		.strictObject({
			name: nameField.optional(),
			domain: nameField.describe("A domain or address, such as example.com").optional(),
			ticker: nameField.describe("A symbol, such as NASDAQ:ABCD").optional(),
			limit: candidatesField,
		})
		.refine(
			({ name, domain, ticker }) => (name ?? domain ?? ticker) !== undefined,
			'send at least one of "name", "domain" and "ticker"',
		),
);

type Needed = Pick<Services, "catalog" | "search">;

/** Organizations and products the graphs have documents of. Additive to the contract. */
export const brandList = dataOperation({
	id: "brands.list",
	at: "GET /v1/brands",
	summary: "Brands the graphs know",
	description: `Organizations and products with how much is said of them, and whether that is enough to be sold, a page at a time. ${BRAND_RULE}`,
	query: listQuery,
	isList: true,
	freshness: "catalog",
	data: brandListSchema,
	answer: (services: Needed, { query }) => listBrands(services, query),
	example: { query: { limit: "50" } },
});

/** Brands by what is known of them. Additive to the contract. */
export const brandResolution = dataOperation({
	id: "brands.resolve",
	at: "POST /v1/brands/resolve",
	summary: "Find a brand",
	description:
		"Brands for a name, domain or ticker symbol, best first, with the reason; an empty list when nobody is called so.",
	body: resolveBody,
	isList: true,
	data: brandCandidatesSchema,
	answer: ({ catalog }: Needed, { body }) => resolveBrand(catalog, body),
	example: { body: { name: "Apple", limit: 3 } },
});

/** One of them. Additive to the contract. */
export const brand = dataOperation({
	id: "brands.get",
	at: "GET /v1/brands/{brand}",
	summary: "One brand",
	description: "Its names, types and tags, and what the graphs hold of it, in numbers.",
	params: z.strictObject({
		brand: z.string().trim().min(1).max(EVIDENCE_LIMITS.brandChars).describe("brand of a list"),
	}),
	freshness: "catalog",
	data: brandDetailSchema,
	answer: (services: Needed, { params }) => describeBrand(services, params.brand),
	example: { params: { brand: "apple" } },
});

/**
 * Brands the graphs know, in the order of the keys: names and numbers only, what is said of them is for sale. Throws
 * INVALID_ARGUMENT for a cursor of another list, NOT_FOUND for an unknown graph.
 */
export async function listBrands(
	linking: Linking & { readonly catalog: GraphCatalog },
	{ graph_id: graphId, limit, cursor }: z.output<typeof listQuery>,
) {
	const { catalog } = linking;
	if (graphId !== undefined) catalog.assertKnown(graphId);
	const page = toPage("brands", { graph_id: graphId ?? null, limit, cursor }, 1);
	const [after = ""] = page.after ?? [];
	const { brands } = await brandIndexOf(catalog);
	const rest = brands.filter(
		({ key, nodes }) =>
			key > after &&
			(graphId === undefined || nodes.some(({ graph }) => graph.record.id === graphId)),
	);
	const shown = rest.slice(0, limit);
	const last = shown.at(-1);
	const mentions = await mentionsByBrand(linking);
	return {
		items: shown.map((brand) => toItem(brand, mentions)),
		next_cursor: page.next(rest.length > limit, last && [last.key]),
	};
}

type Candidate = z.infer<typeof candidateSchema>;

const CLUE_SHARE = 0.95;
const WEAKER = 0.1;

/** Brands for each clue that is given, best first. */
export async function resolveBrand(
	catalog: GraphCatalog,
	{ name, domain, ticker, limit }: z.output<typeof resolveBody>,
) {
	const { names } = await brandIndexOf(catalog);
	// Each name is a weaker clue than the one before it; what is only spelled alike is none.
	const foundBy = (why: "domain" | "ticker", clues: readonly string[]) =>
		clues.flatMap((clue, place) =>
			names
				.find(clue, limit)
				.filter((match) => match.why !== "near spelling")
				.map((match) => toCandidate(match, why, CLUE_SHARE - WEAKER * place)),
		);
	const candidates = [
		...(name === undefined ? [] : names.find(name, limit).map((match) => toCandidate(match))),
		...foundBy("domain", domain === undefined ? [] : namesInDomain(domain)),
		...foundBy("ticker", ticker === undefined ? [] : namesInTicker(ticker)),
	];
	const best = new Map<string, Candidate>();
	for (const candidate of candidates) {
		const known = best.get(candidate.brand);
		if (!known || known.score < candidate.score) best.set(candidate.brand, candidate);
	}
	const items = [...best.values()].sort((a, b) => b.score - a.score).slice(0, limit);
	return { items };
}

function toCandidate(
	{ named, score, why, matched }: ReturnType<BrandIndex["names"]["find"]>[number],
	clue: Candidate["why"] = why,
	share = 1,
): Candidate {
	const rounded = Math.round(score * share * 1000) / 1000;
	return { brand: named.key, name: named.name, score: rounded, why: clue, matched };
}

function toItem(brand: Brand, index: MentionIndex) {
	const { key, name, nodes } = brand;
	const { mentions, owners, isSold } = measureSaid(index.get(brand) ?? []);
	return {
		brand: key,
		name,
		types: [...new Set(nodes.map(({ concept }) => concept.type))],
		graphs: [...new Set(nodes.map(({ graph }) => graph.record.id))],
		nodes: nodes.length,
		...{ mentions, owners, has_intelligence: isSold },
	};
}

/** One brand in names and numbers. Throws NOT_FOUND, with near names. */
export async function describeBrand(linking: Linking, key: string) {
	const { byKey } = await brandIndexOf(linking.catalog);
	const brand = byKey.get(key.toLowerCase());
	if (!brand) throw noSuchBrand(key, await findNearNames(key, byKey.keys()));
	const concepts = brand.nodes.map(({ concept }) => concept);
	const { graphs, ...item } = toItem(brand, await mentionsByBrand(linking));
	return {
		...item,
		aliases: aliasesOf(brand),
		tags: [...new Set(concepts.flatMap(({ tags }) => tags))],
		graphs,
		coverage: measureCoverage(concepts),
	};
}
