import { type Clock, ServiceError } from "../../src/kernel/kernel.js";
import type { ScheduleRow, Store } from "../../store/store.js";
import { changeRow } from "./schedule-change.js";
import type { ScheduleDelivery } from "./schedule-delivery.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { noSchedule } from "./schedule-record.js";
import type { ScheduleText, ScheduleTexts } from "./schedule-text.js";
import { countMail, mayMail } from "./schedule-worker.js";

export interface ScheduleTest {
	readonly channels: readonly {
		readonly kind: "email" | "slack";
		readonly target_masked: string;
		readonly status: "sent" | "failed" | "asked_again" | "not_sent";
	}[];
}

interface TrialDeps {
	readonly store: Pick<Store, "transaction">;
	readonly texts: ScheduleTexts;
	readonly delivery: ScheduleDelivery;
	readonly clock: Clock;
}

/** Tries every target of a schedule. Throws RATE_LIMITED for too many mails on one day. */
export async function sendTests(deps: TrialDeps, row: ScheduleRow): Promise<ScheduleTest> {
	const { store, texts, delivery, clock } = deps;
	const now = clock.now();
	// Judged and counted in one: tests that come together are not more of them.
	const counted = await changeRow(store, row.id, (schedule) => {
		if (!mayMail(schedule, now)) throw tooManyMails();
		return countMail(schedule, now);
	});
	// Of the same row as the channels: an old address never gets the link of a new one.
	const text = await texts.get(counted);
	if (!text) throw noSchedule();
	const channels: ScheduleTest["channels"][number][] = [];
	for (const channel of counted.channels) {
		const status = await sendTest(delivery, { schedule: row, channel, text });
		channels.push({ kind: channel.kind, target_masked: channel.masked, status });
	}
	return { channels };
}

function tooManyMails(): ServiceError {
	return new ServiceError(
		"RATE_LIMITED",
		`A schedule sends at most ${SCHEDULE_LIMITS.extraMailsPerDay} tests and confirmations a day; send this one tomorrow.`,
		{ retryAfterSeconds: 3_600 },
	);
}

async function sendTest(
	delivery: ScheduleDelivery,
	sending: {
		readonly schedule: ScheduleRow;
		readonly channel: ScheduleRow["channels"][number];
		readonly text: ScheduleText;
	},
): Promise<ScheduleTest["channels"][number]["status"]> {
	const { status } = sending.channel;
	if (status !== "ready" && status !== "unconfirmed") return "not_sent";
	const isAsked = status === "unconfirmed";
	try {
		await (isAsked ? delivery.confirmation(sending) : delivery.test(sending));
		return isAsked ? "asked_again" : "sent";
	} catch {
		return "failed";
	}
}
