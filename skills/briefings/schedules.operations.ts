import { z } from "zod";
import type { Caller, Credential } from "../../src/contract/contract.js";
import {
	dataOperation,
	documentOperation,
	ownerOperation,
	type Services,
} from "../../src/contract/contract.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import {
	consentSchema,
	previewBody,
	previewSchema,
	runListSchema,
	scheduleChangeBody,
	scheduleListSchema,
	testSchema,
} from "./schedule-reply-wire.js";
import {
	runIdField,
	runListFields,
	runSchema,
	scheduleIdField,
	scheduleSchema,
} from "./schedule-wire.js";

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
const SCHEDULE_ID = "sch_2q4t7w1ab2c0f6x2m8k9yz3v5n7r1d3h";
const RUN_ID = "run_8kq4t7w1ab2c0f6x2m9yz3v5n7";
const LINK_TOKEN = "c2FtcGxlLXRva2VuLW9mLW5vLXNjaGVkdWxl";
const { changesPerMinute, readsPerMinute, linksPerMinute } = SCHEDULE_LIMITS;
/** Anyone who shows no credential is no one in particular: the id alone tells what they may do (D6). */
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
export const researchSchedulesList = ownerOperation({
	id: "research.schedules.list",
	method: "GET",
	path: "/v1/research/schedules",
	summary: "List schedules",
	description:
		"Those of the credential that is shown; without one there are none to show. Targets are masked.",
	opensById: true,
	isOpen: true,
	callsPerMinute: readsPerMinute,
	isList: true,
	data: scheduleListSchema,
	create:
		({ schedules }: Pick<Services, "schedules">) =>
		(request) =>
			schedules.list(viewerOf(request)),
	example: {},
});

export const researchSchedulesChange = ownerOperation({
	id: "research.schedules.change",
	method: "PATCH",
	path: "/v1/research/schedules/{schedule_id}",
	summary: "Change a schedule",
	description:
		"Topic, time, targets (null takes one away), pause and resume, and who pays for further weeks. Opened by its id; unknown ids and those of others are the same 404.",
	opensById: true,
	isOpen: true,
	callsPerMinute: changesPerMinute,
	params: path,
	body: scheduleChangeBody,
	isList: false,
	data: scheduleSchema,
	create:
		({ schedules }: Pick<Services, "schedules">) =>
		(request) =>
			schedules.change(viewerOf(request), request.params.schedule_id, request.body),
	example: { params: { schedule_id: SCHEDULE_ID }, body: { hour: 9 } },
});

export const researchSchedulesCancel = ownerOperation({
	id: "research.schedules.cancel",
	method: "DELETE",
	path: "/v1/research/schedules/{schedule_id}",
	summary: "Cancel a schedule",
	description:
		"Nothing more is delivered or charged, and its topic and targets are deleted. Opened by its id, as a change is.",
	opensById: true,
	isOpen: true,
	callsPerMinute: changesPerMinute,
	params: path,
	isList: false,
	data: scheduleSchema,
	create:
		({ schedules }: Pick<Services, "schedules">) =>
		(request) =>
			schedules.cancel(viewerOf(request), request.params.schedule_id),
	example: { params: { schedule_id: SCHEDULE_ID } },
});

export const researchSchedulesGet = ownerOperation({
	id: "research.schedules.get",
	method: "GET",
	path: "/v1/research/schedules/{schedule_id}",
	summary: "Read a schedule",
	description: "One schedule of the owner; one that a wallet paid for is opened by its id.",
	opensById: true,
	callsPerMinute: readsPerMinute,
	params: path,
	isList: false,
	data: scheduleSchema,
	create:
		({ schedules }: Pick<Services, "schedules">) =>
		({ caller, params: { schedule_id: id } }) =>
			schedules.get(caller, id),
	example: { params: { schedule_id: SCHEDULE_ID } },
});

export const researchSchedulesTest = ownerOperation({
	id: "research.schedules.test",
	method: "POST",
	path: "/v1/research/schedules/{schedule_id}/test",
	summary: "Test the targets of a schedule",
	description: `Sends a test to each target; an address that is not confirmed is asked again. At most ${SCHEDULE_LIMITS.extraMailsPerDay} a day.`,
	opensById: true,
	callsPerMinute: changesPerMinute,
	params: path,
	isList: false,
	data: testSchema,
	create:
		({ schedules }: Pick<Services, "schedules">) =>
		({ caller, params: { schedule_id: id } }) =>
			schedules.test(caller, id),
	example: {
		params: { schedule_id: SCHEDULE_ID },
		data: { channels: [{ kind: "email", target_masked: "a…@e…", status: "asked_again" }] },
	},
});

