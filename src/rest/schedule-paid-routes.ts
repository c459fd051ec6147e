import { z } from "zod";
import { scheduleIdField } from "../../skills/briefings/briefings.js";
import type { PaidOperationId } from "../contract/contract.js";
import { toDataReply } from "../contract/contract.js";
import type { PaidRoute } from "./route.js";
import { RUN, SCHEDULE, SCHEDULE_ID } from "./schedule-examples.js";
import { runReply, scheduleBody, scheduleReply } from "./schedule-schemas.js";

type SchedulePaidId = Extract<PaidOperationId, `research.schedules.${string}`>;

const nothing = z.strictObject({});
const path = z.strictObject({ schedule_id: scheduleIdField });
const ORDER = {
	topic: SCHEDULE.topic,
	frequency: "weekly",
	timezone: "Europe/Berlin",
	hour: 8,
	weekday: "monday",
} as const;

/** Spec: Endpoints, paid operations: weekly_tracker. */
export const SCHEDULE_PAID_ROUTES: Readonly<Record<SchedulePaidId, PaidRoute>> = {
	"research.schedules.create": {
		kind: "paid",
		operationId: "research.schedules.create",
		summary: "Create a schedule",
		description:
			"Daily or weekly briefings on a brand or topic, mailed, sent to Slack, or kept for pick-up. The price pays the first week in which a briefing is delivered; each further week is taken from the credential's balance with its first delivered briefing, and a week without one costs nothing. Without a balance the schedule pauses. A payment on a chain pays one week; a credential beside it pays the weeks to come. Nothing is mailed before the reader of the address has agreed. The schedule_id is a capability: whoever knows it can change the schedule.",
		path: nothing,
		query: nothing,
		body: scheduleBody,
		reply: scheduleReply,
		example: { body: ORDER, reply: toDataReply({ ...SCHEDULE, channels: [] }, { warnings: [] }) },
	},
	"research.schedules.run": {
		kind: "paid",
		operationId: "research.schedules.run",
		summary: "Run a schedule now",
		description:
			"Makes its briefing now, delivers it and returns it. It begins no week. Not charged when nothing is new since the last one.",
		path,
		query: nothing,
		reply: runReply,
		example: {
			path: { schedule_id: SCHEDULE_ID },
			reply: toDataReply({ ...RUN, kind: "manual" }),
		},
	},
};
