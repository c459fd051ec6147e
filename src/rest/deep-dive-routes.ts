import { z } from "zod";
import {
	AFTER,
	cursorField,
	digitsField,
	LIMITS,
	type OwnerOperationId,
	REPORT_FORMATS,
	replyComponent,
	requestComponent,
	toReply,
} from "../contract/contract.js";
import {
	deepDiveFields,
	deepDiveFollowUpFields,
	JOB_LIMITS,
	type JobWire,
	jobDeletedSchema,
	jobIdField,
	jobLaunchedOutput,
	jobListSchema,
	jobSchema,
	jobSourcesSchema,
	jobStatusSchema,
} from "../jobs/jobs.js";
import {
	DEEP_DIVE_EVENTS,
	DEEP_DIVE_JOB,
	DEEP_DIVE_LAUNCHED,
	DEEP_DIVE_QUERY,
	DEEP_DIVE_SOURCE,
	DEEP_DIVE_STATUS,
	JOB_ID,
} from "./deep-dive-examples.js";
import { ownerRoute } from "./define-route.js";
import type { OwnerRoute, PaidRoute } from "./route.js";
import { readLastEventId } from "./stream-handler.js";

type DeepDiveOperationId = Extract<OwnerOperationId, `research.deep_dive.${string}`>;

const nothing = z.strictObject({});
const path = z.strictObject({ job_id: jobIdField });
const job = replyComponent("DeepDiveJob", jobSchema);
const opensById = true;
const callsPerMinute = JOB_LIMITS.pollsPerMinute;
const WHOSE =
	"For whoever launched it: the same key or token, or, of a job that a wallet paid for, whoever has its id. Others and unknown ids get the same 404.";

const launchedReply = toReply("DeepDiveLaunched", jobLaunchedOutput);
const PRICED_BY_MODE = {
	field: "mode",
	as: { fast: "research.deep_dive", comprehensive: "research.deep_dive.comprehensive" },
} as const;
const ACCEPTED = {
	retryAfterSeconds: JOB_LIMITS.pollSeconds,
	locationOf: (reply: unknown) => (reply as { readonly data: JobWire }).data.links.status,
};

/** Deep dives as they are sold. */
export const PAID_DEEP_DIVE_ROUTES = {
	"research.deep_dive": {
		kind: "paid",
		operationId: "research.deep_dive",
		summary: "Start a deep dive",
		description:
			"Looks into one question over all graphs in several passes and writes a report whose every sentence is cited. The reply is a job: poll its status, or follow its events. The price, that of the mode, is held now and taken when the report is there; without an answer nothing is taken, and a cancelled job gives back the passes that were not begun (price × begun / passes, rounded down to a micro-USD, is taken). A payment on a chain settles first and gets the rest back as a Shared Payment Token. Sent again under its Idempotency-Key it names the same job.",
		priceBy: PRICED_BY_MODE,
		accepted: ACCEPTED,
		path: nothing,
		query: nothing,
		body: requestComponent("DeepDiveRequest", z.strictObject(deepDiveFields)),
		reply: launchedReply,
		example: { body: { query: DEEP_DIVE_QUERY, mode: "fast" }, reply: DEEP_DIVE_LAUNCHED },
	},
	"research.deep_dive.follow_up": {
		kind: "paid",
		operationId: "research.deep_dive.follow_up",
		summary: "Go on from a deep dive",
		description:
			"Launches another deep dive in the same graphs, its question understood from the one it follows. Only for whoever launched that one; priced by its mode, paid for and read as any other.",
		priceBy: PRICED_BY_MODE,
		accepted: ACCEPTED,
		path,
		query: nothing,
		body: requestComponent("DeepDiveFollowUpRequest", z.strictObject(deepDiveFollowUpFields)),
		reply: launchedReply,
		example: {
			path: { job_id: JOB_ID },
			body: { query: "What about its risks?", mode: "fast" },
			reply: DEEP_DIVE_LAUNCHED,
		},
	},
} as const satisfies Readonly<
	Record<"research.deep_dive" | "research.deep_dive.follow_up", PaidRoute>
>;

const example = { path: { job_id: JOB_ID } };

