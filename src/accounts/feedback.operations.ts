import { z } from "zod";
import { trendIdField } from "../../skills/graphs/graphs.js";
import {
	LIMITS,
	ownerOperation,
	pageQueryUpTo,
	replyComponent,
	replyList,
	requestComponent,
	type Services,
	trimmedUpTo,
} from "../contract/contract.js";

const idField = z.string().min(1, "must not be empty").max(80);

const feedbackBody = requestComponent(
	"FeedbackOrder",
	z
		.strictObject({
			request_id: idField.describe("meta.request_id of the answer").optional(),
			receipt_id: idField.describe("meta.cost.receipt_id of the answer").optional(),
			trend_id: trendIdField.describe("The row it is about").optional(),
			useful: z.boolean("must be true or false"),
			note: trimmedUpTo(LIMITS.feedbackChars)
				.describe("What was good or missing; not kept for accounts that keep no text")
				.optional(),
		})
		.refine(
			({ request_id, receipt_id }) => (request_id ?? receipt_id) !== undefined,
			'send at least one of "request_id" and "receipt_id"',
		),
);
export type FeedbackOrder = z.output<typeof feedbackBody>;

export const feedbackSchema = replyComponent(
	"Feedback",
	z.object({
		id: z.string(),
		request_id: z.string().nullable(),
		receipt_id: z.string().nullable(),
		trend_id: z.string().nullable(),
		useful: z.boolean(),
		note: z.string().nullable(),
		created_at: z.iso.datetime(),
		expires_at: z.iso.datetime().describe("When it is forgotten"),
	}),
);
export type FeedbackWire = z.output<typeof feedbackSchema>;

const feedbackListSchema = replyList("FeedbackList", feedbackSchema);
const deletedSchema = replyComponent(
	"DeletedFeedback",
	z.object({ id: z.string(), status: z.literal("deleted") }),
);

const FEEDBACK_ID = "fbk_01kg9yz3v0f6x2m8q4t7w1ab2c";
const feedback = {
	id: FEEDBACK_ID,
	request_id: "req_01kg9yz3v0f6x2m8q4t7w1ab2c",
	receipt_id: null,
	trend_id: "kubernetes-enhancements:trends.job-api",
	useful: true,
	note: "Answers the question and cites the proposal.",
	created_at: "2026-11-30T12:00:00.000Z",
	expires_at: "2027-11-30T12:00:00.000Z",
};
const { note, request_id, trend_id } = feedback;
const callsPerMinute = LIMITS.accountChangesPerMinute;

/** What callers say of answers. Additive to the contract. */
export const feedbackGive = ownerOperation({
	id: "feedback.give",
	at: "POST /v1/feedback",
	summary: "Say whether an answer was useful",
	description:
		"Of a call by its request or receipt id, also of one row. Kept for twelve months for the operator to read, exported and erased with the account; it trains nothing.",
	callsPerMinute,
	body: feedbackBody,
	status: 201,
	data: feedbackSchema,
	answer: (services: Services, request) => services.feedback.give(request.caller, request.body),
	example: { body: { request_id, trend_id, useful: true, note } },
});

export const feedbackList = ownerOperation({
	id: "feedback.list",
	at: "GET /v1/feedback",
	summary: "Feedback that was given",
	description: "What this account or token has said of answers, oldest first.",
	callsPerMinute: LIMITS.accountReadsPerMinute,
	query: z.strictObject(pageQueryUpTo(LIMITS.accountCallsMax, LIMITS.accountCallsDefault)),
	isList: true,
	data: feedbackListSchema,
	answer: ({ feedback }: Services, { caller, query }) => feedback.list(caller, query),
	example: { query: { limit: "20" } },
});

export const feedbackDelete = ownerOperation({
	id: "feedback.delete",
	at: "DELETE /v1/feedback/{feedback_id}",
	summary: "Delete feedback",
	description: "One piece of feedback with its note, at once.",
	callsPerMinute,
	params: z.strictObject({ feedback_id: idField.describe("id of a list") }),
	data: deletedSchema,
	answer: ({ feedback }: Services, { caller, params }) =>
		feedback.remove(caller, params.feedback_id),
	example: { params: { feedback_id: FEEDBACK_ID } },
});
