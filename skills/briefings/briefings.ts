export { createBriefings } from "./briefing.js";
export {
	type HeldWeek,
	isCovered,
	NotPaid,
	type ScheduleBilling,
	WEEK_DAYS,
} from "./schedule-billing.js";
export { createScheduleBook } from "./schedule-book.js";
export {
	createMailRefusals,
	createScheduleConsent,
	createScheduleLinks,
} from "./schedule-consent.js";
export { createScheduleDelivery } from "./schedule-delivery.js";
export { SCHEDULE_LIMITS } from "./schedule-limits.js";
export { createScheduleRuns } from "./schedule-record.js";
export { createScheduleService, type ScheduleService, schedulesOf } from "./schedule-service.js";
export { dayAfter } from "./schedule-slots.js";
export { createScheduleTexts, scheduleMemories } from "./schedule-text.js";

export { createScheduleWorker, type ScheduleWorker } from "./schedule-worker.js";
export { createSchedulePreview, type FreeSchedules, type Schedules } from "./schedules.js";
