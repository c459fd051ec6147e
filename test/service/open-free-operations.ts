import { createPriceList } from "../../payments/price-list.js";
import type { FreeSchedules } from "../../skills/briefings/schedules.js";
import { createFreeOperations } from "../../src/app/operations.js";
import { createSkillServices } from "../../src/app/services.js";
import { bindSkills } from "../../src/contract/bind-skills.js";
import type { Clock } from "../../src/kernel/clock.js";
import { parseUsd } from "../../src/kernel/money.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { OPERATIONS } from "../../src/service/service.js";
import type { Store, StoreHealth } from "../../store/store-port.js";
import { createTestResearch } from "../support/test-research.js";
import { emptySearch } from "./empty-search.js";
import { createTestPayments } from "./payment-parts.js";
import { DOMAIN_GRAPH, EXPERT_GRAPH } from "./sample-graphs.js";

export const START_MS = Date.UTC(2026, 0, 1);

const clockAt = (now: () => number): Clock => ({
	now,
	monotonicMs: () => 0,
	every: () => () => {},
	after: () => () => {},
});

export const HEALTHY_STORE: StoreHealth = {
	kind: "journal",
	status: "ok",
	since: Date.UTC(2026, 0, 1),
	reason: undefined,
	sequence: 3,
	isChainIntact: true,
};

/** The real free operations, over parts whose state the test changes. */
export function openFreeOperations() {
	const state = {
		now: START_MS,
		store: HEALTHY_STORE,
		invariants: "ok" as "ok" | "breached",
		mode: "hybrid" as "hybrid" | "keyword",
		reason: undefined as string | undefined,
		baseUrl: "https://example.org",
	};
	const clock = clockAt(() => state.now);
	const catalog = createGraphCatalog([DOMAIN_GRAPH, EXPERT_GRAPH]);
	const search = {
		...emptySearch,
		status: () => ({
			model: { id: "small", sha256: "0", dimensions: 64 },
			concepts: 2,
			pendingVectors: 0,
			mode: state.mode,
			reason: state.reason,
		}),
	};
	const prices = createPriceList({
		"search.domain": { amountMicros: parseUsd("0.25"), billingType: "per_call" },
	});
	const info = {
		version: "9.9.9",
		baseUrl: () => state.baseUrl,
		mcpUrl: () => null,
		profile: "demo" as const,
	};
	const store = { health: () => state.store } as Partial<Store> as Store;
	const skills = bindSkills(
		OPERATIONS,
		createSkillServices({
			catalog,
			search,
			clock,
			baseUrl: info.baseUrl,
			research: createTestResearch(),
		}),
	);
	const free = createFreeOperations({
		info,
		time: { state: async () => ({ status: "trusted" }) },
		chainBooks: { latest: () => undefined },
		clock,
		catalog,
		search,
		store,
		prices,
		skills,
		payments: createTestPayments({ info, clock, catalog, prices, skills, store }),
		rails: ["spt", "plan"],
		writer: "extractive",
		feeds: createTestResearch().feeds,
		schedules: {} as FreeSchedules,
		openAccount: async () => ({}),
		validateSpt: async () => ({
			active: false,
			balance_usd: null,
			held_usd: null,
			expires_at: null,
			environment: null,
		}),
		invariants: () => ({
			status: state.invariants,
			checkedAt: "2026-01-01T00:00:00.000Z",
			failures: state.invariants === "ok" ? [] : ["I1"],
		}),
		startedAtMs: START_MS,
	});
	return { free, state, catalog };
}
