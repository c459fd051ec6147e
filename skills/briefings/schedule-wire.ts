import { z } from "zod";
import {
	citationSchema,
	citedTextSchema,
	cursorField,
	outputOf,
	replyComponent,
	replyList,
	requestComponent,
	toReply,
} from "../../src/contract/contract.js";
import { visibleText } from "../../src/kernel/kernel.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";

/** What travels when briefings are ordered, changed and delivered. Spec: Schedule (briefing subscription). */

export const WEEKDAYS = [
	"sunday",
	"monday",
	"tuesday",
	"wednesday",
	"thursday",
	"friday",
	"saturday",
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const { topicChars, emailChars, webhookChars, timezoneChars } = SCHEDULE_LIMITS;

const topicField = z
	.string()
	.max(topicChars, `must have at most ${topicChars} characters`)
	.transform((text) => visibleText(text).replace(/\s+/g, " ").trim())
	.pipe(z.string().min(1, "must not be empty"))
	.describe("Brand or topic of the briefing");
const frequencyField = z.enum(["daily", "weekly"], "must be daily or weekly");
const emailField = z
	.email("must be an e-mail address")
	.max(emailChars, `must have at most ${emailChars} characters`)
	.describe("Where briefings are mailed, once its reader has confirmed it");
const slackField = z
	.string()
	.max(webhookChars, `must have at most ${webhookChars} characters`)
	.regex(
		/^https:\/\/hooks\.slack\.com\/[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+){1,5}$/,
		"must be an incoming webhook of Slack, https://hooks.slack.com/services/…",
	)
	.describe("Incoming webhook of Slack");
const timezoneField = z
	.string()
	.max(timezoneChars, `must have at most ${timezoneChars} characters`)
	.refine(isTimezone, "must be a time zone of the IANA database, e.g. Europe/Berlin")
	.describe("IANA time zone");
const hourField = z
	.int("must be a whole number")
	.min(0, "must be at least 0")
	.max(23, "must be at most 23")
	.describe("Full hour of the day, local time");
const weekdayField = z
	.enum(WEEKDAYS, `must be one of ${WEEKDAYS.join(", ")}`)
	.describe("Day of a weekly briefing");

export const scheduleOrderInput = z.strictObject({
	topic: topicField,
	frequency: frequencyField,
	email: emailField.optional(),
	slack_webhook: slackField.optional(),
	timezone: timezoneField.default("UTC"),
	hour: hourField.default(8),
	weekday: weekdayField.default("monday"),
});
export type ScheduleOrder = z.output<typeof scheduleOrderInput>;

export const scheduleChangeInput = z
	.strictObject({
		topic: topicField.optional(),
		frequency: frequencyField.optional(),
		email: emailField.nullable().optional(),
		slack_webhook: slackField.nullable().optional(),
		timezone: timezoneField.optional(),
		hour: hourField.optional(),
		weekday: weekdayField.optional(),
		status: z.enum(["active", "paused"], "must be active or paused").optional(),
		renew_with: z
			.literal("credential", 'must be "credential"')
			.describe("Further weeks are paid by the credential this request carries")
			.optional(),
	})
	.refine((change) => Object.keys(change).length > 0, "must name at least one change");
export type ScheduleChange = z.output<typeof scheduleChangeInput>;

export const scheduleIdField = z
	.string()
	.min(1, "must not be empty")
	.max(80, "must have at most 80 characters")
	.describe("schedule_id of the schedule: whoever knows it can change it");
export const runIdField = z
	.string()
	.min(1, "must not be empty")
	.max(80)
	.describe("run_id of a run");

export const previewInput = z.strictObject({
	topic: topicField,
	frequency: frequencyField.default("weekly"),
});

export const runListQuery = z.strictObject({ cursor: cursorField.optional() });

const CHANNEL_STATUSES = ["ready", "unconfirmed", "unsubscribed", "not_configured"] as const;

export const PAUSE_REASONS = [
	"asked",
	"balance_too_low",
	"payment_refused",
	"no_renewal",
	"deliveries_failed",
	"unsubscribed",
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

export const RUN_STATUSES = [
	"running",
	"waiting",
	"delivered",
	"nothing_new",
	"failed",
	"unpaid",
	"unconfirmed",
	"unknown",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

const channelKind = z.enum(["email", "slack"]);
const channel = { kind: channelKind, target_masked: z.string() };
const frequencySchema = z.enum(["daily", "weekly"]);
const dayField = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

export const scheduleSchema = z.object({
	schedule_id: z.string(),
	topic: z.string(),
	frequency: frequencySchema,
	timezone: z.string(),
	hour: z.int(),
	weekday: z.enum(WEEKDAYS).nullable(),
	status: z.enum(["active", "paused", "failing", "cancelled"]),
	reason: z.enum(PAUSE_REASONS).nullable().describe("Why it is paused"),
	channels: z
		.array(z.object({ ...channel, status: z.enum(CHANNEL_STATUSES) }))
		.describe("Where briefings go; none: they are kept for pick-up"),
	next_run_at: z.iso.datetime().nullable(),
	last_run: z
		.object({ run_id: z.string(), slot: dayField, status: z.enum(RUN_STATUSES) })
		.nullable(),
	weeks_prepaid: z.int().describe("Paid for, and not begun"),
	covered_through: dayField.nullable().describe("Last local day of the week that runs"),
	week_price_usd: z.string(),
	renews: z.boolean().describe("Whether somebody pays for the weeks to come"),
	created_at: z.iso.datetime(),
});
export type ScheduleWire = z.infer<typeof scheduleSchema>;

const subject = { trend_id: z.string(), graph_id: z.string(), title: z.string() };

export const briefingSchema = z.object({
	topic: z.string(),
	frequency: frequencySchema,
	as_of: z.iso.datetime(),
	since: z.iso.datetime().nullable().describe("The briefing before; null for the first"),
	is_first: z.boolean(),
	is_nothing_new: z.boolean().describe("Then nothing else is told"),
	changes: z
		.array(
			z.object({
				...subject,
				change: z.enum(["added", "changed", "new_sources", "removed"]),
				points: z.array(citedTextSchema),
				new_sources: z.array(
					z.object({ title: z.string(), url: z.string(), published_at: z.string().nullable() }),
				),
			}),
		)
		.describe("What changed since the briefing before"),
	top: z.array(
		z.object({ ...subject, what: citedTextSchema, why_it_matters: citedTextSchema.nullable() }),
	),
	movers: z.array(z.object({ ...subject, momentum: z.number(), recent: z.int(), before: z.int() })),
	numbers: z.array(citedTextSchema),
	watch_list: z.array(
		z.object({
			...subject,
			reason: z.enum(["stale", "stale_soon", "deprecated", "draft", "single_source"]),
			date: z.string().nullable(),
		}),
	),
	citations: z.array(citationSchema),
	writer: z.string(),
	warnings: z.array(z.string()),
});
export type BriefingWire = z.infer<typeof briefingSchema>;

export const runItemSchema = z.object({
	run_id: z.string(),
	schedule_id: z.string(),
	kind: z.enum(["scheduled", "manual"]),
	slot: dayField.describe("Local day it is for"),
	due_at: z.iso.datetime(),
	status: z.enum(RUN_STATUSES),
	attempts: z.int(),
	channels: z.array(
		z.object({ kind: channelKind, status: z.enum(["waiting", "sent", "failed", "unknown"]) }),
	),
	started_at: z.iso.datetime(),
	finished_at: z.iso.datetime().nullable(),
	receipt_id: z.string().nullable().describe("Receipt of the week that began with it"),
});
export const runSchema = runItemSchema.extend({
	briefing: briefingSchema.nullable().describe("Null once its time is over"),
	kept_until: z.iso.datetime().nullable(),
});
export type RunItemWire = z.infer<typeof runItemSchema>;
export type RunWire = z.infer<typeof runSchema>;

export const scheduleOutput = outputOf(
	scheduleSchema,
	z.object({
		warnings: z.array(z.string()).describe("What stands between the schedule and its readers"),
	}),
);
export const runOutput = outputOf(runSchema, z.object({}));

export const scheduleBody = requestComponent("ScheduleOrder", scheduleOrderInput);
export const scheduleChangeBody = requestComponent("ScheduleChange", scheduleChangeInput);
export const previewBody = requestComponent("BriefingPreviewRequest", previewInput);

replyComponent("Schedule", scheduleSchema);
replyComponent("Briefing", briefingSchema);
replyComponent("BriefingRunItem", runItemSchema);
replyComponent("BriefingRun", runSchema);

export const scheduleReply = toReply("ScheduleReply", scheduleOutput);
export const runReply = toReply("BriefingRunReply", runOutput);

export const scheduleListSchema = replyList("ScheduleList", scheduleSchema);
export const runListSchema = replyList("BriefingRunList", runItemSchema);
export const previewSchema = replyComponent(
	"BriefingPreview",
	z.object({
		is_sample: z.literal(true).describe("A part of what a briefing would tell"),
		briefing: briefingSchema,
	}),
);
export const testSchema = replyComponent(
	"ScheduleTest",
	z.object({
		channels: z.array(
			z.object({ ...channel, status: z.enum(["sent", "failed", "asked_again", "not_sent"]) }),
		),
	}),
);
export type TestWire = z.infer<typeof testSchema>;
export const consentSchema = replyComponent(
	"BriefingConsent",
	z.object({
		channel: channelKind,
		target_masked: z.string(),
		status: z.enum(["confirmed", "unsubscribed"]),
	}),
);
export type ConsentWire = z.infer<typeof consentSchema>;

function isTimezone(name: string): boolean {
	if (!/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,2}$/.test(name)) return false;
	try {
		return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
	} catch {
		return false;
	}
}

/** Enough to find it in a list, and too little to open it. */
export function maskId(scheduleId: string): string {
	return `${scheduleId.slice(0, 10)}…`;
}
