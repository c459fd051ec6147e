import { type Caller, mayRead, maySeeAgain } from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import type { ScheduleChannel, ScheduleRow, Store } from "../../store/store.js";
import { applyChange, changeRow } from "./schedule-change.js";
import type { MailRefusals } from "./schedule-consent.js";
import type { ScheduleDelivery } from "./schedule-delivery.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import {
	getSchedule,
	mayChange,
	noSchedule,
	type ScheduleRuns,
	type ScheduleViewer,
	toScheduleWire,
} from "./schedule-record.js";
import type { RunServices } from "./schedule-run.js";
import {
	type ChannelDeps,
	readTopic,
	type ScheduleText,
	scheduleMemories,
} from "./schedule-text.js";
import type { ScheduleChange, ScheduleWire, TestWire } from "./schedule-wire.js";
import { countMail, mayMail } from "./schedule-worker.js";

/** What owners of schedules, and anyone who knows their ids, may ask, paying nothing. */
export type ScheduleService = ReturnType<typeof createScheduleService>;

/** What everything that is asked about schedules works with. */
export interface ScheduleServices extends RunServices, ChannelDeps {
	readonly store: Store;
	readonly runs: ScheduleRuns;
	readonly refusals: MailRefusals;
}

export function createScheduleService(deps: ScheduleServices) {
	const { store, texts, runs } = deps;
	const own = (caller: Caller, id: string) => getSchedule(store, id, (row) => mayRead(caller, row));
	return {
		/** Those of the viewer; none without a credential (D6). */
		async list({ caller, isNamed }: ScheduleViewer): Promise<{ items: ScheduleWire[] }> {
			if (!isNamed) return { items: [] };
			const rows = await store.read((reader) => reader.findBy("schedules", "owner", caller.owner));
			const mine = rows
				.filter(
					({ status, grantId }) => status !== "cancelled" && maySeeAgain(caller.access, grantId),
				)
				.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
			return { items: await Promise.all(mine.map((row) => describe(deps, row))) };
		},
		/** Throws NOT_FOUND, as all of these do, alike for unknown ids, those of others and cancelled ones. */
		get: async (caller: Caller, id: string) => describe(deps, await own(caller, id)),

		async change(
			viewer: ScheduleViewer,
			id: string,
			change: ScheduleChange,
		): Promise<ScheduleWire> {
			const row = await getSchedule(store, id, (found) => mayChange(found, viewer));
			return describe(deps, await applyChange(deps, { row, viewer, change }));
		},

		/** Nothing more is delivered or charged; its text is gone before this resolves. */
		async cancel(viewer: ScheduleViewer, id: string): Promise<ScheduleWire> {
			const row = await getSchedule(store, id, (found) => mayChange(found, viewer));
			const wire = await describe(deps, row);
			const expiresAt = deps.clock.now() + SCHEDULE_LIMITS.cancelledKeptMs;
			// The text of the row as it is now: another change may have given it a new one since it was read.
			const { documentId } = await changeRow(store, id, (now) => ({
				...now,
				status: "cancelled",
				channels: [],
				expiresAt,
			}));
			await texts.forget([documentId, ...scheduleMemories(id)]);
			return { ...wire, status: "cancelled", reason: null, channels: [], next_run_at: null };
		},

		/** Sends a test to every target; what is not confirmed is asked again. Throws RATE_LIMITED for too many on one day. */
		test: async (caller: Caller, id: string) => sendTests(deps, await own(caller, id)),
		runs: async (caller: Caller, id: string, cursor: string | undefined) =>
			runs.list(await own(caller, id), cursor),
		run: async (caller: Caller, id: string, runId: string) =>
			runs.get(await own(caller, id), runId),
	};
}

/** As its owner sees it. */
export async function describe(
	{ store, clock }: Pick<ScheduleServices, "store" | "clock">,
	row: ScheduleRow,
): Promise<ScheduleWire> {
	const { lastRunId } = row;
	const lastRun =
		lastRunId === undefined
			? undefined
			: await store.read((reader) => reader.get("briefing_runs", lastRunId));
	const topic = await readTopic(store.documents, row);
	return toScheduleWire(row, { topic, lastRun, now: clock.now() });
}

/** All schedules of an owner, for exports. */
export async function* schedulesOf(
	deps: Pick<ScheduleServices, "store" | "clock">,
	owner: string,
): AsyncIterable<ScheduleWire> {
	const rows = await deps.store.read((reader) => reader.findBy("schedules", "owner", owner));
	for (const row of rows) yield describe(deps, row);
}

/** Tries every target of a schedule. Throws RATE_LIMITED for too many mails on one day. */
async function sendTests(
	{ store, texts, delivery, clock }: ScheduleServices,
	row: ScheduleRow,
): Promise<TestWire> {
	const now = clock.now();
	// Judged and counted in one: tests that come together are not more of them.
	const counted = await changeRow(store, row.id, (schedule) => {
		if (!mayMail(schedule, now)) {
			throw new ServiceError(
				"RATE_LIMITED",
				`A schedule sends at most ${SCHEDULE_LIMITS.extraMailsPerDay} tests and confirmations a day; send this one tomorrow.`,
				{ retryAfterSeconds: 3_600 },
			);
		}
		return countMail(schedule, now);
	});
	// Of the same row as the channels: an old address never gets the link of a new one.
	const text = await texts.get(counted);
	if (!text) throw noSchedule();
	const channels: TestWire["channels"][number][] = [];
	for (const channel of counted.channels) {
		const status = await sendTest(delivery, { schedule: row, channel, text });
		channels.push({ kind: channel.kind, target_masked: channel.masked, status });
	}
	return { channels };
}

async function sendTest(
	delivery: ScheduleDelivery,
	sending: { schedule: ScheduleRow; channel: ScheduleChannel; text: ScheduleText },
): Promise<TestWire["channels"][number]["status"]> {
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
