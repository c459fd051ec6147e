import type { RunWire, ScheduleOrder, ScheduleWire } from "./schedule-wire.js";
import type { SkillContext } from "./skill.js";

/** Schedules as the skills that sell them see them: never a price, a target or how somebody pays. */
export interface ScheduleBook {
	/** Makes a schedule once for each call, however often it is sent. Throws RATE_LIMITED for too many of one owner. */
	create(order: ScheduleOrder, context: SkillContext): Promise<ScheduleWire>;
	/** Makes and delivers a briefing now, once for each call; channels say whom it did not reach. Throws NOT_FOUND for a schedule of somebody else. */
	runNow(scheduleId: string, context: SkillContext): Promise<RunWire>;
}
