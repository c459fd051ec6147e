import { researchDeepDive } from "../../skills/deep-dive/deep-dive.operations.js";
import {
	createDeepDiveOperations,
	type DeepDiveOperations,
} from "../../skills/deep-dive/deep-dive-operations.js";
import type { KeyFolder } from "../../src/accounts/key-folder.js";
import { createMoney, type Money } from "../../src/app/money.js";
import type { Call, CallResult } from "../../src/contract/call.js";
import type { JobJson, JobWork, PassContext } from "../../src/contract/job.js";
import type { SkillCatalog } from "../../src/contract/skill.js";
import { createJobs, type Jobs } from "../../src/jobs/job-control.js";
import type { JobWire } from "../../src/jobs/job-schemas.js";
import { JOB_LIMITS } from "../../src/jobs/job-schemas.js";
import { createLaunchedJobs } from "../../src/jobs/job-views.js";
import { systemClock } from "../../src/kernel/clock.js";
import { ServiceError } from "../../src/kernel/errors.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { createInvoke } from "../../src/sales/invoke.js";
import type { Settings } from "../../src/settings/read-settings.js";
import type { Store } from "../../store/store-port.js";
import { createFakeDisk, type FakeDisk } from "../store/fake-disk.js";
import { openOn, type StillClock, stillClock } from "../store/open-test-store.js";
import { boundSkill } from "../support/bound-skill.js";
import { createSimChain, type SimChain } from "../support/sim-chain.js";
import { createSimFacilitator, type SimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet, type SimWallet, toV2Payload } from "../support/sim-wallet.js";

const KEYS = { pepper: Buffer.alloc(32, "pepper") } as unknown as KeyFolder;
const SETTINGS = { profile: "demo", prices: {} } as unknown as Settings;
export const ANONYMOUS = { owner: "nobody", rail: "none" };
export const PRICE = 10_000_000n;

/** What the passes of the next jobs do; shared by all processes, as the world outside is. */
export interface Script {
	readonly passes: readonly string[];
	/** Called in each pass; what it throws the pass throws. */
	onPass: (pass: string, context: PassContext, input: JobJson) => Promise<void> | void;
	isAnswer: boolean;
	/** Passes in the order in which they ran to their end. */
	readonly ran: string[];
}

/** Work that does as its script says and remembers in its state which passes it ran. */
function createScriptedWork(script: Script): JobWork {
	return {
		kind: "deep_dive",
		passesOf: () => script.passes,
		start: (input) => ({ input, done: [] }),
		async run(pass, state, context) {
			const input = state["input"] as JobJson;
			await script.onPass(pass, context, input);
			script.ran.push(`${input["query"]} ${pass}`);
			return { ...state, done: [...(state["done"] as string[]), pass] };
		},
		finish: ({ input, done }) => ({
			report: { input, done },
			isAnswer: script.isAnswer,
			stopReason: "done",
		}),
		sourcesOf: () => [],
		exportOf: (report) => JSON.stringify(report),
	};
}

/** What stays when a process dies. */
export interface World {
	readonly clock: StillClock;
	readonly script: Script;
	readonly chain: SimChain;
	readonly facilitator: SimFacilitator;
	readonly wallet: SimWallet;
}

export function createWorld(passes: readonly string[] = ["one", "two", "three", "four"]): World {
	const clock = stillClock();
	const chain = createSimChain({ now: clock.now });
	const facilitator = createSimFacilitator({ chain, clock, kind: "strict", delayMs: 1 });
	const balance = 1_000_000_000n;
	const wallet = createSimWallet(chain, { name: "a", now: clock.now, balance });
	const script: Script = { passes, onPass: () => undefined, isAnswer: true, ran: [] };
	return { clock, script, chain, facilitator, wallet };
}

/** What is waited for until a store is back comes soon; the time that a pass may take does not. */
export function impatient(world: World): World {
	const soon = (delayMs: number) => (delayMs <= JOB_LIMITS.awayMs ? Math.min(delayMs, 2) : delayMs);
	const after: World["clock"]["after"] = (delayMs, task, waits) =>
		systemClock.after(soon(delayMs), task, waits);
	return { ...world, clock: { ...world.clock, after } };
}

export interface LaunchOrder {
	readonly query?: string;
	readonly token?: string;
	readonly key?: string;
	readonly authorization?: ReturnType<SimWallet["sign"]>;
	/** The reply never reaches its caller. */
	readonly isLost?: boolean;
}

