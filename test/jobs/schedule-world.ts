import { createLedger, type Ledger } from "../../payments/ledger.js";
import { createSweeper, type Sweeper } from "../../payments/refunds/sweep.js";
import type { Clock } from "../../src/kernel/clock.js";
import { createIds, type Ids } from "../../src/kernel/ids.js";
import type { BriefingRunRow, ScheduleRow } from "../../store/rows/notification-rows.js";
import type { Store } from "../../store/store-port.js";
import { tokenRow } from "../store/open-test-store.js";
import { createDice, type Dice } from "../torture/dice.js";
import { createQuickStore } from "./quick-store.js";
import type { Timing } from "./slot-oracle.js";

/** One store with schedules that one token pays for, and what is noted of them while simulated years pass. */

export const START_MS = Date.parse("2025-06-01T00:00:00Z");
export const WEEK_MICROS = 10_000_000n;
export const TOKEN = "tok_simulated";

/** Clocks change on Sundays: there the weekly ones have their hour. */
export const TIMINGS: readonly Timing[] = [
	{ frequency: "daily", timezone: "Europe/Berlin", hour: 2, weekday: "monday" },
	{ frequency: "daily", timezone: "Australia/Lord_Howe", hour: 2, weekday: "monday" },
	{ frequency: "weekly", timezone: "America/New_York", hour: 2, weekday: "sunday" },
	{ frequency: "weekly", timezone: "America/New_York", hour: 1, weekday: "sunday" },
	{ frequency: "weekly", timezone: "UTC", hour: 8, weekday: "wednesday" },
];

export interface World {
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

export function createWorld(seed: number): World {
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

/** The schedules, and the token that pays for them. */
export async function fill({ store }: World): Promise<void> {
	const funds = { hash: TOKEN, maxPerCallMicros: undefined, graphs: [] };
	await store.transaction(async (tx) => {
		await tx.put("tokens", tokenRow(TOKEN, funds));
		for (const [place, timing] of TIMINGS.entries()) {
			await tx.put("schedules", rowOf(place, timing));
		}
	});
	await store.documents.put("text", JSON.stringify({ topic: "tides", targets: "e30" }), 0);
}

export const idOf = (place: number) => `sch_${String(place).padStart(32, "0")}`;

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
