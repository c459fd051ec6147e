import {
	type ArtifactRepository,
	type Caller,
	readCursor,
	takePage,
} from "../../src/contract/contract.js";
import { formatUsd, notFound, type ServiceError, toIsoTime } from "../../src/kernel/kernel.js";
import type { BriefingRunRow, ScheduleRow, Store } from "../../store/store.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { ownerOf } from "./schedule-run.js";
import { nextSlot } from "./schedule-slots.js";
import {
	briefingSchema,
	type PauseReason,
	type RunItemWire,
	type RunStatus,
	type RunWire,
	type ScheduleWire,
	type Weekday,
} from "./schedule-wire.js";

/** Who looks at a schedule: the owner of a credential, or anyone who knows its id where none was shown. */
export interface ScheduleViewer {
	readonly caller: Caller;
	readonly isNamed: boolean;
}

/** The same for unknown ids, those of others and cancelled ones, after the same work. */
export function noSchedule(): ServiceError {
	return notFound("No schedule of yours has this id.");
}

/** The schedule that is meant and may be seen. Throws NOT_FOUND after one look, whatever the reason. */
export async function getSchedule(
	store: Pick<Store, "read">,
	id: string,
	isAllowed: (row: ScheduleRow) => boolean,
): Promise<ScheduleRow> {
	const row = await store.read((reader) => reader.get("schedules", id));
	if (row && row.status !== "cancelled" && isAllowed(row)) return row;
	throw noSchedule();
}

export function toScheduleWire(
	row: ScheduleRow,
	{ topic, lastRun, now }: { topic: string; lastRun: BriefingRunRow | undefined; now: number },
): ScheduleWire {
	const runs = row.status === "active" || row.status === "failing";
	return {
		schedule_id: row.id,
		topic,
		frequency: row.frequency,
		timezone: row.timezone,
		hour: row.hour,
		weekday: row.frequency === "weekly" ? (row.weekday as Weekday) : null,
		status: row.status,
		reason: row.status === "paused" ? ((row.reason ?? "asked") as PauseReason) : null,
		channels: row.channels.map(({ kind, masked, status }) => ({
			kind,
			target_masked: masked,
			status,
		})),
		next_run_at: runs ? toIsoTime(nextSlot(row, Math.max(now, row.startsAt)).at) : null,
		last_run: lastRun
			? { run_id: lastRun.id, slot: lastRun.slot, status: lastRun.status as RunStatus }
			: null,
		weeks_prepaid: row.prepaidWeeks,
		covered_through: row.coveredThrough ?? null,
		week_price_usd: formatUsd(row.weekMicros),
		renews: row.renewal !== undefined,
		created_at: toIsoTime(row.createdAt),
	};
}

export function toRunItem(run: BriefingRunRow): RunItemWire {
	return {
		run_id: run.id,
		schedule_id: run.scheduleId,
		kind: run.kind,
		slot: run.slot,
		due_at: toIsoTime(run.dueAt),
		status: run.status as RunStatus,
		attempts: run.attempt,
		channels: run.channels.map(({ kind, status }) => ({
			kind,
			status: status === "sending" ? "waiting" : status,
		})),
		started_at: toIsoTime(run.startedAt),
		finished_at: run.finishedAt === undefined ? null : toIsoTime(run.finishedAt),
		receipt_id: run.receiptId ?? null,
	};
}

export type ScheduleRuns = ReturnType<typeof createScheduleRuns>;

export function createScheduleRuns(
	store: Pick<Store, "read">,
	artifacts: Pick<ArtifactRepository, "find">,
) {
	/** A run with its briefing, as long as that can be picked up. */
	const read = async (schedule: ScheduleRow, run: BriefingRunRow): Promise<RunWire> => {
		const kept = await artifacts.find(await ownerOf(store, schedule), "briefing", run.id);
		const briefing = briefingSchema.safeParse(kept?.data).data;
		return {
			...toRunItem(run),
			briefing: briefing ?? null,
			kept_until: kept && briefing ? toIsoTime(kept.expiresAt) : null,
		};
	};
	return {
		read,

		/** Throws NOT_FOUND for a run of another schedule. */
		async get(schedule: ScheduleRow, runId: string): Promise<RunWire> {
			const run = await store.read((reader) => reader.get("briefing_runs", runId));
			if (run?.scheduleId === schedule.id) return read(schedule, run);
			throw notFound("No run of this schedule has this id.");
		},

		/** Newest first. */
		async list({ id }: ScheduleRow, cursor: string | undefined) {
			const identity = { list: "briefing_runs", asked: { id } };
			const [at, after = ""] = cursor === undefined ? [] : readCursor(cursor, identity, 2);
			const rows = await store.read((reader) => reader.findBy("briefing_runs", "scheduleId", id));
			const before = at === undefined ? Number.POSITIVE_INFINITY : Number(at);
			const rest = [...rows]
				.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? -1 : 1))
				.filter((run) => run.startedAt < before || (run.startedAt === before && run.id > after));
			const { page, next_cursor } = takePage(
				rest,
				SCHEDULE_LIMITS.runsListedMax,
				identity,
				(run) => [String(run.startedAt), run.id],
			);
			return { items: page.map(toRunItem), next_cursor };
		},
	};
}
