import { z } from "zod";
import { answer, defineSkill, noAnswer, type Skill } from "../../src/contract/contract.js";
import type { ScheduleBook } from "./schedule-book.js";
import {
	runOutput,
	type ScheduleWire,
	scheduleIdField,
	scheduleOrderInput,
	scheduleOutput,
} from "./schedule-wire.js";

export interface ScheduleSkillDeps {
	readonly schedules: ScheduleBook;
}

/** A subscription to briefings; its price pays the first week in which one is delivered. */
export const createBriefingSchedule = ({
	schedules,
}: ScheduleSkillDeps): Skill<"research.schedules.create"> =>
	defineSkill({
		operationId: "research.schedules.create",
		title: "Schedule briefings",
		description:
			"Daily or weekly briefings on a brand or topic, by e-mail, to Slack, or kept for pick-up: what changed since the last one first, then what matters most, every sentence cited. The price pays the first week; each further week is paid with its first delivered briefing, and a week without one costs nothing.",
		tags: ["briefing", "schedule", "monitoring", "tracker"],
		examples: ["Send me a weekly briefing on agent payments every Monday at eight."],
		exampleInput: { topic: "Payments by agents over HTTP", frequency: "weekly" },
		input: scheduleOrderInput,
		output: scheduleOutput,
		capture: "onResult",
		queryOf: ({ topic }) => topic,
		graphsOf: () => [],
		toText: ({ data }) =>
			`Briefings on "${data.topic}" are scheduled (${data.schedule_id}); the next is due at ${data.next_run_at}.`,
		async run(order, context) {
			const data = await schedules.create(order, context);
			return answer({ ok: true as const, data, meta: { warnings: warningsOf(data) } });
		},
	});

/** One briefing at once. */
export const createBriefingRun = ({
	schedules,
}: ScheduleSkillDeps): Skill<"research.schedules.run"> =>
	defineSkill({
		operationId: "research.schedules.run",
		title: "Run a schedule now",
		description:
			"Makes the briefing of a schedule now, delivers it and returns it. It begins no week. Not charged when nothing is new since the last briefing.",
		tags: ["briefing", "schedule"],
		examples: ["Send me my briefing now."],
		exampleInput: { schedule_id: "sch_2q4t7w1ab2c0f6x2m8k9yz3v5n7r1d3h" },
		input: z.strictObject({ schedule_id: scheduleIdField }),
		output: runOutput,
		capture: "onResult",
		queryOf: () => undefined,
		graphsOf: () => [],
		async run({ schedule_id }, context) {
			const { run, deliver } = await schedules.runNow(schedule_id, context);
			const result = { ok: true as const, data: run, meta: {} };
			if (run.status === "nothing_new") return noAnswer(result);
			if (!deliver) return answer(result);
			// The answer tells how the delivery went, which begins once it is paid for.
			const onPaid = async () => {
				result.data = await deliver();
			};
			return answer(result, { onPaid });
		},
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
