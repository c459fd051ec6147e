/** Slots found by looking at the clock on the wall, without any library of schedules. */

export interface Timing {
	readonly frequency: string;
	readonly timezone: string;
	readonly hour: number;
	readonly weekday: string;
}

const DAY_MS = 86_400_000;
const STEP_MS = 30 * 60_000;
/** No zone is further from UTC. */
const OFFSET_MAX_MS = 15 * 3_600_000;
const NAMES = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const formats = new Map<string, Intl.DateTimeFormat>();
const known = new Map<string, number>();

/** The day of the latest slot after `since` that is due by `now`. */
export function latestLocalSlot(
	timing: Timing,
	{ since, now }: { readonly since: number; readonly now: number },
): string | undefined {
	for (let back = 0; back < 9; back++) {
		const day = wallClock(timing.timezone, now - back * DAY_MS).slice(0, 10);
		const weekday = NAMES[new Date(`${day}T00:00:00Z`).getUTCDay()];
		if (timing.frequency === "weekly" && weekday !== timing.weekday) continue;
		const at = firstInstant(timing, day);
		if (at <= now) return at > since ? day : undefined;
	}
	return undefined;
}

/** The first instant at which the wall clock shows this day and hour, or something later of that day. */
function firstInstant({ timezone, hour }: Timing, day: string): number {
	const wanted = `${day} ${String(hour).padStart(2, "0")}:00`;
	const key = `${timezone} ${wanted}`;
	const found = known.get(key);
	if (found !== undefined) return found;
	const asUtc = Date.parse(`${wanted.replace(" ", "T")}:00Z`);
	let at = asUtc - OFFSET_MAX_MS;
	// Near enough by the offset that holds there, then step by step.
	const shown = Date.parse(`${wallClock(timezone, asUtc).replace(" ", "T")}:00Z`);
	at = Math.max(at, asUtc - (shown - asUtc) - 2 * 3_600_000);
	at -= at % STEP_MS;
	while (wallClock(timezone, at) < wanted) at += STEP_MS;
	known.set(key, at);
	return at;
}

/** `2026-03-29 03:00`. */
function wallClock(timezone: string, at: number): string {
	const format =
		formats.get(timezone) ??
		new Intl.DateTimeFormat("sv-SE", {
			timeZone: timezone,
			dateStyle: "short",
			timeStyle: "short",
		});
	formats.set(timezone, format);
	return format.format(at);
}
