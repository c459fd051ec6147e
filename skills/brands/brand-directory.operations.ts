import { z } from "zod";
import {
	cursorField,
	dataOperation,
	digitsField,
	EVIDENCE_LIMITS,
	graphIdField,
	isoDayField,
	replyComponent,
	requestComponent,
	type Services,
} from "../../src/contract/contract.js";
import { candidatesField, matchScoreField, nameField, whyField } from "../entities/entities.js";

const brandFields = {
	brand: z.string().describe("Its name in addresses"),
	name: z.string(),
	types: z.array(z.string()),
	graphs: z.array(z.string()),
	nodes: z.int(),
};
const brandListSchema = replyComponent(
	"BrandList",
	z.object({ items: z.array(replyComponent("Brand", z.object(brandFields))) }),
);
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
const brandCandidatesSchema = replyComponent(
	"BrandCandidates",
	z.object({
		items: z.array(
			z.object({
				brand: z.string(),
				name: z.string(),
				score: matchScoreField,
				why: z.enum([...whyField.options, "domain", "ticker"]),
				matched: z.string().describe("The name it was found by"),
			}),
		),
	}),
);
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

type Directory = Pick<Services, "brands">;

/** Organizations and products the graphs have nodes of. Additive to the contract. */
export const brandList = dataOperation({
	id: "brands.list",
	method: "GET",
	path: "/v1/brands",
	summary: "Brands the graphs know",
	description:
		"Every node of a type such as Entity, Organization, Company, Brand or Product, those of one name together, a page at a time.",
	query: z.strictObject({
		graph_id: graphIdField.optional().describe("Of this graph only"),
		limit: digitsField(EVIDENCE_LIMITS.listMax)
			.default(EVIDENCE_LIMITS.listDefault)
			.describe("Items on a page"),
		cursor: cursorField.optional(),
	}),
	isList: true,
	freshness: "catalog",
	data: brandListSchema,
	create:
		({ brands }: Directory) =>
		({ query }) =>
			brands.list(query),
	example: { query: { limit: "50" } },
});

/** Brands by what is known of them. Additive to the contract. */
export const brandResolution = dataOperation({
	id: "brands.resolve",
	method: "POST",
	path: "/v1/brands/resolve",
	summary: "Find a brand",
	description:
		"Brands for a name, domain or ticker symbol, best first, with the reason; an empty list when nobody is called so.",
	body: resolveBody,
	isList: true,
	freshness: "live",
	data: brandCandidatesSchema,
	create:
		({ brands }: Directory) =>
		({ body }) =>
			brands.resolve(body),
	example: { body: { name: "linux-kernel", limit: 3 } },
});

/** One of them. Additive to the contract. */
export const brand = dataOperation({
	id: "brands.get",
	method: "GET",
	path: "/v1/brands/{brand}",
	summary: "One brand",
	description: "Its names, types and tags, and what the graphs hold of it, in numbers.",
	params: z.strictObject({
		brand: z.string().trim().min(1).max(EVIDENCE_LIMITS.brandChars).describe("brand of a list"),
	}),
	isList: false,
	freshness: "catalog",
	data: brandDetailSchema,
	create:
		({ brands }: Directory) =>
		({ params }) =>
			brands.get(params.brand),
	example: { params: { brand: "linux-kernel" } },
});
