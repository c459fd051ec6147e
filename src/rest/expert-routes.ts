import { z } from "zod";
import { digitsField, LIMITS } from "../contract/contract.js";
import { dataRoute } from "./define-route.js";
import { suggestionListSchema } from "./expert-schemas.js";
import type { DataRoute } from "./route.js";

const DEFAULT_COUNT = 10;
const COUNT_MAX = 50;
const NAME_CHARS = 200;

const nothing = z.strictObject({});
const countField = digitsField(COUNT_MAX).default(DEFAULT_COUNT);
const nameField = z.string().trim().min(1, "must not be empty").max(NAME_CHARS);

/** Names to type. Additive to the contract. */
export const EXPERT_ROUTES: Readonly<Record<"search.suggest", DataRoute>> = {
	"search.suggest": dataRoute({
		operationId: "search.suggest",
		summary: "Complete a name",
		description:
			"Topics and concepts whose name, or a word in it, begins with what was typed. Names are free; what a concept says, and its sources, are for sale.",
		callsPerMinute: LIMITS.suggestionsPerMinute,
		path: nothing,
		query: z.strictObject({
			q: nameField.min(2, "must have at least 2 characters").describe("What was typed so far"),
			limit: countField.describe("Number of suggestions wanted"),
		}),
		isList: true,
		freshness: "catalog",
		data: suggestionListSchema,
		answer: async (free, { query }) => ({ items: await free.suggest(query.q, query.limit) }),
		example: {
			query: { q: "idem", limit: "5" },
			data: { items: [{ text: "idempotency", kind: "topic", graphs: ["api-design-desk"] }] },
		},
	}),
};
