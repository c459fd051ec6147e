import { Cron } from "croner";
import { WEEKDAYS, type Weekday } from "./schedule-wire.js";

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
const HOUR_MS = 3_600_000;
const LAST_HOUR = 23;
const REMEMBERED = 512;

/** The first slot after an instant. An hour that a change of clocks leaves out is made up for by the next that there is. */
export function nextSlot(timing: ScheduleTiming, after: number): Slot {
	return windowAt(timing, after).next;
}

/** The last slot after `since` that is due by `now`; undefined when there is none. Slots missed before it are left out. */
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

/** Who asks again usually asks about the same time; asking the calendar is the expensive part. */
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
		const found = { day: localDay(timezone, run.getTime()), at: run.getTime() };
		return lostSlot(timing, instant, found) ?? found;
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

/**
 * The slot between an instant and the one that follows, where a change of clocks leaves out the last hour of a day: it is
 * made up for at the day's end, and stays that day's.
 */
function lostSlot(timing: ScheduleTiming, after: number, found: Slot): Slot | undefined {
	if (timing.hour !== LAST_HOUR) return undefined;
	const { timezone, frequency, weekday } = timing;
	const first = dayAfter(localDay(timezone, after), -1);
	for (let day = first; day < found.day; day = dayAfter(day, 1)) {
		const name = WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()];
		if (frequency === "weekly" && name !== weekday) continue;
		const at = dayEnd(timezone, day);
		if (at !== undefined && at > after && at < found.at) return { day, at };
	}
	return undefined;
}

/** The end of a local day that has no last hour; undefined for days that have one, and for those a zone leaves out. */
function dayEnd(timezone: string, day: string): number | undefined {
	const next = dayAfter(day, 1);
	// No zone is further from UTC than 15 hours; changes of clocks are at quarters of an hour.
	let at = Date.parse(`${next}T00:00:00Z`) - 15 * HOUR_MS;
	while (localDay(timezone, at) < next) at += HOUR_MS / 4;
	const last = at - 1;
	const hasDay = localDay(timezone, last) === day;
	return hasDay && localHour(timezone, last) < LAST_HOUR ? at : undefined;
}

/** A rhythm in words: "Mondays, 08:00 Europe/Berlin", and "every Monday". */
export function describeTiming({ frequency, timezone, hour, weekday }: ScheduleTiming) {
	const at = `${String(hour).padStart(2, "0")}:00 ${timezone}`;
	if (frequency !== "weekly") return { when: `Every day, ${at}`, every: "every day" };
	const name = weekday.charAt(0).toUpperCase() + weekday.slice(1);
	return { when: `${name}s, ${at}`, every: `every ${name}` };
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

function localHour(timezone: string, at: number): number {
	const format = new Intl.DateTimeFormat("en", {
		timeZone: timezone,
		hour: "2-digit",
		hourCycle: "h23",
	});
	return Number(format.format(at));
}

const formats = new Map<string, Intl.DateTimeFormat>();
const crons = new Map<string, Cron>();

function patternOf({ frequency, hour, weekday }: ScheduleTiming): string {
	const days = frequency === "weekly" ? String(WEEKDAYS.indexOf(weekday as Weekday)) : "*";
	return `0 0 ${hour} * * ${days}`;
}

/** Making one is expensive; few are in use at once. */
function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
	const found = known.get(key);
	if (found !== undefined) return found;
	if (known.size >= REMEMBERED) known.clear();
	const made = make();
	known.set(key, made);
	return made;
}
