import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import type { Test } from "tap";
import type { OnchainParts } from "../../payments/onchain/facilitator.js";
import { type A2a, createA2a, type GrpcListening } from "../../src/a2a/a2a.js";
import type { KeyFolder } from "../../src/accounts/key-folder.js";
import { createMoney, type Money } from "../../src/app/money.js";
import { createSkillServices } from "../../src/app/services.js";
import { bindSkills } from "../../src/contract/bind-skills.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { parseUsd } from "../../src/kernel/money.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { createInvoke } from "../../src/sales/invoke.js";
import { createUsageRecorder } from "../../src/sales/usage.js";
import type {
	GraphRouter,
	HybridSearch,
	JudgedSearch,
	WordKnowledge,
} from "../../src/search/search-engine.js";
import { OPERATIONS } from "../../src/service/service.js";
import type { Service } from "../../src/service/service-interface.js";
import type { Settings } from "../../src/settings/read-settings.js";
import type { Store } from "../../store/store-port.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { createTestResearch } from "../support/test-research.js";
import { createMemoryStore } from "./memory-store.js";

export interface StartedA2a {
	readonly baseUrl: string;
	/** Host and port of gRPC. */
	readonly grpcUrl: string;
	readonly drainGrpc: () => Promise<void>;
	readonly store: Store;
	readonly service: Service;
	readonly money: Money;
	/** Queries the engine was asked, in order: what really ran. */
	readonly searched: string[];
	readonly logged: unknown[];
	readonly sweep: (now: number) => Promise<void>;
	issueSpt(usd: string): Promise<{ readonly token: string; readonly id: string }>;
	/** What is left on a token, in USD of six decimals as a bigint. */
	balance(tokenId: string): Promise<bigint>;
}

export interface StartOptions {
	readonly store?: Store;
	readonly clock?: Clock;
	readonly prices?: Settings["prices"];
	/** Runs before each search; throws or waits as a test needs. */
	readonly beforeSearch?: (query: string) => Promise<void> | void;
	/** A chain to be paid on. */
	readonly onchain?: OnchainParts;
	/** Requests that one address may make a minute; as many as anyone sends where absent. */
	readonly requestsPerMinute?: number;
	/** Certificate and key of gRPC, in PEM. */
	readonly tls?: { readonly certificate: Buffer; readonly key: Buffer };
	/** Stands in for the look-up of credentials that determines whose tasks are whose. */
	readonly lookUp?: Service["identify"];
}

export const NOTHING = "nothing answers this";
const PEPPER = new Uint8Array(32).fill(7);

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
export const signingJwk = { ...privateKey.export({ format: "jwk" }), kid: "card-key-1" };

/** The transport on a real port over the real pipeline; the engine and the store behind it are ports made up here. */
export async function startA2a(t: Test, options: StartOptions = {}): Promise<StartedA2a> {
	const { clock = systemClock, store = createMemoryStore() } = options;
	const random = systemRandom;
	const ids = createIds({ clock, random });
	const searched: string[] = [];
	const logged: unknown[] = [];
	const search = createSearch(async (query) => {
		searched.push(query);
		await options.beforeSearch?.(query);
	});
	const { prices = {}, requestsPerMinute, tls } = options;
	const settings = { profile: "demo", prices, requestsPerMinute } as Settings;
	const keys = { pepper: PEPPER, oauthKeys: () => [signingJwk] } as Partial<KeyFolder> as KeyFolder;
	const logger = { info: () => undefined, error: (...line: unknown[]) => logged.push(line) };
	const { onchain } = options;
	const ports = { store, keys, settings, clock, random, ids, logger };
	const money = createMoney({
		...ports,
		baseUrl: () => "http://127.0.0.1",
		...(onchain && { onchain }),
	});
	const skills = bindSkills(
		OPERATIONS,
		createSkillServices({
			search,
			clock,
			catalog: createGraphCatalog([GRAPH]),
			baseUrl: () => "https://example.org",
			research: createTestResearch({ store, clock }),
		}),
	);
	const recordUsage = createUsageRecorder({ queryLog: store.queryLog, clock });
	let baseUrl = "";
	const service = {
		info: { version: "1.2.3", baseUrl: () => baseUrl, mcpUrl: () => null, profile: "demo" },
		skills,
		prices: money.prices,
		invoke: createInvoke({ skills, cashier: money.cashier, recordUsage, clock }),
		identify: options.lookUp ?? ((credential) => money.cashier.identify(credential)),
	} as Partial<Service> as Service;
	const a2a = createA2a({
		service,
		revision: () => "1",
		store,
		clock,
		ids,
		signingJwk: () => signingJwk,
		logger,
		x402: onchain && { network: onchain.terms.network, asset: onchain.terms.asset },
	});
	const server = express().set("etag", false).use(a2a.router).listen(0, "127.0.0.1");
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	await once(server, "listening");
	baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const grpc = await listenGrpc(t, a2a, money, tls);
	await a2a.start();
	return {
		baseUrl,
		grpcUrl: grpc.url,
		drainGrpc: grpc.drain,
		store,
		service,
		money,
		searched,
		logged,
		sweep: a2a.sweep,
		issueSpt: (usd) => money.spts.issue({ amountMicros: parseUsd(usd) }),
		balance: (id) => store.read((reader) => reader.balance(`cust:${id}`)),
	};
}

/** The same transport over gRPC; drained when the test ends. */
export async function listenGrpc(
	t: Test,
	a2a: A2a,
	{ callRates: rates }: Pick<Money, "callRates">,
	tls?: StartOptions["tls"],
): Promise<GrpcListening> {
	const address = { host: "127.0.0.1", port: 0, tls, publicUrl: undefined };
	const grpc = await a2a.listenGrpc({ ...address, rates, isProxy: () => false });
	t.teardown(grpc.drain);
	return grpc;
}

const CONCEPT = makeConcept({ body: "", tags: [] });

const GRAPH: Graph = {
	...makeGraph(
		{
			slug: "web-payments",
			about: "",
			topics: [],
			exampleQueries: [],
			curator: { name: "Sample desk", note: "" },
		},
		[CONCEPT],
	),
	contentHash: "0".repeat(64),
};

function createSearch(
	watch: (query: string) => Promise<void>,
): HybridSearch & Pick<GraphRouter, "route"> & JudgedSearch & WordKnowledge {
	return {
		isCommonWord: () => false,
		judge: undefined,
		embedder: undefined,
		route: async () => ({ graphs: [], missing: [], mode: "hybrid" }),
		async find({ graphs, query }) {
			await watch(query);
			const rows = graphs
				.filter(() => query !== NOTHING)
				.map((graph) => ({
					graph,
					concept: CONCEPT,
					trendId: `${graph.record.id}:${CONCEPT.id}`,
					score: 0.9,
					evidence: CONCEPT.evidence,
					duplicates: [],
				}));
			return rows.length > 0
				? {
						decision: "ANSWER",
						dataStatus: "TREND_MATCH",
						rows,
						missing: [],
						mode: "hybrid",
						effort: "fast" as const,
						timings: {},
					}
				: {
						decision: "ABSTAIN",
						dataStatus: "NO_MATCH",
						rows,
						missing: [],
						mode: "hybrid",
						effort: "fast" as const,
						timings: {},
					};
		},
	};
}
