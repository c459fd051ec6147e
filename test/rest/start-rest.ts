import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import type { Test } from "tap";
import { createChallenge } from "../../payments/challenge.js";
import { createPriceList } from "../../payments/price-list.js";
import { createFreeOperations } from "../../src/app/operations.js";
import { createSkillServices } from "../../src/app/services.js";
import { bindSkills } from "../../src/contract/bind-skills.js";
import type { Call, CallResult, Invoke } from "../../src/contract/call.js";
import type { Services } from "../../src/contract/services.js";
import { createOperationRates } from "../../src/http/rates.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { ServiceError } from "../../src/kernel/errors.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { createFallback, createHttpFront, type LogUnexpected } from "../../src/rest/http-frame.js";
import { createRestRouter } from "../../src/rest/rest-router.js";
import type { Purchases } from "../../src/sales/spt-purchase.js";
import { createStreamRecord } from "../../src/sales/stream-record.js";
import type { SearchEngine } from "../../src/search/search-engine.js";
import { OPERATIONS } from "../../src/service/service.js";
import type {
	OwnerOperations,
	ResearchParts,
	Service,
} from "../../src/service/service-interface.js";
import { createPageFrame } from "../../src/web/page-frame.js";
import type { Store, StoreReader } from "../../store/store-port.js";
import { emptySearch } from "../service/empty-search.js";
import { CAPTURED_PAYMENT, createTestPayments, WALLET_RECEIPT } from "../service/payment-parts.js";
import { DOMAIN_GRAPH, EXPERT_GRAPH } from "../service/sample-graphs.js";
import { createTestResearch } from "../support/test-research.js";
import { createTestSchedules } from "../support/test-schedules.js";

export interface StartedRest {
	readonly baseUrl: string;
	readonly calls: Call[];
	readonly unexpected: unknown[];
}

export interface StartOptions {
	readonly invoke?: Invoke;
	readonly requestTimeoutMs?: number;
	readonly search?: SearchEngine;
	readonly owner?: OwnerOperations;
	/** Finds results that were kept. */
	readonly findKept?: FindKept;
	readonly purchases?: Purchases;
	readonly identify?: Service["identify"];
	readonly clock?: Clock;
}

/** The transport on a real port of 127.0.0.1: free operations are the real ones, the ports behind them are made up. */
export async function startRest(t: Test, options: StartOptions = {}): Promise<StartedRest> {
	const calls: Call[] = [];
	const unexpected: unknown[] = [];
	const clock = options.clock ?? systemClock;
	const ids = createIds({ clock, random: systemRandom });
	const invoke = options.invoke ?? sellForAnything;
	const logUnexpected: LogUnexpected = (error) => unexpected.push(error);
	let baseUrl = "";
	const service = createTestService({
		clock,
		baseUrl: () => baseUrl,
		search: options.search ?? emptySearch,
		owner: options.owner,
		findKept: options.findKept,
		purchases: options.purchases,
		identify: options.identify,
		invoke: (call) => {
			calls.push(call);
			return invoke(call);
		},
	});
	const limits = { requestTimeoutMs: options.requestTimeoutMs ?? 30_000 };
	const app = express()
		.disable("x-powered-by")
		.use(createHttpFront({ ids }))
		.use(createRestRouter({ service, clock, limits, logUnexpected }))
		.use(createFallback({ ids, logUnexpected }));
	const server = app.listen(0, "127.0.0.1");
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	await once(server, "listening");
	baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return { baseUrl, calls, unexpected };
}

const ROWS = [WALLET_RECEIPT, CAPTURED_PAYMENT];
const findRow = (async (_table: string, id: string) =>
	ROWS.find((row) => row.id === id)) as StoreReader["get"];

const idleStore = {
	health: () => ({
		kind: "memory",
		status: "ok",
		since: 0,
		reason: undefined,
		sequence: 7,
		isChainIntact: true,
	}),
	read: (work) => work({ get: findRow } as Partial<StoreReader> as StoreReader),
} as Partial<Store> as Store;

type FindKept = ResearchParts["artifacts"]["find"];

interface TestServiceOptions {
	readonly baseUrl: () => string;
	readonly invoke: Invoke;
	readonly search: SearchEngine;
	readonly owner?: OwnerOperations | undefined;
	readonly findKept?: FindKept | undefined;
	readonly purchases?: Purchases | undefined;
	readonly identify?: Service["identify"] | undefined;
	readonly clock?: Clock;
}

