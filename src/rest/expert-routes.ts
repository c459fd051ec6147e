import { z } from "zod";
import {
	digitsField,
	LIMITS,
	queryField,
	READING_LIMITS,
	requestComponent,
} from "../contract/contract.js";
import { dataRoute } from "./define-route.js";
import {
	analystDetailSchema,
	analystListSchema,
	expertDetailSchema,
	expertListSchema,
	expertMatchSchema,
	expertPageSchema,
} from "./expert-schemas.js";
import type { DataRoute } from "./route.js";

type ExpertOperationId =
	| "experts.search"
	| "experts.list"
	| "experts.get"
	| "experts.match"
	| "analysts.list"
	| "analysts.get";

const DEFAULT_COUNT = 10;
const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;
const COUNT_MAX = 50;
const NAME_CHARS = 200;

const nothing = z.strictObject({});
const countField = digitsField(COUNT_MAX).default(DEFAULT_COUNT);
const nameField = z.string().trim().min(1, "must not be empty").max(NAME_CHARS);

const desk = {
	agent_id: "api-design-desk",
	name: "API design desk",
	headline: "Interfaces that machines can use unattended",
	topics: ["http", "api design"],
	graphs: ["api-design-desk"],
	is_ai_twin: true,
	disclosure: "A synthetic desk; no person stands behind it.",
};
const coverage = { notes: 18, sources: 31, updated: "2026-01-31" };
const analyst = {
	analyst: "python-evolution",
	name: "Python analyst",
	domain: "The Python language",
	method: "Counts what is adopted and says how sure that is.",
	topics: ["typing", "packaging"],
};

const matchBody = requestComponent(
	"ExpertMatchRequest",
	z.strictObject({
		question: queryField.describe("What somebody should be able to answer"),
		limit: z.int().min(1).max(COUNT_MAX).default(DEFAULT_COUNT),
	}),
);

/** Experts, analysts, and names to type. Spec: Endpoints, free operations; all but the first are additions. */
export const EXPERT_ROUTES: Readonly<Record<ExpertOperationId, DataRoute>> = {
	"experts.search": dataRoute({
		operationId: "experts.search",
		summary: "Find an expert",
		description:
			"Experts for a topic or question, best first: desks and the specialists of rosters. Synthetic ones say so.",
		path: nothing,
		query: z.strictObject({
			q: queryField,
			limit: countField.describe("Number of experts wanted"),
		}),
		isList: true,
		freshness: "live",
		// What no profile names is searched for as a match is.
		callsPerMinute: LIMITS.routedQueriesPerMinute,
		data: expertListSchema,
		answer: (free, { query, signal }) => free.expertsSearch(query.q, query.limit, signal),
		example: {
			query: { q: "api design", limit: "5" },
			data: { items: [{ ...desk, score: 0.82 }] },
		},
	}),
	"experts.list": dataRoute({
		operationId: "experts.list",
		summary: "Roster of experts",
		description: "Every expert in the order of the ids, a page at a time, also of one topic.",
		path: nothing,
		query: z.strictObject({
			topic: nameField.optional().describe("Only experts who name this topic, in either case"),
			limit: digitsField(PAGE_MAX).default(PAGE_DEFAULT).describe("Experts on a page"),
			cursor: z
				.string()
				.max(READING_LIMITS.cursorChars)
				.optional()
				.describe("meta.next_cursor of the page before"),
		}),
		isList: true,
		freshness: "catalog",
		data: expertPageSchema,
		answer: (free, { query }) => free.experts.list(query),
		example: { query: { limit: "50" }, data: { items: [desk] } },
	}),
	"experts.get": dataRoute({
		operationId: "experts.get",
		summary: "One expert",
		description: "A profile, with what the expert covers in numbers and questions to ask.",
		path: z.strictObject({ agent_id: nameField.describe("agent_id of a list") }),
		query: nothing,
		isList: false,
		freshness: "catalog",
		data: expertDetailSchema,
		answer: (free, { path }) => free.experts.get(path.agent_id),
		example: {
			path: { agent_id: "api-design-desk" },
			data: {
				...desk,
				consent: { basis: "synthetic", until: null },
				questions: ["How should an API paginate?"],
				coverage,
			},
		},
	}),
	"experts.match": dataRoute({
		operationId: "experts.match",
		summary: "Best experts for a question",
		description:
			"By profile and by what the experts' notes hold, with reasons. Nothing of the notes is given away; the question is kept nowhere.",
		path: nothing,
		query: nothing,
		body: matchBody,
		isList: true,
		freshness: "live",
		callsPerMinute: LIMITS.routedQueriesPerMinute,
		data: expertMatchSchema,
		answer: async (free, { body, signal }) => ({
			items: await free.expertsMatch(body.question, body.limit, signal),
		}),
		example: {
			body: { question: "How should an API paginate?", limit: 3 },
			data: { items: [{ ...desk, score: 0.71, reasons: { words: ["API"], notes: 2 } }] },
		},
	}),
	"analysts.list": dataRoute({
		operationId: "analysts.list",
		summary: "Synthetic analysts",
		description: "Every analyst of the catalog with its domain and method.",
		path: nothing,
		query: nothing,
		isList: true,
		freshness: "catalog",
		data: analystListSchema,
		answer: (free) => free.analysts.list(),
		example: { data: { items: [analyst] } },
	}),
	"analysts.get": dataRoute({
		operationId: "analysts.get",
		summary: "One analyst",
		description: "Method, coverage in numbers, and questions to ask.",
		path: z.strictObject({ analyst: nameField.describe("Its graph's id, or its name") }),
		query: nothing,
		isList: false,
		freshness: "catalog",
		data: analystDetailSchema,
		answer: (free, { path }) => free.analysts.get(path.analyst),
		example: {
			path: { analyst: "python-evolution" },
			data: { ...analyst, questions: ["Which Python trends are still drafts?"], coverage },
		},
	}),
};
