import { z } from "zod";
import {
	dataOperation,
	digitsField,
	LIMITS,
	pageQueryUpTo,
	queryField,
	READING_LIMITS,
	requestComponent,
	type Services,
} from "../../src/contract/contract.js";
import { agentIdField, CONSULT_LIMITS } from "./consult-wire.js";
import {
	expertDetailSchema,
	expertListSchema,
	expertMatchSchema,
	expertPageSchema,
	expertSourcesSchema,
	questionListSchema,
} from "./expert-wire.js";

const COUNT_DEFAULT = 10;
const COUNT_MAX = 50;
const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;

const nameField = z.string().trim().min(1, "must not be empty").max(CONSULT_LIMITS.nameChars);

type Needs = Pick<Services, "experts">;

/** Experts for a topic. Spec: Endpoints, free operations. */
export const expertsSearch = dataOperation({
	id: "experts.search",
	at: "GET /v1/experts/search",
	summary: "Find an expert",
	description:
		"Experts for a topic or question, best first: desks and the specialists of rosters. Synthetic ones say so.",
	query: z.strictObject({
		q: queryField,
		limit: digitsField(COUNT_MAX).default(COUNT_DEFAULT).describe("Number of experts wanted"),
	}),
	isList: true,
	// What no profile names is searched for as a match is.
	callsPerMinute: LIMITS.routedQueriesPerMinute,
	data: expertListSchema,
	answer: ({ expertsSearch }: Pick<Services, "expertsSearch">, { query, signal }) =>
		expertsSearch(query.q, query.limit, signal),
	example: { query: { q: "api design", limit: "5" } },
});

/** Additive to the contract, as all that follow. */
export const expertList = dataOperation({
	id: "experts.list",
	at: "GET /v1/experts",
	summary: "Roster of experts",
	description: "Every expert in the order of the ids, a page at a time, also of one topic.",
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
	answer: (services: Needs, request) => services.experts.list(request.query),
	example: { query: { limit: "50" } },
});

export const expert = dataOperation({
	id: "experts.get",
	at: "GET /v1/experts/{agent_id}",
	summary: "One expert",
	description: "A profile, with what the expert covers in numbers and questions to ask.",
	params: z.strictObject({ agent_id: nameField.describe("agent_id of a list") }),
	freshness: "catalog",
	data: expertDetailSchema,
	answer: (services: Needs, request) => services.experts.get(request.params.agent_id),
	example: { params: { agent_id: "api-design-desk" } },
});

export const expertMatch = dataOperation({
	id: "experts.match",
	at: "POST /v1/experts/match",
	summary: "Best experts for a question",
	description:
		"By profile and by what the experts' notes hold, with reasons. Nothing of the notes is given away; the question is kept nowhere.",
	body: requestComponent(
		"ExpertMatchRequest",
		z.strictObject({
			question: queryField.describe("What somebody should be able to answer"),
			limit: z.int().min(1).max(COUNT_MAX).default(COUNT_DEFAULT),
		}),
	),
	isList: true,
	callsPerMinute: LIMITS.routedQueriesPerMinute,
	data: expertMatchSchema,
	answer: async ({ expertsMatch }: Pick<Services, "expertsMatch">, { body, signal }) => ({
		items: await expertsMatch(body.question, body.limit, signal),
	}),
	example: { body: { question: "How should an API paginate?", limit: 3 } },
});

const params = z.strictObject({ agent_id: agentIdField });
const example = { params: { agent_id: "transport-security-desk" } };

export const expertQuestions = dataOperation({
	id: "experts.questions",
	at: "GET /v1/experts/{agent_id}/questions",
	summary: "Questions for an expert",
	description: "Questions that the expert's notes answer.",
	params,
	isList: true,
	freshness: "catalog",
	data: questionListSchema,
	answer: (services: Needs, request) => services.experts.questions(request.params.agent_id),
	example,
});

export const expertSources = dataOperation({
	id: "experts.sources",
	at: "GET /v1/experts/{agent_id}/sources",
	summary: "What an expert's twin knows",
	description:
		"Hosts whose pages the expert's notes cite, in numbers; which pages, and what the notes say, is for sale.",
	params,
	query: z.strictObject(pageQueryUpTo(CONSULT_LIMITS.listMax, CONSULT_LIMITS.listDefault)),
	isList: true,
	freshness: "catalog",
	data: expertSourcesSchema,
	answer: ({ experts }: Needs, { params, query }) => experts.sources(params.agent_id, query),
	example: { ...example, query: { limit: "20" } },
});
