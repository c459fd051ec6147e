import type { ChainReader, Facilitator } from "../../payments/onchain/facilitator.js";
import { createPriceList } from "../../payments/price-list.js";
import type { KeyFolder } from "../../src/accounts/key-folder.js";
import { createMoney, type Money } from "../../src/app/money.js";
import { createAccountService, createSptService } from "../../src/app/service.js";
import type { Invoke } from "../../src/contract/call.js";
import type { PaidOperationId } from "../../src/contract/operations.js";
import { createJobs } from "../../src/jobs/job-control.js";
import type { Clock } from "../../src/kernel/clock.js";
import { createIds } from "../../src/kernel/ids.js";
import type { Logger } from "../../src/kernel/logger.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { createRetention, startHousekeeping } from "../../src/operator/data/housekeeping.js";
import { createTrustedTime } from "../../src/operator/data/trusted-time.js";
import { createInvoke } from "../../src/sales/invoke.js";
import { createUsageRecorder } from "../../src/sales/usage.js";
import type { Settings } from "../../src/settings/read-settings.js";
import type { FileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import type { Store } from "../../store/store-port.js";
import { SIM_TERMS } from "../support/sim-chain.js";
import { renderTestReport } from "../support/test-pages.js";
import { createTestResearch } from "../support/test-research.js";
import type { Dice } from "./dice.js";
import { createTestSkills } from "./test-skills.js";

/** The money path as the service wires it, over the real store; only skills and the outer world are played. */
export interface House {
	readonly store: Store;
	readonly money: Money;
	readonly invoke: Invoke;
	/** Buying and giving back tokens. */
	readonly spt: ReturnType<typeof createSptService>;
	/** What the server found wrong while it ran. */
	readonly complaints: readonly string[];
	close(): Promise<void>;
}

export interface HouseDeps {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	readonly dice: Dice;
	readonly pid: number;
	readonly facilitator: Facilitator;
	readonly chain: ChainReader | undefined;
	/** Called once, when a failure of the disk stops the store. */
	readonly onStop: (reason: string) => void;
	/** A fault put into the server on purpose, to show that it is found. */
	readonly spoil?: ((store: Store) => Store) | undefined;
}

const KEYS = { pepper: Buffer.alloc(32, "pepper") } as unknown as KeyFolder;

const SETTINGS = {
	profile: "demo",
	host: "127.0.0.1",
	port: 0,
	data: "/",
	catalog: "none",
	model: "none",
	publicUrl: undefined,
	prices: { "search.domain": { amountMicros: 3_000_000n, billingType: "per_call" } },
} as unknown as Settings;

const PRICES = createPriceList(SETTINGS.prices);

export function priceOf(operationId: PaidOperationId): bigint {
	return PRICES.priceOf(operationId).amountMicros;
}

/** Where no one can read the chain, some payments stay open for an operator to look at. */
const UNPROVED = /stays unknown/;

/** Opens the store and does what every start does. Rejects when the disk fails meanwhile. */
export async function openHouse(deps: HouseDeps): Promise<House> {
	const { clock, dice, facilitator, chain, spoil = (store) => store } = deps;
	const store = spoil(await openStore(deps));
	const random = dice.fork();
	const ids = createIds({ clock, random });
	const { logger, complaints } = createComplaints(store, chain ? [] : [UNPROVED]);
	const money = createMoney({
		baseUrl: () => "http://127.0.0.1",
		...{ store, clock, random, ids, logger },
		keys: KEYS,
		settings: SETTINGS,
		onchain: { terms: SIM_TERMS, facilitator, chain, close: async () => undefined },
	});
	const { sweeper, guard, cashier, onchain } = money;
	await sweeper.releaseEnded();
	await onchain?.resume();
	const stopHousekeeping = startHousekeeping({
		...{ sweeper, guard, onchain, clock, logger },
		isLeader: () => true,
		time: createTrustedTime({ store, clock, logger }),
		retention: createRetention({
			store,
			sweeper,
			onchain,
			sweepTasks: async () => undefined,
			clock,
		}),
	});
	const skills = createTestSkills(clock, dice.fork());
	const recordUsage = createUsageRecorder({ queryLog: store.queryLog, clock });
	const catalog = createGraphCatalog([]);
	return {
		...{ store, money, complaints },
		spt: createSptService({
			...{ money, store, catalog, clock, random, ids },
			research: createTestResearch({ store, clock }),
			jobs: createJobs({ store, clock, ids, logger, billing: money.jobBilling, works: [] }),
			account: createAccountService({
				...{ money, store, catalog, clock, ids },
				info: { mcpUrl: () => null },
				settings: {},
			}),
			pepper: KEYS.pepper,
			settings: SETTINGS,
			renderReport: renderTestReport,
		}),
		invoke: createInvoke({ skills, cashier, recordUsage, clock }),
		async close() {
			await stopHousekeeping();
			await store.close();
		},
	};
}

function openStore({ fileSystem, clock, dice, pid, onStop }: HouseDeps): Promise<Store> {
	return openJournalStore({
		folder: "/store",
		clock,
		fileSystem,
		onStop,
		random: dice.fork(),
		processes: {
			self: () => ({ pid, host: "sim", started: "" }),
			stateOf: (other) => (other.pid === pid ? "running" : "gone"),
		},
	});
}

/** What the server logs as an error; a stopped store refuses housekeeping as well, and that is none. */
function createComplaints(
	store: Store,
	expected: readonly RegExp[],
): { logger: Logger; complaints: readonly string[] } {
	const complaints: string[] = [];
	const logger: Logger = {
		info: () => undefined,
		error(message, fields) {
			const isExpected = expected.some((pattern) => pattern.test(message));
			if (!isExpected && store.health().status === "ok")
				complaints.push(`${message} ${JSON.stringify(fields)}`);
		},
	};
	return { logger, complaints };
}
