import type { ScheduleBook } from "../core/schedules.js";
import type { ScheduleWorker } from "../jobs/schedule-worker.js";
import type { ScheduleDesk } from "./schedule-desk.js";
import type { FreeSchedules } from "./schedule-preview.js";

/** Subscriptions to briefings, as each who has to do with them sees them. */
export interface Schedules {
	readonly book: ScheduleBook;
	readonly desk: ScheduleDesk;
	readonly free: FreeSchedules;
	readonly worker: ScheduleWorker;
}
