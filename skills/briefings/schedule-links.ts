import { z } from "zod";
import type { Clock, SealedText } from "../../src/kernel/kernel.js";
import type { ScheduleChannel, ScheduleRow } from "../../store/store.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";

export type LinkPurpose = "confirm" | "unsubscribe";

/** What a link in a mail stands for. It names schedule and target to us alone: whoever reads the mail may not own the schedule. */
export interface ScheduleLink {
	readonly purpose: LinkPurpose;
	readonly scheduleId: string;
	/** Of the channel: a new target has new links. */
	readonly ref: string;
}

export interface ScheduleLinks {
	urlOf(
		purpose: LinkPurpose,
		schedule: Pick<ScheduleRow, "id">,
		channel: Pick<ScheduleChannel, "ref">,
	): string;
	/** Undefined for whatever we did not make, made for something else, or is too old. */
	open(token: string, purpose: LinkPurpose): ScheduleLink | undefined;
}

const stored = z.strictObject({
	p: z.enum(["confirm", "unsubscribe"]),
	s: z.string(),
	r: z.string(),
	e: z.number(),
});

const TTL_MS = {
	confirm: SCHEDULE_LIMITS.confirmTtlMs,
	unsubscribe: SCHEDULE_LIMITS.unsubscribeTtlMs,
} as const;

export function createScheduleLinks({
	seal,
	clock,
	baseUrl,
}: {
	readonly seal: SealedText;
	readonly clock: Clock;
	readonly baseUrl: () => string;
}): ScheduleLinks {
	return {
		urlOf(purpose, { id }, { ref }) {
			const terms = { p: purpose, s: id, r: ref, e: clock.now() + TTL_MS[purpose] };
			const token = seal.seal(JSON.stringify(terms));
			return `${baseUrl()}/v1/research/schedules/${purpose}?token=${token}`;
		},
		open(token, purpose) {
			const text = seal.open(token);
			const terms = text === undefined ? undefined : stored.safeParse(JSON.parse(text)).data;
			if (terms?.p !== purpose || terms.e <= clock.now()) return undefined;
			return { purpose, scheduleId: terms.s, ref: terms.r };
		},
	};
}