export type Launched =
	| { readonly job: JobWire; readonly result: CallResult; readonly code?: undefined }
	| { readonly code: string; readonly job?: undefined; readonly result?: undefined };

/** One process that sells deep dives: real money, real store, scripted work. */
export interface JobShop extends World {
	readonly disk: FakeDisk;
	readonly store: Store;
	readonly money: Money;
	readonly jobs: Jobs;
	readonly operations: DeepDiveOperations;
	issue(usd: bigint): Promise<{ readonly id: string; readonly token: string }>;
	launch(order: LaunchOrder): Promise<Launched>;
	/** Resolves with the job once it has ended. */
	ended(id: string): Promise<JobWire>;
	balance(account: string): Promise<bigint>;
	/** What the ledger's own check finds wrong, all of the journal read. */
	failures(): Promise<readonly string[]>;
	/** The process dies as it stands; the next one finds the same disk, or what a power cut left of it. */
	restart(disk?: FakeDisk): Promise<JobShop>;
	close(): Promise<void>;
}

interface ShopOptions {
	readonly disk?: FakeDisk;
	readonly running?: number;
	readonly prices?: Settings["prices"];
}

export async function openShop(
	world: World = createWorld(),
	{ disk = createFakeDisk(), running = 2, prices = {} }: ShopOptions = {},
): Promise<JobShop> {
	const { clock, script, chain, facilitator } = world;
	const store = await openOn(disk, { clock });
	const ids = createIds({ clock, random: systemRandom });
	const logger = { info: () => undefined, error: () => undefined };
	const money = createMoney({
		baseUrl: () => "http://127.0.0.1",
		...{ store, clock, ids, logger, random: systemRandom, keys: KEYS },
		settings: { ...SETTINGS, prices },
		onchain: { terms: chain.terms, facilitator, chain, close: async () => undefined },
	});
	await money.sweeper.releaseEnded();
	await money.onchain?.resume();
	const jobs = createJobs({
		...{ store, clock, ids, logger, running },
		billing: money.jobBilling,
		works: [createScriptedWork(script)],
	});
	await jobs.resume();
	jobs.start();
	const operations = createDeepDiveOperations({ jobs, clock });
	const research = {
		launched: createLaunchedJobs({ store, clock }),
		feeds: { get: () => Promise.reject(new Error("no feeds")) },
	};
	const skill = boundSkill(researchDeepDive, { catalog: createGraphCatalog([]), clock, research });
	const skills = { "research.deep_dive": skill } as unknown as SkillCatalog;
	const recordUsage = () => undefined;
	const invoke = createInvoke({ skills, cashier: money.cashier, recordUsage, clock, jobs });

	const call = ({ query = "q", token, key, authorization }: LaunchOrder): Call => ({
		operationId: "research.deep_dive",
		rawInput: { query },
		credential: token === undefined ? undefined : { scheme: "spt", token },
		payment: authorization && {
			scheme: "x402",
			version: 2,
			payload: toV2Payload(chain, authorization),
		},
		idempotencyKey: key,
		requestId: "req_test",
		transport: "rest",
		resourceUrl: "http://localhost/v1/research/deep-dive",
		signal: new AbortController().signal,
	});
	return {
		...world,
		...{ disk, store, money, jobs, operations },
		issue: (usd) => money.spts.issue({ amountMicros: usd * 1_000_000n }),
		async launch(order) {
			try {
				const result = await invoke(call(order));
				if (order.isLost) result.onAbandoned?.({ isLost: false });
				else result.onDelivered?.();
				return { job: (result.output as { data: JobWire }).data, result };
			} catch (error) {
				if (error instanceof ServiceError) return { code: error.code };
				throw error;
			}
		},
		async ended(id) {
			for (;;) {
				const row = await jobs.find(id);
				if (row?.endedAt !== undefined) return research.launched(id);
				await pause();
			}
		},
		balance: (account) => store.read((reader) => reader.balance(account)),
		failures: async () => (await money.guard.check({ full: true })).failures,
		restart: (found = disk.copy()) => openShop(world, { disk: found, running, prices }),
		async close() {
			await jobs.close();
			await store.close();
		},
	};
}

export const pause = (ms = 1) => new Promise((resolve) => setTimeout(resolve, ms));
