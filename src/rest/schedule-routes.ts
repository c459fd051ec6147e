import { z } from "zod";
import {
	runIdField,
	runListFields,
	runSchema,
	SCHEDULE_LIMITS,
	scheduleIdField,
	scheduleSchema,
} from "../../skills/briefings/briefings.js";
import type {
	Caller,
	Credential,
	FreeOperationId,
	OwnerOperationId,
} from "../contract/contract.js";
import { dataRoute, documentRoute, ownerRoute } from "./define-route.js";
import type { DataRoute, DocumentRoute, OwnerRoute } from "./route.js";
import { BRIEFING, LINK_TOKEN, RUN, RUN_ID, SCHEDULE, SCHEDULE_ID } from "./schedule-examples.js";
import {
	consentSchema,
	previewBody,
	previewSchema,
	runListSchema,
	scheduleChangeBody,
	scheduleListSchema,
	testSchema,
} from "./schedule-schemas.js";

type ScheduleId<Id extends string> = Extract<Id, `research.schedules.${string}`>;

const nothing = z.strictObject({});
const path = z.strictObject({ schedule_id: scheduleIdField });
const runPath = z.strictObject({ schedule_id: scheduleIdField, run_id: runIdField });
const { linkTokenChars: tokenChars } = SCHEDULE_LIMITS;
const linkQuery = z.strictObject({
	token: z
		.string()
		.regex(/^[\w-]+$/, "must be the token of a link as it was")
		.max(tokenChars, `must have at most ${tokenChars} characters`)
		.describe("The token of a link in a mail, as it was"),
});
const { changesPerMinute, readsPerMinute, linksPerMinute } = SCHEDULE_LIMITS;
/** Whoever shows no credential is nobody in particular: the id alone tells what they may do (D6). */
const viewerOf = ({
	caller,
	credential,
}: {
	caller: Caller;
	credential: Credential | undefined;
}) => ({
	caller,
	isNamed: credential !== undefined,
});

/** Additive to the contract, except for list, change and cancel. */
export const SCHEDULE_ROUTES: Readonly<
	Record<ScheduleId<OwnerOperationId>, OwnerRoute> &
		Record<ScheduleId<FreeOperationId>, DataRoute | DocumentRoute>
