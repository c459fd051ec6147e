import { sweepOwned } from "../../src/accounts/owned-records.js";
import type { BriefingRunRow, ScheduleRow } from "../../store/rows/notification-rows.js";
import {
	createWorld,
	fill,
	idOf,
	START_MS,
	TIMINGS,
	TOKEN,
	WEEK_MICROS,
	type World,
} from "./schedule-world.js";
import { type SimulatedWorker, startWorker } from "./simulated-worker.js";
import { latestLocalSlot, type Timing } from "./slot-oracle.js";

/** Schedules over simulated years, with workers that die, targets that fail and a clock that jumps. */

export interface Outcome {
	readonly name: string;
	/** Local days that were the latest due ones at some moment in which workers ran. */
	readonly due: ReadonlySet<string>;
	/** Those, and what was due while something else was open. */
	readonly allowed: ReadonlySet<string>;
	/** In the order in which they ended. */
	readonly runs: readonly BriefingRunRow[];
	/** How often a briefing left for its target, by slot. */
	readonly sent: ReadonlyMap<string, number>;
	/** Slots whose worker died while it sent. */
	readonly unknown: ReadonlySet<string>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WORKERS = 3;

export async function simulateSchedules({
	seed,
	years,
}: {
	readonly seed: number;
	readonly years: number;
}) {
	const world = createWorld(seed);
	const { time, dice } = world;
	await fill(world);
	let workers = Array.from({ length: WORKERS }, () => startWorker(world));
	const end = START_MS + years * 365.25 * DAY_MS;
	let trueNow = START_MS;
	while (trueNow < end) {
		const slept = dice.chance(1 / 60) ? outage(world) : dice.between(1, 20 * 60) * 60_000;
		await passMonths(world, trueNow, trueNow + slept);
		trueNow += slept;
		time.now = trueNow + jump(world);
		if (dice.chance(1 / 20)) await resume(world);
		workers = await oneRound(world, workers);
	}
	// What is still open is brought to its end.
	for (let round = 0; round < 8; round++) {
		trueNow += 2 * HOUR_MS;
		time.now = trueNow;
		await oneRound(world, [startWorker(world, { isSafe: true })]);
	}
	await world.sweeper.releaseEnded();
	world.facts.runs = world.ended.size;
	const balances = await world.store.read((reader) => reader.balances());
	return {
		facts: world.facts,
		schedules: TIMINGS.map((timing, place) => toOutcome(world, idOf(place), timing)),
		sumOfEntries: [...balances.values()].reduce((sum, micros) => sum + micros, 0n),
		heldMicros: balances.get(`held:${TOKEN}`) ?? 0n,
	};
}

function toOutcome(world: World, id: string, { frequency, timezone, hour }: Timing): Outcome {
	const slotOf = (key: string) => (key.startsWith(`${id} `) ? [key.slice(id.length + 1)] : []);
	return {
		name: `${frequency} ${timezone} at ${hour}`,
		due: new Set([...world.due].flatMap(slotOf)),
		allowed: new Set([...world.allowed].flatMap(slotOf)),
		runs: [...world.ended.values()].filter(({ scheduleId }) => scheduleId === id),
		sent: new Map(
			[...world.sent].flatMap(([key, times]) => slotOf(key).map((slot) => [slot, times] as const)),
		),
		unknown: new Set([...world.unknown].flatMap(slotOf)),
	};
}

/** Money comes month by month, sometimes too little, so that schedules pause; what is old is forgotten. */
async function passMonths(world: World, from: number, to: number): Promise<void> {
	const { store, ledger, ids, dice } = world;
	const monthOf = (at: number) => Math.floor(at / (30 * DAY_MS));
	if (monthOf(from) === monthOf(to)) return;
	const amountMicros = WEEK_MICROS * (dice.chance(1 / 6) ? 3n : 25n);
	const key = ids.next("txn");
	await store.transaction((tx) =>
		ledger.credit(tx, { owner: TOKEN, source: "promo:demo", amountMicros, key }),
	);
	await sweepOwned(store, to);
}

/** Days without workers. */
function outage({ dice, facts }: World): number {
	facts.outages += 1;
	return dice.between(1, 9 * 24) * HOUR_MS;
}

/** How far the clock is off this time: mostly not at all. */
function jump({ dice, facts }: World): number {
	if (!dice.chance(1 / 30)) return 0;
	facts.jumps += 1;
	return (dice.chance(1 / 2) ? 1 : -1) * dice.between(1, 4 * 24) * HOUR_MS;
}

/** Some or all workers at once; those that die are replaced, and what they left is looked at by somebody alive. */
async function oneRound(
	world: World,
	workers: readonly SimulatedWorker[],
): Promise<SimulatedWorker[]> {
	const { store, dice, sweeper, time } = world;
	const before = await store.read((reader) => reader.list("schedules"));
	const some = workers.filter(() => !dice.chance(1 / 4));
	const busy = some.length > 0 ? some : workers;
	await Promise.all(busy.map((worker) => Promise.race([tickAll(worker), worker.died])));
	const left = workers.map((worker) => (worker.isDead ? startWorker(world) : worker));
	if (busy.every(({ isDead }) => isDead)) return oneRound(world, left);
	const after = await store.read((reader) => reader.list("schedules"));
	noteDue(world, after, time.now);
	noteAllowed(world, before, time.now);
	await sweeper.sweep();
	return left;
}

/** What a schedule was due that ran before the round, and perhaps not after it. */
function noteAllowed({ allowed }: World, schedules: readonly ScheduleRow[], now: number): void {
	for (const schedule of schedules) {
		if (schedule.status === "paused") continue;
		const day = latestLocalSlot(schedule, { since: schedule.startsAt, now });
		if (day !== undefined) allowed.add(`${schedule.id} ${day}`);
	}
}

/** Rounds follow each other within seconds, until nothing is due. */
async function tickAll({ tick }: SimulatedWorker): Promise<void> {
	while ((await tick()) > 0);
}

/** What a schedule that runs, and has nothing open, has as its latest slot after the workers looked. */
function noteDue({ due }: World, schedules: readonly ScheduleRow[], now: number): void {
	for (const schedule of schedules) {
		if (schedule.status !== "active" && schedule.status !== "failing") continue;
		const day = latestLocalSlot(schedule, { since: schedule.startsAt, now });
		if (day === undefined) continue;
		// An attempt that just died keeps its lease for a while.
		if (schedule.openRunId === undefined) due.add(`${schedule.id} ${day}`);
	}
}

/** Somebody resumes what was paused. */
async function resume({ store, facts, time }: World): Promise<void> {
	await store.transaction(async (tx) => {
		for (const row of await tx.list("schedules")) {
			if (row.status !== "paused") continue;
			facts.pauses += 1;
			const { reason: _, ...rest } = row;
			await tx.put("schedules", { ...rest, status: "active", startsAt: time.now, failedRuns: 0 });
		}
	});
}
