import { z } from "zod";
import { CONSULT_LIMITS } from "../../skills/experts/experts.js";
import {
	cursorField,
	digitsField,
	type FreeOperationId,
	LIMITS,
	type OwnerOperationId,
	type PaidOperationId,
} from "../contract/contract.js";
import {
	CONSULT_BODY,
	CONSULT_REPLY,
	CONSULTATION,
	PANEL_BODY,
	PANEL_REPLY,
} from "./consult-examples.js";
import {
	consultationData,
	consultationListData,
	consultationPath,
	consultBody,
	consultReply,
	expertPath,
	expertSourcesData,
	followUpBody,
	panelBody,
	panelReply,
	questionListData,
} from "./consult-schemas.js";
import { dataRoute, ownerRoute } from "./define-route.js";
import type { DataRoute, OwnerRoute, PaidRoute } from "./route.js";

type ConsultId = Extract<PaidOperationId, `human_agents.${string}`>;
type ConsultationId = Extract<OwnerOperationId, `human_agents.${string}`>;
type ExpertReadingId = Extract<FreeOperationId, "experts.questions" | "experts.sources">;

const nothing = z.strictObject({});
const BILLING =
	"Paid per call; an expert nobody knows, one without a recorded consent, and notes that do not answer cost nothing.";
const pageQuery = z.strictObject({
	limit: digitsField(CONSULT_LIMITS.listMax)
		.default(CONSULT_LIMITS.listDefault)
		.describe("Items on a page"),
	cursor: cursorField.optional(),
});
const callsPerMinute = LIMITS.accountReadsPerMinute;
const consultation_id = CONSULTATION.consultation_id;

/** What is asked of experts' twins. Spec: Endpoints, paid operations; all but the first are additions. */
export const CONSULT_ROUTES: Readonly<Record<ConsultId, PaidRoute>> = {
	"human_agents.consult": {
		kind: "paid",
		operationId: "human_agents.consult",
		summary: "Consult an expert's twin",
		description: `A machine answers from one expert's own notes, every sentence cited, and says what they do not cover. ${BILLING}`,
		path: nothing,
		query: nothing,
		body: consultBody,
		reply: consultReply,
		example: { body: CONSULT_BODY, reply: CONSULT_REPLY },
	},
	"human_agents.panel": {
		kind: "paid",
		operationId: "human_agents.panel",
		summary: "Ask several experts' twins",
		description: `Each answers from its own notes; a map says what they share, where they contradict each other and what one alone says. ${BILLING} From a balance only experts who answer are paid for.`,
		pricePer: "expert",
		path: nothing,
		query: nothing,
		body: panelBody,
		reply: panelReply,
		example: { body: PANEL_BODY, reply: PANEL_REPLY },
	},
	"human_agents.follow_up": {
		kind: "paid",
		operationId: "human_agents.follow_up",
		summary: "Ask the next question",
		description: `Goes on from a consultation of the caller's, while it is kept; a question that leaves its subject open is about what the earlier answer rests on. ${BILLING}`,
		path: consultationPath,
		query: nothing,
		body: followUpBody,
		reply: consultReply,
		example: {
			path: { consultation_id },
			body: { question: "And when should it be renewed?" },
			reply: CONSULT_REPLY,
		},
	},
};

/** Consultations that can be read again. Additive to the contract. */
export const CONSULTATION_ROUTES: Readonly<Record<ConsultationId, OwnerRoute>> = {
	"human_agents.consultations.list": ownerRoute({
		operationId: "human_agents.consultations.list",
		summary: "List consultations",
		description:
			"Those of the caller that are still kept, newest first. What a wallet paid for is opened by its id alone.",
		callsPerMinute,
		path: nothing,
		query: pageQuery,
		isList: true,
		data: consultationListData,
		answer: (owner, { caller, query }) => owner.consultations.list(caller, query),
		example: {
			query: { limit: "20" },
			data: {
				items: [
					{
						consultation_id,
						agent_id: CONSULTATION.expert.id,
						question: CONSULTATION.question,
						created_at: "2026-11-30T12:00:00.000Z",
						expires_at: "2026-12-01T12:00:00.000Z",
					},
				],
			},
		},
	}),
	"human_agents.consultations.get": ownerRoute({
		operationId: "human_agents.consultations.get",
		summary: "Read a consultation again",
		description:
			"For a day, for whoever paid for it. Unknown ids and those of others are answered alike.",
		callsPerMinute,
		opensById: true,
		path: consultationPath,
		query: nothing,
		isList: false,
		data: consultationData,
		answer: (owner, { caller, path }) => owner.consultations.get(caller, path.consultation_id),
		example: { path: { consultation_id }, data: CONSULTATION },
	}),
};

/** What an expert can be asked, and what it knows. Additive to the contract. */
export const EXPERT_READING_ROUTES: Readonly<Record<ExpertReadingId, DataRoute>> = {
	"experts.questions": dataRoute({
		operationId: "experts.questions",
		summary: "Questions for an expert",
		description: "Questions that the expert's notes answer.",
		path: expertPath,
		query: nothing,
		isList: true,
		freshness: "catalog",
		data: questionListData,
		answer: (free, { path }) => free.experts.questions(path.agent_id),
		example: {
			path: { agent_id: CONSULTATION.expert.id },
			data: { items: [{ question: CONSULTATION.question }] },
		},
	}),
	"experts.sources": dataRoute({
		operationId: "experts.sources",
		summary: "What an expert's twin knows",
		description:
			"Hosts whose pages the expert's notes cite, in numbers; which pages, and what the notes say, is for sale.",
		path: expertPath,
		query: pageQuery,
		isList: true,
		freshness: "catalog",
		data: expertSourcesData,
		answer: (free, { path, query }) => free.experts.sources(path.agent_id, query),
		example: {
			path: { agent_id: CONSULTATION.expert.id },
			query: { limit: "20" },
			data: {
				items: [
					{ host: "rfc-editor.org", articles: 31, oldest: "2008-01-01", newest: "2026-03-01" },
				],
			},
		},
	}),
};
