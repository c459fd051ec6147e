import { Cron } from "croner";
import { WEEKDAYS, type Weekday } from "../core/schedule-wire.js";

/** When a schedule runs, in the time of its own zone. */
export interface ScheduleTiming {
	readonly frequency: string;
	/** IANA. */
	readonly timezone: string;
	readonly hour: number;
	readonly weekday: string;
}

/** One local day on which a briefing is due, and the instant from which on it is. */
export interface Slot {
	/** `YYYY-MM-DD`, local. */
	readonly day: string;
	readonly at: number;
}

const DAY_MS = 86_400_000;
const REMEMBERED = 512;

/** The first slot after an instant. An hour that a change of clocks leaves out is made up for by the next that there is. */
export function nextSlot(timing: ScheduleTiming, after: number): Slot {
	const run = cronOf(timing).nextRun(new Date(after));
	if (!run) throw new RangeError(`No slot follows ${new Date(after).toISOString()}.`);
	return { day: localDay(timing.timezone, run.getTime()), at: run.getTime() };
}

/** The last slot after `since` that is due by `now`; undefined when there is none. Slots missed before it are not told. */
export function latestSlot(
	timing: ScheduleTiming,
	{ since, now }: { readonly since: number; readonly now: number },
): Slot | undefined {
	// A zone may leave out a whole day, so that two periods back is not always far enough.
	const periods = timing.frequency === "weekly" ? 15 : 3;
	let slot = nextSlot(timing, Math.max(since, now - periods * DAY_MS));
	let latest: Slot | undefined;
	while (slot.at <= now) {
		latest = slot;
		slot = nextSlot(timing, slot.at);
	}
	return latest;
}

/** The day so many days after another. */
export function dayAfter(day: string, days: number): string {
	return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The local day of an instant. */
export function localDay(timezone: string, at: number): string {
	return remembered(formats, timezone, () => {
		const date = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
		return new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, ...date });
	}).format(at);
}

const formats = new Map<string, Intl.DateTimeFormat>();
const crons = new Map<string, Cron>();

function cronOf({ frequency, timezone, hour, weekday }: ScheduleTiming): Cron {
	const days = frequency === "weekly" ? String(WEEKDAYS.indexOf(weekday as Weekday)) : "*";
	const pattern = `0 0 ${hour} * * ${days}`;
	return remembered(
		crons,
		`${timezone} ${pattern}`,
		() => new Cron(pattern, { timezone, paused: true }),
	);
}

/** Making one is dear; few are in use at once. */
function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
	const found = known.get(key);
	if (found !== undefined) return found;
	if (known.size >= REMEMBERED) known.clear();
	const made = make();
	known.set(key, made);
	return made;
}