/** What is asked about deep dives that were launched. */
export const DEEP_DIVE_ROUTES: Readonly<Record<DeepDiveOperationId, OwnerRoute>> = {
	"research.deep_dive.status": ownerRoute({
		operationId: "research.deep_dive.status",
		summary: "Status and report of a deep dive",
		description: `Where it stands, and the report once there is one, for a day. ${WHOSE} Polling is free for them; the price stated is the job's. What a payment on a chain got back is told here, its secret once.`,
		callsPerMinute,
		opensById,
		statedPrice: "research.deep_dive",
		tellsOnce: true,
		path,
		query: nothing,
		isList: false,
		data: replyComponent("DeepDiveStatus", jobStatusSchema),
		answer: (owner, { caller, path: { job_id: id } }) => owner.jobs.status(caller, id),
		example: { ...example, data: DEEP_DIVE_STATUS },
	}),
	"research.deep_dive.events": ownerRoute({
		operationId: "research.deep_dive.events",
		summary: "Events of a deep dive",
		description: `Server-Sent Events from its creation to its end, and on from any event by Last-Event-ID or ?after=; exactly one of research.completed, research.failed and research.cancelled is the last. 204 where nothing is left to tell. ${WHOSE}`,
		callsPerMinute,
		opensById,
		sends: { kind: "events" },
		timeoutMs: JOB_LIMITS.eventStreamMs,
		path,
		query: z.strictObject({
			after: z
				.string()
				.regex(AFTER, "must be the id of an event, in digits")
				.describe("Goes on behind this event instead of beginning")
				.optional(),
		}),
		isList: false,
		data: z.string(),
		async answer(owner, { caller, path: { job_id: id }, query, header, signal }) {
			const after = Number(readLastEventId(header) ?? query.after ?? 0);
			return { events: await owner.jobs.events(caller, id, { after, signal }) };
		},
		example: { ...example, data: DEEP_DIVE_EVENTS },
	}),
	"research.deep_dive.cancel": ownerRoute({
		operationId: "research.deep_dive.cancel",
		summary: "Cancel a deep dive",
		description: `Ends it as soon as can be; passes that were not begun are given back, and what was found makes a report if it can. A job that has ended stays as it is. ${WHOSE}`,
		callsPerMinute: LIMITS.accountChangesPerMinute,
		opensById,
		path,
		query: nothing,
		isList: false,
		data: job,
		answer: (owner, { caller, path: { job_id: id } }) => owner.jobs.cancel(caller, id),
		example: { ...example, data: DEEP_DIVE_JOB },
	}),
	"research.deep_dive.list": ownerRoute({
		operationId: "research.deep_dive.list",
		summary: "Deep dives that were launched",
		description: "With this account or token, the newest first, for thirty days.",
		callsPerMinute: LIMITS.accountReadsPerMinute,
		path: nothing,
		query: z.strictObject({
			limit: digitsField(JOB_LIMITS.listMax)
				.default(JOB_LIMITS.listDefault)
				.describe("Items on a page"),
			cursor: cursorField.optional(),
		}),
		isList: true,
		data: replyComponent("DeepDiveList", jobListSchema),
		answer: (owner, { caller, query }) => owner.jobs.list(caller, query),
		example: {
			query: { limit: "20" },
			data: { items: [{ ...DEEP_DIVE_JOB, query: DEEP_DIVE_QUERY }] },
		},
	}),
	"research.deep_dive.sources": ownerRoute({
		operationId: "research.deep_dive.sources",
		summary: "Evidence table of a deep dive",
		description: `Every sentence its report rests on, with its source and where it is used, as long as the report is kept. ${WHOSE}`,
		callsPerMinute,
		opensById,
		path,
		query: nothing,
		isList: false,
		data: replyComponent("DeepDiveSources", jobSourcesSchema),
		answer: (owner, { caller, path: { job_id: id } }) => owner.jobs.sources(caller, id),
		example: { ...example, data: { job_id: JOB_ID, items: [DEEP_DIVE_SOURCE] } },
	}),
	"research.deep_dive.export": ownerRoute({
		operationId: "research.deep_dive.export",
		summary: "Report of a deep dive as a document",
		description: `CommonMark, JSON or one HTML page without script, as long as the report is kept. ${WHOSE}`,
		callsPerMinute,
		opensById,
		sends: { kind: "document", mediaTypes: ["text/markdown", "application/json", "text/html"] },
		path,
		query: z.strictObject({
			format: z
				.enum(REPORT_FORMATS, `must be one of ${REPORT_FORMATS.join(", ")}`)
				.default("md")
				.describe("Kind of document"),
		}),
		isList: false,
		data: z.string(),
		answer: (owner, { caller, path: { job_id: id }, query }) =>
			owner.jobs.export(caller, id, query.format),
		example: { ...example, query: { format: "md" }, data: "# How do agents pay?\n" },
	}),
	"research.deep_dive.delete": ownerRoute({
		operationId: "research.deep_dive.delete",
		summary: "Delete a deep dive",
		description: `With its question, its events and its report, at once; one that has not ended must be cancelled first. ${WHOSE}`,
		callsPerMinute: LIMITS.accountChangesPerMinute,
		opensById,
		path,
		query: nothing,
		isList: false,
		data: replyComponent("DeletedDeepDive", jobDeletedSchema),
		answer: (owner, { caller, path: { job_id: id } }) => owner.jobs.remove(caller, id),
		example: { ...example, data: { job_id: JOB_ID, status: "deleted" } },
	}),
};
