import type { SkillContext } from "../../src/contract/contract.js";
import type { RunWire, ScheduleOrder, ScheduleWire } from "./schedule-wire.js";

/** Schedules as the skills that sell them see them: never a price, a target or how somebody pays. */
export interface ScheduleBook {
	/** Makes a schedule once for each call, however often it is sent. Throws RATE_LIMITED for too many of one owner. */
	create(order: ScheduleOrder, context: SkillContext): Promise<ScheduleWire>;
	/** Makes a briefing now, and delivers nothing yet. Throws NOT_FOUND for a schedule of somebody else. */
	runNow(scheduleId: string, context: SkillContext): Promise<ManualRun>;
}

/** A briefing that was asked for out of turn. */
export interface ManualRun {
	readonly run: RunWire;
	/**
	 * Delivers it once for each call, to be called when it is paid for; its channels then say whom it did not reach. Absent
	 * where there is nothing to deliver, or it was delivered before.
	 */
	readonly deliver?: () => Promise<RunWire>;
}
