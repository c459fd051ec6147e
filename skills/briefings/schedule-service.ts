import { type Caller, mayRead, maySeeAgain } from "../../src/contract/contract.js";
import type { ScheduleRow, Store } from "../../store/store.js";
import type { MailRefusals } from "./mail-refusals.js";
import { applyChange, changeRow } from "./schedule-change.js";
import type { ChannelDeps } from "./schedule-channels.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { getSchedule, mayChange, type ScheduleViewer, toScheduleWire } from "./schedule-record.js";
import type { ScheduleRunDeps } from "./schedule-run.js";
import type { ScheduleRuns } from "./schedule-runs.js";
import { readTopic, scheduleMemories } from "./schedule-text.js";
import { type ScheduleTest, sendTests } from "./schedule-trial.js";
import type { RunItemWire, RunWire, ScheduleChange, ScheduleWire } from "./schedule-wire.js";

/** What owners of schedules, and whoever knows their ids, may ask, paying nothing. */
export interface ScheduleService {
	/** Those of the viewer; none without a credential (D6). */
	list(viewer: ScheduleViewer): Promise<{ readonly items: readonly ScheduleWire[] }>;
	/** Throws NOT_FOUND, as all of these do, alike for unknown ids, those of others and cancelled ones. */
	get(caller: Caller, id: string): Promise<ScheduleWire>;
	change(viewer: ScheduleViewer, id: string, change: ScheduleChange): Promise<ScheduleWire>;
	/** Nothing more is delivered or charged; its text is gone before this resolves. */
	cancel(viewer: ScheduleViewer, id: string): Promise<ScheduleWire>;
	/** Sends a test to every target; what is not confirmed is asked again. Throws RATE_LIMITED for too many on one day. */
	test(caller: Caller, id: string): Promise<ScheduleTest>;
	runs(
		caller: Caller,
		id: string,
		cursor: string | undefined,
	): Promise<{ readonly items: readonly RunItemWire[]; readonly next_cursor: string | null }>;
	run(caller: Caller, id: string, runId: string): Promise<RunWire>;
}

export interface ScheduleServiceDeps extends ScheduleRunDeps, ChannelDeps {
	readonly store: Store;
	readonly runs: ScheduleRuns;
	readonly refusals: MailRefusals;
}

export function createScheduleService(deps: ScheduleServiceDeps): ScheduleService {
	const { store, texts, runs } = deps;
	const own = (caller: Caller, id: string) => getSchedule(store, id, (row) => mayRead(caller, row));
	return {
		async list({ caller, isNamed }) {
			if (!isNamed) return { items: [] };
			const rows = await store.read((reader) => reader.findBy("schedules", "owner", caller.owner));
			const mine = rows
				.filter(
					({ status, grantId }) => status !== "cancelled" && maySeeAgain(caller.access, grantId),
				)
				.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
			return { items: await Promise.all(mine.map((row) => describe(deps, row))) };
		},
		get: async (caller, id) => describe(deps, await own(caller, id)),

		async change(viewer, id, change) {
			const row = await getSchedule(store, id, (found) => mayChange(found, viewer));
			return describe(deps, await applyChange(deps, { row, viewer, change }));
		},

		async cancel(viewer, id) {
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

		test: async (caller, id) => sendTests(deps, await own(caller, id)),
		runs: async (caller, id, cursor) => runs.list(await own(caller, id), cursor),
		run: async (caller, id, runId) => runs.get(await own(caller, id), runId),
	};
}

/** As its owner is told. */
export async function describe(
	{ store, clock }: Pick<ScheduleServiceDeps, "store" | "clock">,
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
	deps: Pick<ScheduleServiceDeps, "store" | "clock">,
	owner: string,
): AsyncIterable<ScheduleWire> {
	const rows = await deps.store.read((reader) => reader.findBy("schedules", "owner", owner));
	for (const row of rows) yield describe(deps, row);
}
