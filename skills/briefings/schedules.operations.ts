import { z } from "zod";
import {
	dataOperation,
	documentOperation,
	type OwnerRequest,
	ownerOperation,
	type Services,
} from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { toConsentPage } from "./consent-pages.js";
import type { LinkPurpose } from "./schedule-consent.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import {
	consentSchema,
	previewBody,
	previewSchema,
	runIdField,
	runListQuery,
	runListSchema,
	runSchema,
	scheduleChangeBody,
	scheduleIdField,
	scheduleListSchema,
	scheduleSchema,
	testSchema,
} from "./schedule-wire.js";

const SCHEDULE_ID = "sch_2q4t7w1ab2c0f6x2m8k9yz3v5n7r1d3h";
const RUN_ID = "run_8kq4t7w1ab2c0f6x2m9yz3v5n7";
const LINK_TOKEN = "c2FtcGxlLXRva2VuLW9mLW5vLXNjaGVkdWxl";
const path = z.strictObject({ schedule_id: scheduleIdField });
const runPath = path.extend({ run_id: runIdField });
const { changesPerMinute, readsPerMinute, linkTokenChars: tokenChars } = SCHEDULE_LIMITS;

type Needs = Pick<Services, "schedules">;
type Asked = Pick<OwnerRequest, "caller" | "credential">;

/** Without a credential the caller is no one in particular: the id alone opens what a wallet paid for, and nothing else. */
const viewerOf = ({ caller, credential }: Asked) => ({
	caller,
	isNamed: credential !== undefined,
});

const BY_ID = { opensById: true, callsPerMinute: readsPerMinute, params: path };
const OPEN_CHANGE = { ...BY_ID, isOpen: true, callsPerMinute: changesPerMinute };

/** Additive to the contract, except for list, change and cancel. */
export const researchSchedulesList = ownerOperation({
	id: "research.schedules.list",
	at: "GET /v1/research/schedules",
	summary: "List schedules",
	description:
		"Those of the credential that is shown; without one there are none to show. Targets are masked.",
	opensById: true,
	isOpen: true,
	callsPerMinute: readsPerMinute,
	isList: true,
	data: scheduleListSchema,
	answer: (services: Needs, request) => services.schedules.list(viewerOf(request)),
});

export const researchSchedulesChange = ownerOperation({
	id: "research.schedules.change",
	at: "PATCH /v1/research/schedules/{schedule_id}",
	summary: "Change a schedule",
	description:
		"Topic, time, targets (null takes one away), pause and resume, and who pays for further weeks. Needs the credential of its owner; what a wallet paid for is opened by its id. Unknown ids and those of others are the same 404.",
	...OPEN_CHANGE,
	body: scheduleChangeBody,
	data: scheduleSchema,
	answer: ({ schedules }: Needs, request) =>
		schedules.change(viewerOf(request), request.params.schedule_id, request.body),
	example: { params: { schedule_id: SCHEDULE_ID }, body: { hour: 9 } },
});

export const researchSchedulesCancel = ownerOperation({
	id: "research.schedules.cancel",
	at: "DELETE /v1/research/schedules/{schedule_id}",
	summary: "Cancel a schedule",
	description:
		"Nothing more is delivered or charged, and its topic and targets are deleted. For its owner, as a change is.",
	...OPEN_CHANGE,
	data: scheduleSchema,
	answer: ({ schedules }: Needs, request) =>
		schedules.cancel(viewerOf(request), request.params.schedule_id),
	example: { params: { schedule_id: SCHEDULE_ID } },
});

export const researchSchedulesGet = ownerOperation({
	id: "research.schedules.get",
	at: "GET /v1/research/schedules/{schedule_id}",
	summary: "Read a schedule",
	description: "One schedule of the owner; one that a wallet paid for is opened by its id.",
	...BY_ID,
	data: scheduleSchema,
	answer: ({ schedules }: Needs, { caller, params }) => schedules.get(caller, params.schedule_id),
	example: { params: { schedule_id: SCHEDULE_ID } },
});

export const researchSchedulesTest = ownerOperation({
	id: "research.schedules.test",
	at: "POST /v1/research/schedules/{schedule_id}/test",
	summary: "Test the targets of a schedule",
	description: `Sends a test to each target; an address that is not confirmed is asked again. At most ${SCHEDULE_LIMITS.extraMailsPerDay} a day.`,
	...BY_ID,
	callsPerMinute: changesPerMinute,
	data: testSchema,
	answer: ({ schedules }: Needs, { caller, params }) => schedules.test(caller, params.schedule_id),
	example: {
		params: { schedule_id: SCHEDULE_ID },
		data: { channels: [{ kind: "email", target_masked: "a…@e…", status: "asked_again" }] },
	},
});