export const researchSchedulesRunsList = ownerOperation({
	id: "research.schedules.runs.list",
	method: "GET",
	path: "/v1/research/schedules/{schedule_id}/runs",
	summary: "Runs of a schedule",
	description: "What was delivered when, newest first.",
	opensById: true,
	callsPerMinute: readsPerMinute,
	params: path,
	query: z.strictObject(runListFields),
	isList: true,
	data: runListSchema,
	create:
		({ schedules }: Pick<Services, "schedules">) =>
		({ caller, params: { schedule_id: id }, query: { cursor } }) =>
			schedules.runs(caller, id, cursor),
	example: { params: { schedule_id: SCHEDULE_ID } },
});

export const researchSchedulesRunsGet = ownerOperation({
	id: "research.schedules.runs.get",
	method: "GET",
	path: "/v1/research/schedules/{schedule_id}/runs/{run_id}",
	summary: "Read one briefing",
	description: "One run with its briefing, for 24 hours; after that without.",
	opensById: true,
	callsPerMinute: readsPerMinute,
	params: runPath,
	isList: false,
	data: runSchema,
	create:
		({ schedules }: Pick<Services, "schedules">) =>
		({ caller, params: { schedule_id: id, run_id: runId } }) =>
			schedules.run(caller, id, runId),
	example: { params: { schedule_id: SCHEDULE_ID, run_id: RUN_ID } },
});

export const researchSchedulesPreview = dataOperation({
	id: "research.schedules.preview",
	method: "POST",
	path: "/v1/research/schedules/preview",
	summary: "Preview a briefing",
	description: "The beginning of a first briefing on a topic; nothing is kept or delivered.",
	callsPerMinute: SCHEDULE_LIMITS.previewsPerMinute,
	body: previewBody,
	isList: false,
	freshness: "live",
	data: previewSchema,
	create:
		({ scheduleLinks }: Pick<Services, "scheduleLinks">) =>
		({ body, signal }) =>
			scheduleLinks.preview(body, signal),
	example: { body: { topic: "Payments by agents over HTTP" } },
});

export const researchSchedulesConfirm = dataOperation({
	id: "research.schedules.confirm",
	method: "POST",
	path: "/v1/research/schedules/confirm",
	summary: "Agree to briefings by mail",
	description:
		"With the link of the mail that asks the reader of an address; it works once. Whatever body is sent with it is not read.",
	callsPerMinute: linksPerMinute,
	query: linkQuery,
	isList: false,
	freshness: "secret",
	data: consentSchema,
	create:
		({ scheduleLinks }: Pick<Services, "scheduleLinks">) =>
		({ query }) =>
			scheduleLinks.confirm(query.token),
	example: {
		query: { token: LINK_TOKEN },
		data: { channel: "email", target_masked: "a…@e…", status: "confirmed" },
	},
});

export const researchSchedulesConfirmPage = documentOperation({
	id: "research.schedules.confirm_page",
	method: "GET",
	path: "/v1/research/schedules/confirm",
	summary: "Page that asks whether to agree",
	description: "Opening it changes nothing; its form does.",
	mediaType: "text/html; charset=utf-8",
	query: linkQuery,
	create:
		({ scheduleLinks }: Pick<Services, "scheduleLinks">) =>
		({ query }) =>
			scheduleLinks.confirmPage(query.token),
	example: { query: { token: LINK_TOKEN }, document: "<!doctype html>" },
});

export const researchSchedulesUnsubscribe = dataOperation({
	id: "research.schedules.unsubscribe",
	method: "POST",
	path: "/v1/research/schedules/unsubscribe",
	summary: "Stop briefings by mail",
	description:
		"One-click unsubscription (RFC 8058), with the link of a mail; whatever body is sent with it is not read.",
	callsPerMinute: linksPerMinute,
	query: linkQuery,
	isList: false,
	freshness: "secret",
	data: consentSchema,
	create:
		({ scheduleLinks }: Pick<Services, "scheduleLinks">) =>
		({ query }) =>
			scheduleLinks.unsubscribe(query.token),
	example: {
		query: { token: LINK_TOKEN },
		data: { channel: "email", target_masked: "a…@e…", status: "unsubscribed" },
	},
});

export const researchSchedulesUnsubscribePage = documentOperation({
	id: "research.schedules.unsubscribe_page",
	method: "GET",
	path: "/v1/research/schedules/unsubscribe",
	summary: "Page that asks whether to stop",
	description: "Opening it changes nothing; its form does.",
	mediaType: "text/html; charset=utf-8",
	query: linkQuery,
	create:
		({ scheduleLinks }: Pick<Services, "scheduleLinks">) =>
		({ query }) =>
			scheduleLinks.unsubscribePage(query.token),
	example: { query: { token: LINK_TOKEN }, document: "<!doctype html>" },
});
