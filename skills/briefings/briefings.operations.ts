import { z } from "zod";
import {
	answer,
	noAnswer,
	paidOperation,
	type SkillServices,
} from "../../src/contract/contract.js";
import {
	runOutput,
	runReply,
	type ScheduleWire,
	scheduleBody,
	scheduleIdField,
	scheduleOrderInput,
	scheduleOutput,
	scheduleReply,
} from "./schedule-wire.js";

const ORDER = {
	topic: "Payments by agents over HTTP",
	frequency: "weekly",
	timezone: "Europe/Berlin",
	hour: 8,
	weekday: "monday",
} as const;

/** A subscription to briefings; its price pays the first week in which one is delivered. Spec: Endpoints, weekly_tracker. */
export const researchSchedulesCreate = paidOperation({
	id: "research.schedules.create",
	at: "POST /v1/research/schedules",
	price: { usd: "10.00", billingType: "weekly_tracker" },
	agent: {
		name: "schedule_briefing",
		aliases: ["briefing_schedule"],
		tool: {
			title: "Schedule a briefing",
			description:
				"A daily or weekly briefing on a topic, by e-mail or to a Slack webhook; charged by the week.",
			fields: {
				topic: "Topic in a few words",
				frequency: "How often",
				email: "Where to send it",
				slack_webhook: "Slack webhook to post it to",
				timezone: "Time zone, e.g. Europe/Zurich",
				hour: "Hour of the day there; 8 if left out",
			},
			begins: true,
		},
	},
	summary: "Create a schedule",
	description:
		"Daily or weekly briefings on a brand or topic, mailed, sent to Slack, or kept for pick-up. The price pays the first week in which a briefing is delivered; each further week is taken from the credential's balance with its first delivered briefing, and a week without one costs nothing. Without a balance the schedule pauses. A payment on a chain pays one week; a credential beside it pays the weeks to come. Nothing is mailed before the reader of the address has agreed. The schedule_id is a capability: whoever knows it can change the schedule.",
	body: scheduleBody,
	reply: scheduleReply,
	title: "Schedule briefings",
	about:
		"Daily or weekly briefings on a brand or topic, by e-mail, to Slack, or kept for pick-up: what changed since the last one first, then what matters most, every sentence cited. The price pays the first week; each further week is paid with its first delivered briefing, and a week without one costs nothing.",
	tags: ["briefing", "schedule", "monitoring", "tracker"],
	examples: ["Send me a weekly briefing on agent payments every Monday at eight."],
	input: scheduleOrderInput,
	output: scheduleOutput,
	hasEffects: true,
	renews: true,
	toText: ({ data }) =>
		`Briefings on "${data.topic}" are scheduled (${data.schedule_id}); the next is due at ${data.next_run_at}.`,
	create: ({ research }: Pick<SkillServices, "research">) => ({
		exampleInput: () => ({ topic: "Payments by agents over HTTP", frequency: "weekly" }),
		async run(order, context) {
			const data = await research.schedules.book.create(order, context);
			return answer({ ok: true as const, data, meta: { warnings: warningsOf(data) } });
		},
	}),
	example: { body: ORDER },
});

function warningsOf({ channels, renews }: ScheduleWire): string[] {
	const has = (status: string) => channels.some((channel) => channel.status === status);
	return [
		...(has("unconfirmed")
			? [
					"Nothing is mailed before the reader of the address has opened the link in the mail we send.",
				]
			: []),
		...(has("not_configured")
			? ["This server has no mail server configured: briefings are not mailed."]
			: []),
		...(channels.every(({ status }) => status === "not_configured")
			? [
					"Without a target briefings wait for pick-up: GET /v1/research/schedules/{schedule_id}/runs.",
				]
			: []),
		...(renews
			? []
			: [
					'Nobody pays for further weeks: PATCH it with "renew_with": "credential" and an API key or Shared Payment Token.',
				]),
	];
}

/** One briefing at once. */
export const researchSchedulesRun = paidOperation({
	id: "research.schedules.run",
	at: "POST /v1/research/schedules/{schedule_id}/run",
	summary: "Run a schedule now",
	description:
		"Makes its briefing now, delivers it and returns it. It begins no week. Not charged when nothing is new since the last one.",
	params: z.strictObject({ schedule_id: scheduleIdField }),
	reply: runReply,
	about:
		"Makes the briefing of a schedule now, delivers it and returns it. It begins no week. Not charged when nothing is new since the last briefing.",
	tags: ["briefing", "schedule"],
	examples: ["Send me my briefing now."],
	input: z.strictObject({ schedule_id: scheduleIdField }),
	output: runOutput,
	hasEffects: true,
	create: ({ research }: Pick<SkillServices, "research">) => ({
		exampleInput: () => ({ schedule_id: "sch_2q4t7w1ab2c0f6x2m8k9yz3v5n7r1d3h" }),
		async run({ schedule_id }, context) {
			const { run, deliver } = await research.schedules.book.runNow(schedule_id, context);
			const result = { ok: true as const, data: run, meta: {} };
			if (run.status === "nothing_new") return noAnswer(result);
			if (!deliver) return answer(result);
			// The answer reports how the delivery went, which begins once it is paid for.
			const onPaid = async () => {
				result.data = await deliver();
			};
			return answer(result, { onPaid });
		},
	}),
	example: { params: { schedule_id: "sch_2q4t7w1ab2c0f6x2m8k9yz3v5n7r1d3h" } },
});