export const researchSchedulesRunsList = ownerOperation({
	id: "research.schedules.runs.list",
	at: "GET /v1/research/schedules/{schedule_id}/runs",
	summary: "Runs of a schedule",
	description: "What was delivered when, newest first.",
	...BY_ID,
	query: runListQuery,
	isList: true,
	data: runListSchema,
	answer: ({ schedules }: Needs, { caller, params: { schedule_id: id }, query: { cursor } }) =>
		schedules.runs(caller, id, cursor),
	example: { params: { schedule_id: SCHEDULE_ID } },
});

export const researchSchedulesRunsGet = ownerOperation({
	id: "research.schedules.runs.get",
	at: "GET /v1/research/schedules/{schedule_id}/runs/{run_id}",
	summary: "Read one briefing",
	description: "One run with its briefing, for 24 hours; after that without.",
	...BY_ID,
	params: runPath,
	data: runSchema,
	answer: ({ schedules }: Needs, { caller, params: { schedule_id: id, run_id: runId } }) =>
		schedules.run(caller, id, runId),
	example: { params: { schedule_id: SCHEDULE_ID, run_id: RUN_ID } },
});

export const researchSchedulesPreview = dataOperation({
	id: "research.schedules.preview",
	at: "POST /v1/research/schedules/preview",
	summary: "Preview a briefing",
	description: "The beginning of a first briefing on a topic; nothing is kept or delivered.",
	callsPerMinute: SCHEDULE_LIMITS.previewsPerMinute,
	body: previewBody,
	data: previewSchema,
	answer: (services: Links, asked) => services.scheduleLinks.preview(asked.body, asked.signal),
	example: { body: { topic: "Payments by agents over HTTP" } },
});

type Links = Pick<Services, "scheduleLinks" | "renderPage">;
const linkQuery = z.strictObject({
	token: z
		.string()
		.regex(/^[\w-]+$/, "must be the token of a link as it was")
		.max(tokenChars, `must have at most ${tokenChars} characters`)
		.describe("The token of a link in a mail, as it was"),
});

/** What the link of a mail does, and the page it opens. */
const LINKED = {
	callsPerMinute: SCHEDULE_LIMITS.linksPerMinute,
	query: linkQuery,
	freshness: "secret",
	data: consentSchema,
} as const;
const LINKED_PAGE = {
	description: "Opening it changes nothing; its form does.",
	mediaType: "text/html; charset=utf-8",
	query: linkQuery,
	example: { query: { token: LINK_TOKEN }, document: "<!doctype html>" },
} as const;

/** The page of a link as things stand; a browser whose form was sent twice finds what the first one did. */
const pageOf =
	(
		purpose: LinkPurpose,
		use?: (links: Links["scheduleLinks"], token: string) => Promise<unknown>,
	) =>
	async (
		{ scheduleLinks, renderPage }: Links,
		{ query: { token } }: { readonly query: { readonly token: string } },
	) => {
		await use?.(scheduleLinks, token).catch((error: unknown) => {
			if (!(error instanceof ServiceError && error.code === "NOT_FOUND")) throw error;
		});
		return renderPage(toConsentPage(await scheduleLinks.look(token, purpose), { token, purpose }));
	};

export const researchSchedulesConfirm = dataOperation({
	id: "research.schedules.confirm",
	at: "POST /v1/research/schedules/confirm",
	summary: "Agree to briefings by mail",
	description:
		"With the link of the mail that asks the reader of an address; it works once. Whatever body is sent with it is not read. Browsers are answered with a page.",
	...LINKED,
	answer: (services: Links, request) => services.scheduleLinks.confirm(request.query.token),
	page: pageOf("confirm", (links, token) => links.confirm(token)),
	example: {
		query: { token: LINK_TOKEN },
		data: { channel: "email", target_masked: "a…@e…", status: "confirmed" },
	},
});

export const researchSchedulesConfirmPage = documentOperation({
	id: "research.schedules.confirm_page",
	...LINKED_PAGE,
	at: "GET /v1/research/schedules/confirm",
	summary: "Page that asks whether to agree",
	answer: pageOf("confirm"),
});

export const researchSchedulesUnsubscribe = dataOperation({
	id: "research.schedules.unsubscribe",
	at: "POST /v1/research/schedules/unsubscribe",
	summary: "Stop briefings by mail",
	description:
		"One-click unsubscription (RFC 8058), with the link of a mail. Whatever body is sent with it is not read. Browsers are answered with a page.",
	...LINKED,
	answer: (services: Links, request) => services.scheduleLinks.unsubscribe(request.query.token),
	page: pageOf("unsubscribe", (links, token) => links.unsubscribe(token)),
	example: {
		query: { token: LINK_TOKEN },
		data: { channel: "email", target_masked: "a…@e…", status: "unsubscribed" },
	},
});

export const researchSchedulesUnsubscribePage = documentOperation({
	id: "research.schedules.unsubscribe_page",
	...LINKED_PAGE,
	at: "GET /v1/research/schedules/unsubscribe",
	summary: "Page that asks whether to stop",
	answer: pageOf("unsubscribe"),
});
