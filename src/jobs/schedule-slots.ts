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
	return windowAt(timing, after).next;
}

/** The last slot after `since` that is due by `now`; undefined when there is none. Slots missed before it are not told. */
export function latestSlot(
	timing: ScheduleTiming,
	{ since, now }: { readonly since: number; readonly now: number },
): Slot | undefined {
	const { latest } = windowAt(timing, now);
	return latest.at > since ? latest : undefined;
}

/** The slots around an instant: one that is due, and the one that is not yet. */
interface Window {
	readonly latest: Slot;
	readonly next: Slot;
}

/** Who asks again usually asks about the same time; asking the calendar is the dear part. */
const windows = new Map<string, Window>();

function windowAt(timing: ScheduleTiming, at: number): Window {
	const { timezone } = timing;
	const pattern = patternOf(timing);
	const key = `${timezone} ${pattern}`;
	const known = windows.get(key);
	if (known && known.latest.at <= at && at < known.next.at) return known;
	const cron = remembered(crons, key, () => new Cron(pattern, { timezone, paused: true }));
	const slotAfter = (instant: number): Slot => {
		const run = cron.nextRun(new Date(instant));
		if (!run) throw new RangeError(`No slot follows ${new Date(instant).toISOString()}.`);
		return { day: localDay(timezone, run.getTime()), at: run.getTime() };
	};
	// A zone may leave out a whole day, so that two periods back is not always far enough.
	const periods = timing.frequency === "weekly" ? 15 : 3;
	const isNear = known && known.next.at <= at && at - known.next.at < periods * DAY_MS;
	let latest = isNear ? known.next : slotAfter(at - periods * DAY_MS);
	let next = slotAfter(latest.at);
	while (next.at <= at) [latest, next] = [next, slotAfter(next.at)];
	if (windows.size >= REMEMBERED) windows.clear();
	windows.set(key, { latest, next });
	return { latest, next };
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

function patternOf({ frequency, hour, weekday }: ScheduleTiming): string {
	const days = frequency === "weekly" ? String(WEEKDAYS.indexOf(weekday as Weekday)) : "*";
	return `0 0 ${hour} * * ${days}`;
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
