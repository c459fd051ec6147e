import type { z } from "zod";
import { createBoundedWork } from "../../src/contract/contract.js";
import type { ComposeBriefing } from "./briefing.js";
import type { ScheduleBook } from "./schedule-book.js";
import type { ScheduleConsent } from "./schedule-consent.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import type { ScheduleService } from "./schedule-service.js";
import type { BriefingWire, previewInput } from "./schedule-wire.js";
import type { ScheduleWorker } from "./schedule-worker.js";

/** Subscriptions to briefings, for those who sell, own, preview and run them. */
export interface Schedules {
	readonly book: ScheduleBook;
	readonly service: ScheduleService;
	readonly free: FreeSchedules;
	readonly worker: ScheduleWorker;
}

/** What anyone may ask of briefings. */
export interface FreeSchedules extends ScheduleConsent {
	readonly preview: ReturnType<typeof createSchedulePreview>;
}

/** The beginning of a first briefing; nothing is kept or delivered. Throws RATE_LIMITED while too many wait. */
export function createSchedulePreview(compose: ComposeBriefing) {
	const inTurn = createBoundedWork({
		running: SCHEDULE_LIMITS.previewsRunning,
		waiting: SCHEDULE_LIMITS.previewsWaiting,
	});
	return async (request: z.output<typeof previewInput>, signal: AbortSignal) => {
		const work = () => compose({ ...request, before: undefined, signal });
		const { briefing } = await inTurn(work, signal);
		return { is_sample: true as const, briefing: toSample(briefing) };
	};
}

function toSample(briefing: BriefingWire): BriefingWire {
	const { previewItemsMax: most } = SCHEDULE_LIMITS;
	const shown = {
		...briefing,
		top: briefing.top.slice(0, most),
		movers: briefing.movers.slice(0, most),
		numbers: briefing.numbers.slice(0, 1),
		watch_list: briefing.watch_list.slice(0, most),
	};
	const cited = new Set([
		...shown.top.flatMap(({ what, why_it_matters: why }) => [
			...what.citation_ids,
			...(why?.citation_ids ?? []),
		]),
		...shown.numbers.flatMap(({ citation_ids: ids }) => ids),
	]);
	return { ...shown, citations: briefing.citations.filter(({ n }) => cited.has(n)) };
}
