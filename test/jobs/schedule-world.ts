import { createLedger, type Ledger } from "../../payments/ledger.js";
import { createPriceList } from "../../payments/price-list.js";
import { createSptMethod } from "../../payments/spt/spt-method.js";
import { createSweeper, type Sweeper } from "../../payments/sweep.js";
import type { Clock } from "../../src/core/clock.js";
import { createIds, type Ids } from "../../src/core/ids.js";
import type { BriefingWire } from "../../src/core/schedule-wire.js";
import type { ComposeBriefing } from "../../src/evidence/briefing.js";
import type { ScheduleDelivery } from "../../src/jobs/schedule-delivery.js";
import { createScheduleWorker } from "../../src/jobs/schedule-worker.js";
import { sweepOwned } from "../../src/service/owned-records.js";
import { createScheduleBilling } from "../../src/service/schedule-billing.js";
import { createScheduleTexts } from "../../src/service/schedule-text.js";
import type { BriefingRunRow, ScheduleRow, Store } from "../../store/store.js";
import { tokenRow } from "../store/open-test-store.js";
import { createDice, type Dice } from "../torture/dice.js";
import { createQuickStore } from "./quick-store.js";
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
const START_MS = Date.parse("2025-06-01T00:00:00Z");
const WEEK_MICROS = 10_000_000n;
const TOKEN = "tok_simulated";
const WORKERS = 3;

/** Clocks change on Sundays: there the weekly ones have their hour. */
const TIMINGS: readonly Timing[] = [
	{ frequency: "daily", timezone: "Europe/Berlin", hour: 2, weekday: "monday" },
	{ frequency: "daily", timezone: "Australia/Lord_Howe", hour: 2, weekday: "monday" },
	{ frequency: "weekly", timezone: "America/New_York", hour: 2, weekday: "sunday" },
	{ frequency: "weekly", timezone: "America/New_York", hour: 1, weekday: "sunday" },
	{ frequency: "weekly", timezone: "UTC", hour: 8, weekday: "wednesday" },
];

interface World {
	readonly store: Store;
	readonly dice: Dice;
	readonly time: { now: number };
	readonly clock: Clock;
	readonly ids: Ids;
	readonly ledger: Ledger;
	readonly sweeper: Sweeper;
	readonly due: Set<string>;
	readonly allowed: Set<string>;
	readonly ended: Map<string, BriefingRunRow>;
	readonly sent: Map<string, number>;
	readonly unknown: Set<string>;
	readonly facts: Record<"crashes" | "jumps" | "outages" | "refusals" | "pauses" | "runs", number>;
}

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
	await world.sweeper.releaseAll();
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

async function fill({ store }: World): Promise<void> {
	const funds = { hash: TOKEN, maxPerCallMicros: undefined, graphs: [] };
	await store.transaction(async (tx) => {
		await tx.put("tokens", tokenRow(TOKEN, funds));
		for (const [place, timing] of TIMINGS.entries()) {
			await tx.put("schedules", rowOf(place, timing));
		}
	});
	await store.documents.put("text", JSON.stringify({ topic: "tides", targets: "e30" }), 0);
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

const idOf = (place: number) => `sch_${String(place).padStart(32, "0")}`;

function rowOf(place: number, timing: Timing): ScheduleRow {
	return {
		id: idOf(place),
		owner: TOKEN,
		callId: "req_simulated",
		isPaid: true,
		renewal: { owner: TOKEN },
		...timing,
		frequency: timing.frequency as "daily",
		status: "active",
		channels: [{ kind: "slack", masked: "hooks.slack.com/…", status: "ready", ref: "hook" }],
		documentId: "text",
		weekMicros: WEEK_MICROS,
		prepaidWeeks: 1,
		createdAt: START_MS,
		startsAt: START_MS,
		failedRuns: 0,
		textExpiresAt: Number.MAX_SAFE_INTEGER,
		expiresAt: Number.MAX_SAFE_INTEGER,
	};
}

function createWorld(seed: number): World {
	const time = { now: START_MS };
	const clock: Clock = {
		now: () => time.now,
		monotonicMs: () => time.now,
		every: () => () => undefined,
		after: () => () => undefined,
	};
	const dice = createDice(seed);
	const ended = new Map<string, BriefingRunRow>();
	const store = createQuickStore((table, row) => {
		if (table !== "briefing_runs") return;
		const run = row as BriefingRunRow;
		if (run.finishedAt !== undefined && !ended.has(run.id)) ended.set(run.id, run);
	});
	const ids = createIds({ clock, random: dice.fork() });
	const ledger = createLedger({ clock, ids });
	return {
		...{ store, dice, time, clock, ids, ledger },
		sweeper: createSweeper({ store, ledger, clock }),
		due: new Set(),
		allowed: new Set(),
		ended,
		sent: new Map(),
		unknown: new Set(),
		facts: { crashes: 0, jumps: 0, outages: 0, refusals: 0, pauses: 0, runs: 0 },
	};
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

interface SimulatedWorker {
	tick(): Promise<number>;
	/** Resolves when it dies. */
	readonly died: Promise<void>;
	isDead: boolean;
}

/** A worker whose process may end while it writes, or just before or after it sends. */
function startWorker(world: World, { isSafe = false } = {}): SimulatedWorker {
	const { store, dice, clock, ledger, sent, unknown, facts } = world;
	let die: () => void = () => undefined;
	const worker = {
		isDead: false,
		died: new Promise<void>((resolve) => {
			die = resolve;
		}),
	};
	const crash = () => {
		worker.isDead = true;
		facts.crashes += 1;
		die();
		return new Promise<never>(() => undefined);
	};
	const mayCrash = (oneIn: number) => !isSafe && dice.chance(1 / oneIn);
	const compose: ComposeBriefing = async ({ topic, frequency }) => {
		if (mayCrash(40)) return crash();
		const memory = { at: clock.now(), graphs: {}, concepts: {} };
		return { briefing: { topic, frequency } as BriefingWire, memory, isWorth: true };
	};
	const delivery: Pick<ScheduleDelivery, "briefing"> = {
		async briefing({ schedule, run }) {
			const key = `${schedule.id} ${(run as BriefingRunRow).slot}`;
			if (mayCrash(60)) {
				unknown.add(key);
				return crash();
			}
			if (!isSafe && dice.chance(1 / 25)) {
				facts.refusals += 1;
				throw new Error("The target does not answer.");
			}
			sent.set(key, (sent.get(key) ?? 0) + 1);
			if (mayCrash(60)) {
				unknown.add(key);
				return crash();
			}
		},
	};
	const method = createSptMethod({
		ledger,
		clock,
		pepper: new Uint8Array(32),
		environment: "live",
	});
	const billing = createScheduleBilling({
		store,
		clock,
		prices: createPriceList(),
		methods: [method],
		guard: { isSelling: () => true },
	});
	const seal = { seal: (text: string) => text, open: () => "{}" };
	const { tick } = createScheduleWorker({
		store,
		clock,
		logger: { info: () => undefined, error: () => undefined },
		compose,
		texts: createScheduleTexts({ documents: store.documents, seal, clock }),
		delivery: delivery as ScheduleDelivery,
		billing,
	});
	return Object.assign(worker, { tick });
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
