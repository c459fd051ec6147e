import { z } from "zod";
import { replyComponent, requestComponent, toReply } from "../../src/contract/contract.js";
import {
	briefingSchema,
	previewInput,
	runItemSchema,
	runOutput,
	runSchema,
	scheduleChangeInput,
	scheduleOrderInput,
	scheduleOutput,
	scheduleSchema,
} from "./schedule-wire.js";

/** Bodies and replies of subscriptions to briefings. */

export const scheduleBody = requestComponent("ScheduleOrder", scheduleOrderInput);
export const scheduleChangeBody = requestComponent("ScheduleChange", scheduleChangeInput);
export const previewBody = requestComponent("BriefingPreviewRequest", previewInput);

replyComponent("Schedule", scheduleSchema);
replyComponent("Briefing", briefingSchema);
replyComponent("BriefingRunItem", runItemSchema);
replyComponent("BriefingRun", runSchema);

export const scheduleReply = toReply("ScheduleReply", scheduleOutput);
export const runReply = toReply("BriefingRunReply", runOutput);

export const scheduleListSchema = replyComponent(
	"ScheduleList",
	z.object({ items: z.array(scheduleSchema) }),
);
export const runListSchema = replyComponent(
	"BriefingRunList",
	z.object({ items: z.array(runItemSchema) }),
);
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
			z.object({
				kind: z.enum(["email", "slack"]),
				target_masked: z.string(),
				status: z.enum(["sent", "failed", "asked_again", "not_sent"]),
			}),
		),
	}),
);
export const consentSchema = replyComponent(
	"BriefingConsent",
	z.object({
		channel: z.enum(["email", "slack"]),
		target_masked: z.string(),
		status: z.enum(["confirmed", "unsubscribed"]),
	}),
);
