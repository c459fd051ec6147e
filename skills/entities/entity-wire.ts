import { z } from "zod";
import {
	EVIDENCE_LIMITS,
	graphIdField,
	replyComponent,
	requestComponent,
	trimmedUpTo,
} from "../../src/contract/contract.js";
import { dataOf, itemsOf } from "../articles/articles.js";

/** What travels of entities: names, and the nodes that stand for them. */

const { nameChars, namesMax, candidatesMax, candidatesDefault } = EVIDENCE_LIMITS;

export const nameField = trimmedUpTo(nameChars);

export const candidatesField = z
	.int("must be a whole number")
	.min(1, "must be at least 1")
	.max(candidatesMax, `must be at most ${candidatesMax}`)
	.default(candidatesDefault)
	.describe("Candidates wanted for each name");

export const entityResolveInput = requestComponent(
	"EntityResolveRequest",
	z.strictObject({
		names: z
			.array(nameField)
			.min(1, "must not be an empty list")
			.max(namesMax, `must list at most ${namesMax} names`)
			.describe("Titles, other names, or identifiers such as CVE-2021-44228"),
		graph_id: graphIdField.describe("Nodes of this graph only").optional(),
		limit: candidatesField,
	}),
);

export const entityIdField = z
	.string()
	.regex(/^ent_[0-9a-f]{20}$/, "must be an entity_id: ent_ and 20 hexadecimal digits")
	.describe("entity_id of a candidate");
export const entityInput = z.strictObject({ entity_id: entityIdField });

/** Why a node was found under a name. */
const MATCH_REASONS = [
	"exact title",
	"alias",
	"identifier",
	"part of a name",
	"near spelling",
] as const;
export type MatchReason = (typeof MATCH_REASONS)[number];
export const whyField = z.enum(MATCH_REASONS);
export const matchScoreField = z
	.number()
	.describe("1 for an exact title, 0.95 for an alias, 0.9 for an identifier, less for likeness");

const candidateSchema = z.object({
	entity_id: z.string(),
	trend_id: z.string(),
	graph_id: z.string(),
	node_id: z.string(),
	title: z.string(),
	type: z.string(),
	score: matchScoreField,
	why: whyField,
	matched: z.string().describe("The name it was found by, as it is written there"),
});

const resolvedNameSchema = replyComponent(
	"ResolvedName",
	z.object({
		name: z.string(),
		candidates: z.array(candidateSchema).describe("Best first; empty when nothing is called so"),
	}),
);

const entitySchema = replyComponent(
	"Entity",
	z.object({
		entity_id: z.string(),
		name: z.string(),
		types: z.array(z.string()),
		aliases: z.array(z.string()),
		tags: z.array(z.string()),
		coverage: z.object({
			graphs: z.int(),
			nodes: z.int(),
			sources: z.int().describe("Distinct addresses"),
			oldest: z.string().nullable().describe("Day of the oldest dated source"),
			newest: z.string().nullable(),
		}),
		mentions: z.array(
			z.object({
				graph_id: z.string(),
				graph_title: z.string(),
				nodes: z.array(
					z.object({
						trend_id: z.string(),
						node_id: z.string(),
						title: z.string(),
						type: z.string(),
						summary: z.string(),
						named_as: z.enum(["title", "alias"]),
						evidence_count: z.int(),
					}),
				),
			}),
		),
		is_complete: z.boolean().describe("False when it has more nodes than are listed"),
	}),
);

export const entityResolveOutput = itemsOf(resolvedNameSchema);
export const entityOutput = dataOf(entitySchema);
