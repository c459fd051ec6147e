import { z } from "zod";
import {
	candidatesField,
	matchScoreField,
	nameField,
	whyField,
} from "../../skills/entities/entities.js";
import {
	catalogPageQuery,
	isoDayField as dayField,
	EVIDENCE_LIMITS,
	type FreeOperationId,
	replyComponent,
	requestComponent,
} from "../contract/contract.js";
import { dataRoute } from "./define-route.js";
import type { DataRoute } from "./route.js";

type BrandOperationId = Extract<FreeOperationId, "brands.list" | "brands.resolve" | "brands.get">;

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
			oldest: dayField.nullable().describe("Day of the oldest dated source"),
			newest: dayField.nullable(),
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

const nothing = z.strictObject({});
const brand = {
	brand: "linux-kernel",
	name: "Linux kernel",
	types: ["Entity"],
	graphs: ["exploited-vulnerabilities"],
	nodes: 1,
};

/** Organisations and products the graphs have nodes of. Additive to the contract. */
export const BRAND_ROUTES: Readonly<Record<BrandOperationId, DataRoute>> = {
	"brands.list": dataRoute({
		operationId: "brands.list",
		summary: "Brands the graphs know",
		description:
			"Every node of a type such as Entity, Organization, Company, Brand or Product, those of one name together, a page at a time.",
		path: nothing,
		query: z.strictObject(catalogPageQuery),
		isList: true,
		freshness: "catalog",
		data: brandListSchema,
		answer: (free, { query }) => free.brands.list(query),
		example: { query: { limit: "50" }, data: { items: [brand] } },
	}),
	"brands.resolve": dataRoute({
		operationId: "brands.resolve",
		summary: "Find a brand",
		description:
			"Brands for a name, domain or ticker symbol, best first, with the reason; an empty list when nobody is called so.",
		path: nothing,
		query: nothing,
		body: resolveBody,
		isList: true,
		freshness: "live",
		data: brandCandidatesSchema,
		answer: (free, { body }) => free.brands.resolve(body),
		example: {
			body: { name: "linux-kernel", limit: 3 },
			data: {
				items: [
					{
						brand: brand.brand,
						name: brand.name,
						score: 1,
						why: "exact title",
						matched: brand.name,
					},
				],
			},
		},
	}),
	"brands.get": dataRoute({
		operationId: "brands.get",
		summary: "One brand",
		description: "Its names, types and tags, and what the graphs hold of it, in numbers.",
		path: z.strictObject({
			brand: z.string().trim().min(1).max(EVIDENCE_LIMITS.brandChars).describe("brand of a list"),
		}),
		query: nothing,
		isList: false,
		freshness: "catalog",
		data: brandDetailSchema,
		answer: (free, { path }) => free.brands.get(path.brand),
		example: {
			path: { brand: brand.brand },
			data: {
				...brand,
				aliases: ["Linux"],
				tags: ["linux", "kernel"],
				coverage: { sources: 5, oldest: "2021-11-03", newest: "2025-06-17" },
			},
		},
	}),
};
