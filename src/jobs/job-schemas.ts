import { z } from "zod";
import { graphIdField, JOB_STATUSES, queryField } from "../contract/contract.js";

/** Limits of jobs: how many, how long, how large. */
export const JOB_LIMITS = {
	/** Jobs that work at once; the others wait, one of each owner in turn. */
	running: 2,
	waiting: 64,
	/** Open jobs of one owner, those at work counted. */
	openPerOwner: 5,
	/** Of all callers together who show no credential, where jobs cost nothing: half of what may wait is left to the others. */
	openOfStrangers: 32,
	passTimeoutMs: 300_000,
	/** All passes together, not counting what was lost with a process. */
	jobTimeoutMs: 1_800_000,
	/** A job that was not brought to an end in this time, whatever stood in its way, failed. */
	lifeMs: 24 * 3_600_000,
	/** How often one pass is begun: what takes the process down with it is not tried for ever. */
	passStarts: 5,
	/** How long the row of an ended job is remembered; its report is gone before. */
	rowTtlMs: 30 * 24 * 3_600_000,
	reportTtlMs: 24 * 3_600_000,
	/** Progress between passes is persisted no more often. */
	progressMs: 500,
	events: 1_000,
	eventChars: 16_384,
	stateChars: 8_000_000,
	reportChars: 4_000_000,
	/** Ids that a restart skips, so that no event has the id of an earlier one. */
	eventGap: 10_000,
	/** How often what another process works on is looked at. */
	lookMs: 1_000,
	/** How long a job whose process ended at its launch waits for its caller to send the question again. */
	questionMs: 30_000,
	/** How soon jobs try again to go on whose store is away. */
	awayMs: 2_000,
	/** How long one event stream is held open; then it is resumed. */
	eventStreamMs: 900_000,
	eventStreamsPerJob: 8,
	/** How soon a caller should ask again. */
	pollSeconds: 2,
	pollsPerMinute: 6_000,
	graphsMax: 20,
	feedsMax: 20,
	listDefault: 20,
	listMax: 100,
} as const;

/** Requests and replies about jobs. */

export const DEEP_DIVE_MODES = ["fast", "comprehensive"] as const;

export const deepDiveFields = {
	query: queryField.describe("The question to look into, in plain language"),
	mode: z
		.enum(DEEP_DIVE_MODES, `must be one of ${DEEP_DIVE_MODES.join(", ")}`)
		.default("fast")
		.describe(
			"How thoroughly: fast runs two rounds over six graphs, comprehensive up to six over all, and costs more",
		),
	graphs: z
		.array(graphIdField)
		.min(1, "must not be an empty list")
		.max(JOB_LIMITS.graphsMax, `must list at most ${JOB_LIMITS.graphsMax} graphs`)
		.describe("Graphs it is confined to; all of them where absent")
		.optional(),
	feeds: z
		.array(z.string().trim().min(1, "must not be empty").max(100))
		.min(1, "must not be an empty list")
		.max(JOB_LIMITS.feedsMax, `must list at most ${JOB_LIMITS.feedsMax} feeds`)
		.describe("Supplemental feeds to look at beside those that suggest themselves")
		.optional(),
};
export const deepDiveInput = z.strictObject(deepDiveFields);

export const deepDiveFollowUpFields = {
	query: deepDiveFields.query.describe("What to look into next; may refer to the question before"),
	mode: deepDiveFields.mode,
};

export const jobIdField = z
	.string()
	.min(1, "must not be empty")
	.max(80, "must have at most 80 characters")
	.describe("job_id of the launch reply");

export const deepDiveFollowUpInput = z.strictObject({
	job_id: jobIdField,
	...deepDiveFollowUpFields,
});

const jobCostSchema = z.object({
	amount_usd: z
		.string()
		.describe("What is held while it is open, then what was taken; 0.00 where nothing was"),
	price_usd: z.string(),
	billing_type: z.string(),
	rail: z.string(),
	receipt_id: z.string().nullable(),
	charged: z.boolean(),
	held: z.boolean().describe("True while the price is reserved, to be taken or given back"),
});

/** Where a job stands; neither status nor percent nor the counts ever go back. */
export const jobSchema = z.object({
	job_id: z.string(),
	operation: z.string(),
	status: z.enum(JOB_STATUSES),
	mode: z.string().nullable(),
	percent: z.int().min(0).max(100),
	pass: z.string().nullable().describe("The latest pass that was begun"),
	pass_number: z.int(),
	passes: z.int(),
	sources_considered: z.int(),
	sources_read: z.int(),
	stop_reason: z
		.string()
		.nullable()
		.describe("Why it went no further; of a failed job error, time, restarts, lost or size"),
	price_usd: z.string(),
	cost: jobCostSchema,
	created_at: z.iso.datetime(),
	started_at: z.iso.datetime().nullable(),
	ended_at: z.iso.datetime().nullable(),
	report_expires_at: z.iso.datetime().nullable().describe("Until when the report can be read"),
	links: z.object({
		status: z.string(),
		events: z.string(),
		cancel: z.string(),
		sources: z.string(),
		export: z.string(),
	}),
});
export type JobWire = z.infer<typeof jobSchema>;

const creditSchema = z.object({
	id: z.string(),
	token: z.string().nullable().describe("The token's secret, told once; null from then on"),
	balance_usd: z.string(),
	instructions: z.string(),
});
export type JobCreditWire = z.infer<typeof creditSchema>;

export const jobStatusSchema = jobSchema.extend({
	query: z.string().nullable(),
	report: z
		.record(z.string(), z.unknown())
		.nullable()
		.describe("The whole report once there is one; null before, and when its time is over"),
	credit: creditSchema
		.nullable()
		.describe("What a payment on a chain got back as a Shared Payment Token; null for all others"),
});
export type JobStatusWire = z.infer<typeof jobStatusSchema>;

export const jobListSchema = z.object({
	items: z.array(jobSchema.extend({ query: z.string().nullable() })),
});
export const jobSourcesSchema = z.object({
	job_id: z.string(),
	items: z.array(z.record(z.string(), z.unknown())),
});
export const jobDeletedSchema = z.object({ job_id: z.string(), status: z.literal("deleted") });

/** The reply to a launch: the job, and nothing of its findings yet. */
export const jobLaunchedOutput = z.object({
	ok: z.literal(true),
	data: jobSchema,
	meta: z.object({ query: z.string(), as_of: z.string() }),
});
export type JobLaunchedOutput = z.infer<typeof jobLaunchedOutput>;