> = {
	"research.schedules.list": ownerRoute({
		operationId: "research.schedules.list",
		summary: "List schedules",
		description:
			"Those of the credential that is shown; without one there are none to show. Targets are masked.",
		opensById: true,
		isOpen: true,
		callsPerMinute: readsPerMinute,
		path: nothing,
		query: nothing,
		isList: true,
		data: scheduleListSchema,
		answer: ({ schedules }, request) => schedules.list(viewerOf(request)),
		example: { data: { items: [SCHEDULE] } },
	}),
	"research.schedules.change": ownerRoute({
		operationId: "research.schedules.change",
		summary: "Change a schedule",
		description:
			"Topic, time, targets (null takes one away), pause and resume, and who pays for further weeks. Opened by its id; unknown ids and those of others are the same 404.",
		opensById: true,
		isOpen: true,
		callsPerMinute: changesPerMinute,
		path,
		query: nothing,
		body: scheduleChangeBody,
		isList: false,
		data: scheduleSchema,
		answer: ({ schedules }, request) =>
			schedules.change(viewerOf(request), request.path.schedule_id, request.body),
		example: {
			path: { schedule_id: SCHEDULE_ID },
			body: { hour: 9 },
			data: { ...SCHEDULE, hour: 9, next_run_at: "2026-11-30T08:00:00.000Z" },
		},
	}),
	"research.schedules.cancel": ownerRoute({
		operationId: "research.schedules.cancel",
		summary: "Cancel a schedule",
		description:
			"Nothing more is delivered or charged, and its topic and targets are deleted. Opened by its id, as a change is.",
		opensById: true,
		isOpen: true,
		callsPerMinute: changesPerMinute,
		path,
		query: nothing,
		isList: false,
		data: scheduleSchema,
		answer: ({ schedules }, request) =>
			schedules.cancel(viewerOf(request), request.path.schedule_id),
		example: {
			path: { schedule_id: SCHEDULE_ID },
			data: { ...SCHEDULE, status: "cancelled", channels: [], next_run_at: null },
		},
	}),
	"research.schedules.get": ownerRoute({
		operationId: "research.schedules.get",
		summary: "Read a schedule",
		description: "One schedule of the owner; one that a wallet paid for is opened by its id.",
		opensById: true,
		callsPerMinute: readsPerMinute,
		path,
		query: nothing,
		isList: false,
		data: scheduleSchema,
		answer: ({ schedules }, { caller, path: { schedule_id: id } }) => schedules.get(caller, id),
		example: { path: { schedule_id: SCHEDULE_ID }, data: SCHEDULE },
	}),
	"research.schedules.test": ownerRoute({
		operationId: "research.schedules.test",
		summary: "Test the targets of a schedule",
		description: `Sends a test to each target; an address that is not confirmed is asked again. At most ${SCHEDULE_LIMITS.extraMailsPerDay} a day.`,
		opensById: true,
		callsPerMinute: changesPerMinute,
		path,
		query: nothing,
		isList: false,
		data: testSchema,
		answer: ({ schedules }, { caller, path: { schedule_id: id } }) => schedules.test(caller, id),
		example: {
			path: { schedule_id: SCHEDULE_ID },
			data: { channels: [{ kind: "email", target_masked: "a…@e…", status: "asked_again" }] },
		},
	}),
	"research.schedules.runs.list": ownerRoute({
		operationId: "research.schedules.runs.list",
		summary: "Runs of a schedule",
		description: "What was delivered when, newest first.",
		opensById: true,
		callsPerMinute: readsPerMinute,
		path,
		query: z.strictObject(runListFields),
		isList: true,
		data: runListSchema,
		answer: ({ schedules }, { caller, path: { schedule_id: id }, query: { cursor } }) =>
			schedules.runs(caller, id, cursor),
		example: {
			path: { schedule_id: SCHEDULE_ID },
			data: { items: [withoutBriefing()] },
		},
	}),
	"research.schedules.runs.get": ownerRoute({
		operationId: "research.schedules.runs.get",
		summary: "Read one briefing",
		description: "One run with its briefing, for 24 hours; after that without.",
		opensById: true,
		callsPerMinute: readsPerMinute,
		path: runPath,
		query: nothing,
		isList: false,
		data: runSchema,
		answer: ({ schedules }, { caller, path: { schedule_id: id, run_id: runId } }) =>
			schedules.run(caller, id, runId),
		example: { path: { schedule_id: SCHEDULE_ID, run_id: RUN_ID }, data: RUN },
	}),
	"research.schedules.preview": dataRoute({
		operationId: "research.schedules.preview",
		summary: "Preview a briefing",
		description: "The beginning of a first briefing on a topic; nothing is kept or delivered.",
		callsPerMinute: SCHEDULE_LIMITS.previewsPerMinute,
		path: nothing,
		query: nothing,
		body: previewBody,
		isList: false,
		freshness: "live",
		data: previewSchema,
		answer: (free, { body, signal }) => free.scheduleLinks.preview(body, signal),
		example: {
			body: { topic: SCHEDULE.topic },
			data: { is_sample: true, briefing: BRIEFING },
		},
	}),
	"research.schedules.confirm": dataRoute({
		operationId: "research.schedules.confirm",
		summary: "Agree to briefings by mail",
		description:
			"With the link of the mail that asks the reader of an address; it works once. Whatever body is sent with it is not read.",
		callsPerMinute: linksPerMinute,
		path: nothing,
		query: linkQuery,
		isList: false,
		freshness: "secret",
		data: consentSchema,
		answer: (free, { query }) => free.scheduleLinks.confirm(query.token),
		example: {
			query: { token: LINK_TOKEN },
			data: { channel: "email", target_masked: "a…@e…", status: "confirmed" },
		},
	}),
	"research.schedules.confirm_page": documentRoute({
		operationId: "research.schedules.confirm_page",
		summary: "Page that asks whether to agree",
		description: "Opening it changes nothing; its form does.",
		mediaType: "text/html; charset=utf-8",
		path: nothing,
		query: linkQuery,
		answer: (free, { query }) => free.scheduleLinks.confirmPage(query.token),
		example: { query: { token: LINK_TOKEN }, document: "<!doctype html>" },
	}),
	"research.schedules.unsubscribe": dataRoute({
		operationId: "research.schedules.unsubscribe",
		summary: "Stop briefings by mail",
		description:
			"One-click unsubscription (RFC 8058), with the link of a mail; whatever body is sent with it is not read.",
		callsPerMinute: linksPerMinute,
		path: nothing,
		query: linkQuery,
		isList: false,
		freshness: "secret",
		data: consentSchema,
		answer: (free, { query }) => free.scheduleLinks.unsubscribe(query.token),
		example: {
			query: { token: LINK_TOKEN },
			data: { channel: "email", target_masked: "a…@e…", status: "unsubscribed" },
		},
	}),
	"research.schedules.unsubscribe_page": documentRoute({
		operationId: "research.schedules.unsubscribe_page",
		summary: "Page that asks whether to stop",
		description: "Opening it changes nothing; its form does.",
		mediaType: "text/html; charset=utf-8",
		path: nothing,
		query: linkQuery,
		answer: (free, { query }) => free.scheduleLinks.unsubscribePage(query.token),
		example: { query: { token: LINK_TOKEN }, document: "<!doctype html>" },
	}),
};

function withoutBriefing() {
	const { briefing: _, kept_until: __, ...item } = RUN;
	return item;
}
