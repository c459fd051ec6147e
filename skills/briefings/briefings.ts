export { createBriefings } from "./briefing.js";
export { createMailRefusals } from "./mail-refusals.js";
export {
	type HeldWeek,
	isCovered,
	NotPaid,
	type ScheduleBilling,
	WEEK_DAYS,
} from "./schedule-billing.js";
export { createScheduleBook } from "./schedule-book.js";
export { createScheduleConsent } from "./schedule-consent.js";
export { createScheduleDelivery } from "./schedule-delivery.js";
export { SCHEDULE_LIMITS } from "./schedule-limits.js";
export { createScheduleLinks } from "./schedule-links.js";
export { createSchedulePreview, type FreeSchedules } from "./schedule-preview.js";
export { createScheduleRuns } from "./schedule-runs.js";
export { createScheduleService, type ScheduleService, schedulesOf } from "./schedule-service.js";
export { dayAfter } from "./schedule-slots.js";
export { createScheduleTexts, scheduleMemories } from "./schedule-text.js";
export {
	type BriefingWire,
	briefingSchema,
	previewInput,
	type RunWire,
	runIdField,
	runItemSchema,
	runListFields,
	runOutput,
	runSchema,
	type ScheduleWire,
	scheduleChangeInput,
	scheduleIdField,
	scheduleOrderInput,
	scheduleOutput,
	scheduleSchema,
} from "./schedule-wire.js";
export { createScheduleWorker, type ScheduleWorker } from "./schedule-worker.js";
export type { Schedules } from "./schedules.js";