export function createTestService(options: TestServiceOptions): Service {
	const { baseUrl, invoke, search, clock = systemClock } = options;
	const catalog = createGraphCatalog([DOMAIN_GRAPH, EXPERT_GRAPH]);
	const prices = createPriceList();
	const research = createTestResearch();
	const { artifacts } = research;
	const find = options.findKept ?? artifacts.find;
	const skillServices = createSkillServices({
		...{ catalog, search, clock, baseUrl },
		research: { ...research, artifacts: { ...artifacts, find } },
	});
	const skills = bindSkills(OPERATIONS, skillServices);
	const info = {
		version: "0.0.0-test",
		baseUrl,
		mcpUrl: () => null,
		profile: "demo" as const,
	};
	const free = createFreeOperations({
		info,
		time: { state: async () => ({ status: "trusted" }) },
		chainBooks: { latest: () => undefined },
		clock,
		catalog,
		search,
		store: idleStore,
		prices,
		skills,
		rails: ["spt", "plan"],
		writer: "extractive",
		feeds: createTestResearch().feeds,
		schedules: createTestSchedules({ search, catalog }),
		payments: createTestPayments({
			info,
			clock,
			catalog,
			prices,
			skills,
			store: idleStore,
		}),
		openAccount: async () => ({
			account_id: "acc_1",
			key: "sk_live_1",
			key_id: "key_1",
			plan: "free",
		}),
		validateSpt: async (token) => ({
			active: token === "spt_good",
			balance_usd: token === "spt_good" ? "1.00" : null,
			held_usd: token === "spt_good" ? "0.00" : null,
			expires_at: null,
			environment: token === "spt_good" ? "test" : null,
		}),
		invariants: () => ({ status: "ok", checkedAt: "2026-01-01T00:00:00.000Z", failures: [] }),
		startedAtMs: clock.now(),
	});
	const owner = options.owner ?? ({} as OwnerOperations);
	const purchases = options.purchases ?? ({} as Purchases);
	const frame = { packageRoot: PACKAGE_ROOT, clock, service: () => ({ info, free }) };
	const { renderPage } = createPageFrame(frame);
	return {
		info,
		skills,
		prices,
		services: servicesOf({ ...skillServices, ...free, free, purchases, renderPage }, owner),
		rates: createOperationRates(clock),
		invoke,
		demand: async () => undefined,
		free,
		streams: createTestStreams(invoke),
		owner,
		purchases,
		identify: options.identify ?? (async () => ({ owner: "nobody", rail: "spt" })),
	};
}

/** The owner's operations may be a proxy that has every name there is: asked last, and for what is not there. */
function servicesOf(
	wired: Omit<Services, keyof OwnerOperations | "owner">,
	owner: OwnerOperations,
) {
	return new Proxy({ ...wired, owner } as Services, {
		get: (services, name) => Reflect.get(services, name) ?? Reflect.get(owner, name),
	});
}

/** Streams of one event, sold by the same pipeline; none can be resumed. */
function createTestStreams(invoke: Invoke): Service["streams"] {
	return {
		async open(call) {
			const { output, cost } = await invoke(call);
			const stream = createStreamRecord("str_1", [{ event: "research.completed", data: output }]);
			stream.end();
			return { stream, cost };
		},
		resume: async () => {
			throw new ServiceError("NOT_FOUND", "There is no stream of yours to go on with.");
		},
		stop: async () => undefined,
	};
}

/** A pipeline that takes any credential for money and asks everybody else to pay. */
export const sellForAnything: Invoke = async (call) => {
	if (call.credential) return soldResult(call);
	throw createChallenge(
		{
			operationId: "graphs.search",
			amountMicros: 500_000n,
			billingType: "per_call",
			resourceUrl: call.resourceUrl,
			description: "Search",
		},
		[
			{
				continuation: { type: "spt", instructions: "Send a Shared Payment Token." },
				accepts: [],
				headers: { "PAYMENT-REQUIRED": "eyJ4NDAyVmVyc2lvbiI6Mn0=" },
			},
		],
	);
};

export function soldResult(call: Call): CallResult {
	const { query } = call.rawInput as { query: string };
	return {
		isAnswer: true,
		output: {
			ok: true,
			dataStatus: "TREND_MATCH",
			meta: {
				query,
				graph_id: "web-payments",
				decision: "ANSWER",
				execution_time_ms: 1,
				mode: "hybrid",
				effort: "best",
				missing: [],
				graphs_used: ["web-payments"],
				as_of: "2026-01-01T00:00:00.000Z",
			},
			rows: [],
		},
		cost: {
			amount_usd: "0.50",
			billing_type: "per_call",
			rail: "spt",
			balance_after_usd: "1.50",
			receipt_id: "rcpt_0000000000000000000000000a",
			charged: true,
		},
		caller: { owner: "tok_1", rail: "spt" },
		timings: { run: 1.25, pay: 0.5 },
	};
}
