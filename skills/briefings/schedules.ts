import type { ScheduleBook } from "./schedule-ports.js";
import type { FreeSchedules } from "./schedule-preview.js";
import type { ScheduleService } from "./schedule-service.js";
import type { ScheduleWorker } from "./schedule-worker.js";

/** Subscriptions to briefings, as each who has to do with them sees them. */
export interface Schedules {
	readonly book: ScheduleBook;
	readonly desk: ScheduleService;
	readonly free: FreeSchedules;
	readonly worker: ScheduleWorker;
}
