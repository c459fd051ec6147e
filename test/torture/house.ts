import { createMoney, type Money } from "../../src/app-money.js";
import type { Invoke } from "../../src/core/call.js";
import type { Clock } from "../../src/core/clock.js";
import { createIds } from "../../src/core/ids.js";
import { startHousekeeping } from "../../src/housekeeping.js";
import { createInvoke } from "../../src/service/invoke.js";
import { createUsageRecorder } from "../../src/service/usage.js";
import type { Settings } from "../../src/settings.js";
import type { FileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import type { Store } from "../../store/store.js";
import type { Dice } from "./dice.js";
import { createTestSkills } from "./test-skills.js";

/** The money path as the service wires it, over the real store; only skills and the outer world are played. */
export interface House {
	readonly store: Store;
	readonly money: Money;
	readonly invoke: Invoke;
	/** What the house found wrong while it ran. */
	readonly complaints: readonly string[];
	close(): Promise<void>;
}

export interface HouseDeps {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly dice: Dice;
	readonly pid: number;
	/** A fault put into the house on purpose, to show that it is found. */
	readonly spoil?: ((store: Store) => Store) | undefined;
}

const PEPPER = Buffer.alloc(32, "pepper");

const SETTINGS: Settings = {
	profile: "demo",
	host: "127.0.0.1",
	port: 0,
	data: "/",
	catalog: "none",
	model: "none",
	publicUrl: undefined,
	prices: { "search.domain": { amountMicros: 3_000_000n, billingType: "per_call" } },
};

/** Opens the store and does what every start does. Rejects when the disk fails meanwhile. */
export async function openHouse(deps: HouseDeps): Promise<House> {
	const { fileSystem, clock, dice, pid, spoil = (store) => store } = deps;
	const opened = await openJournalStore({
		folder: "/store",
		clock,
		fileSystem,
		random: dice.fork(),
		processes: {
			self: () => ({ pid, host: "sim", started: "" }),
			stateOf: (other) => (other.pid === pid ? "running" : "gone"),
		},
	});
	const store = spoil(opened);
	const random = dice.fork();
	const ids = createIds({ clock, random });
	const keys = { pepper: PEPPER } as unknown as Parameters<typeof createMoney>[0]["keys"];
	const money = createMoney({ store, keys, settings: SETTINGS, clock, random, ids });
	const complaints: string[] = [];
	await money.sweeper.releaseAll();
	const stopHousekeeping = startHousekeeping({
		store,
		sweeper: money.sweeper,
		guard: money.guard,
		sweepTasks: async () => undefined,
		clock,
		logger: {
			info: () => undefined,
			error: (message, fields) => {
				// A stopped store refuses housekeeping as well; the world restarts the house.
				if (store.health().status === "ok") complaints.push(`${message} ${JSON.stringify(fields)}`);
			},
		},
	});
	return {
		store,
		money,
		complaints,
		invoke: createInvoke({
			skills: createTestSkills(clock, dice.fork()),
			cashier: money.cashier,
			recordUsage: createUsageRecorder({ queryLog: store.queryLog, clock }),
			clock,
		}),
		async close() {
			await stopHousekeeping();
			await store.close();
		},
	};
}
