import { type ArtifactRepository, readCursor, toCursor } from "../../src/contract/contract.js";
import { ServiceError, toIsoTime } from "../../src/kernel/kernel.js";
import type { BriefingRunRow, ScheduleRow, Store } from "../../store/store.js";
import { ownerOf } from "./schedule-briefing.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { toRunItem } from "./schedule-record.js";
import {
	type BriefingWire,
	briefingSchema,
	type RunItemWire,
	type RunWire,
} from "./schedule-wire.js";

/** A run with its briefing, as long as that can be picked up. */
export type ReadRun = (schedule: ScheduleRow, run: BriefingRunRow) => Promise<RunWire>;

export interface ScheduleRuns {
	read: ReadRun;
	/** Throws NOT_FOUND for a run of another schedule. */
	get(schedule: ScheduleRow, runId: string): Promise<RunWire>;
	/** Newest first. */
	list(
		schedule: ScheduleRow,
		cursor: string | undefined,
	): Promise<{ readonly items: readonly RunItemWire[]; readonly next_cursor: string | null }>;
}

export function createScheduleRuns({
	store,
	artifacts,
}: {
	readonly store: Pick<Store, "read">;
	readonly artifacts: Pick<ArtifactRepository, "find">;
}): ScheduleRuns {
	const read: ReadRun = async (schedule, run) => {
		const kept = await artifacts.find(await ownerOf(store, schedule), "briefing", run.id);
		const briefing: BriefingWire | undefined = briefingSchema.safeParse(kept?.data).data;
		return {
			...toRunItem(run),
			briefing: briefing ?? null,
			kept_until: kept && briefing ? toIsoTime(kept.expiresAt) : null,
		};
	};
	return {
		read,

		async get(schedule, runId) {
			const run = await store.read((reader) => reader.get("briefing_runs", runId));
			if (run?.scheduleId === schedule.id) return read(schedule, run);
			throw new ServiceError("NOT_FOUND", "No run of this schedule has this id.");
		},

		async list({ id }, cursor) {
			const identity = { list: "briefing_runs", asked: { id } };
			const [at, after = ""] = cursor === undefined ? [] : readCursor(cursor, identity, 2);
			const rows = await store.read((reader) => reader.findBy("briefing_runs", "scheduleId", id));
			const before = at === undefined ? Number.POSITIVE_INFINITY : Number(at);
			const rest = [...rows]
				.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? -1 : 1))
				.filter((run) => run.startedAt < before || (run.startedAt === before && run.id > after));
			const page = rest.slice(0, SCHEDULE_LIMITS.runsListedMax);
			const last = page.at(-1);
			const hasMore = last !== undefined && rest.length > page.length;
			return {
				items: page.map(toRunItem),
				next_cursor: hasMore ? toCursor(identity, [String(last.startedAt), last.id]) : null,
			};
		},
	};
}
