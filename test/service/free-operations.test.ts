import t from "tap";
import { DEFAULT_PRICE_BOOK } from "../../payments/price-list.js";
import { PAID_OPERATION_IDS, SKILL_IDS } from "../../src/contract/operations.js";
import { HEALTHY_STORE, openFreeOperations, START_MS } from "./open-free-operations.js";
import { makeConcept, makeGraph } from "./sample-graphs.js";

t.test("health reports how the parts of a sale are doing", async (t) => {
	const { free, state } = openFreeOperations();
	state.now = START_MS + 90_500;
	t.same(await free.health(), {
		status: "ok",
		version: "9.9.9",
		store: {
			kind: "journal",
			status: "ok",
			state: "serving",
			since: "2026-01-01T00:00:00.000Z",
			sequence: 3,
			is_chain_intact: true,
		},
		invariants: { status: "ok", checked_at: "2026-01-01T00:00:00.000Z", failures: 0 },
		housekeeping: { status: "running" },
		model: { id: "small", mode: "hybrid", concepts: 2, pending_vectors: 0 },
		judge: { status: "none" },
		writer: "extractive",
		rails: ["spt", "plan"],
		uptime_s: 90,
	});
	state.mode = "keyword";
	t.equal((await free.health())["status"], "degraded", "without vectors");
	state.mode = "hybrid";
	state.invariants = "breached";
	t.match(
		await free.health(),
		{ status: "unavailable", invariants: { failures: 1 } },
		"nothing is sold after a breach",
	);
	state.invariants = "ok";
	state.store = { ...HEALTHY_STORE, isChainIntact: false };
	t.equal((await free.health())["status"], "degraded", "a broken chain");
	state.store = { ...HEALTHY_STORE, status: "stopped", reason: "disk full" };
	state.store = {
		...state.store,
		reason: "ENOSPC: no space left, write '/home/o'brien/my data/x'",
	};
	t.match(await free.health(), {
		status: "unavailable",
		store: { state: "stopped", since: String, reason: "ENOSPC: no space left, write …" },
	});
	state.reason = "The embedding model is switched off.";
	t.match(await free.health(), { model: { reason: "The embedding model is switched off." } });
	state.reason =
		"The model in \"/home/my models/x\" cannot be used: open '/a/b', read /c/d.onnx failed.";
	t.match(await free.health(), {
		model: { reason: "The model in \"…\" cannot be used: open '…', read … failed." },
	});
});

t.test("only what is built is offered, at the price of this deployment", (t) => {
	const { free } = openFreeOperations();
	const { offerings, tools, plans } = free.offerings() as {
		offerings: { id: string; price_usd: string; method: string; path: string }[];
		tools: { id: string; input_schema: { required?: string[] }; example_input: object }[];
		plans: { id: string; available: boolean; price_usd: string }[];
	};
	t.same(
		offerings.map(({ id }) => id),
		PAID_OPERATION_IDS,
	);
	t.match(offerings[1], {
		id: "search.domain",
		price_usd: "0.25",
		billing_type: "per_call",
		method: "POST",
		path: "/v1/search/domain",
	});
	t.same(
		tools.map(({ id }) => id),
		SKILL_IDS,
	);
	t.same(tools.find(({ id }) => id === "search_graph")?.input_schema.required, [
		"graph_id",
		"query",
	]);
	t.same(free.researchOfferings(), { items: tools });
	t.match(
		plans.find(({ id }) => id === "free"),
		{ calls_per_month: 100, calls_per_day: 50, available: true, price_usd: "0.00" },
	);
	t.same(
		plans.map(({ id }) => id),
		["free", "pay_per_call"],
		"nothing is listed that cannot be had",
	);
	t.end();
});

t.test("the price map is the whole book and says what is available", (t) => {
	const { free } = openFreeOperations();
	const { currency, version, prices } = free.researchPricing() as {
		currency: string;
		version: string;
		prices: Record<
			string,
			{ price_usd: string; price_per?: string; billing_type: string; available: boolean }
		>;
	};
	t.equal(currency, "USD");
	t.match(version, /^[0-9a-f]{12}$/);
	t.same(Object.keys(prices), Object.keys(DEFAULT_PRICE_BOOK));
	t.same(prices["brand_intelligence"], {
		price_usd: "30.00",
		billing_type: "brand_flat",
		available: true,
	});
	t.same(prices["search.domain"], {
		price_usd: "0.25",
		billing_type: "per_call",
		available: true,
	});
	t.equal(prices["search.batch"]?.price_per, "query");
	t.match(prices["graphs.export"]?.price_per, /^\d+ nodes$/);
	t.same(
		Object.keys(prices)
			.filter((id) => prices[id]?.available)
			.sort(),
		[...PAID_OPERATION_IDS, "research.deep_dive.comprehensive"].sort(),
		"a kind of what is sold is sold",
	);
	t.end();
});

t.test("the catalog lists every graph with what it holds and where it is", (t) => {
	const { free } = openFreeOperations();
	const { items } = free.graphsCatalog() as { items: object[] };
	t.equal(items.length, 2);
	t.same(items[1], {
		id: "web-payments",
		slug: "payments-on-the-web",
		title: "Payments on the web",
		type: "domain",
		version: "1.0.0",
		updated: "2026-01-15",
		description: "How HTTP asks for money.",
		topics: ["payments", "http"],
		nodes: 1,
		evidence: 1,
		price_usd: "0.50",
		links: {
			self: "https://example.org/v1/graphs/web-payments",
			readme: "https://example.org/v1/graphs/web-payments/readme",
			search: "https://example.org/v1/graphs/web-payments/search",
			slice: "https://example.org/v1/graph-slice?graph_id=web-payments",
		},
	});
	t.notMatch(JSON.stringify(items), "for sale");
	t.end();
});

t.test(
	"the catalog is read page by page, each graph once, also where it changes meanwhile",
	(t) => {
		const { free, catalog } = openFreeOperations();
		const page = (limit: number, cursor?: string) =>
			free.graphsCatalog({ limit, cursor }) as { items: { id: string }[]; next_cursor: string };
		const first = page(1);
		t.same(
			first.items.map(({ id }) => id),
			["api-desk"],
		);
		catalog.put(makeGraph({ id: "aaa", slug: "aaa" }));
		t.match(page(1, first.next_cursor), { items: [{ id: "web-payments" }], next_cursor: null });
		const rest = free.graphsCatalog({ cursor: first.next_cursor });
		t.match(rest, { items: [{ id: "web-payments" }], next_cursor: null }, "all that is left");
		t.notOk("next_cursor" in free.graphsCatalog(), "the whole is no page");
		t.throws(() => page(1, "nonsense"), { code: "INVALID_ARGUMENT" });
		t.end();
	},
);

t.test("a graph's page counts trust and judges freshness by today", (t) => {
	const { free, state } = openFreeOperations();
	t.match(free.graphDetail("payments-on-the-web"), {
		id: "web-payments",
		example_queries: ["What does 402 mean?"],
		curator: { name: "Sample desk" },
		trust: { "human-reviewed": 0, "machine-confirmed": 1, unverified: 0 },
		freshness: {
			updated: "2026-01-15",
			newest_evidence: "2022-06-01",
			oldest_evidence: "2022-06-01",
			stale_nodes: 0,
		},
	});
	state.now += 2 * 24 * 3_600_000;
	t.match(free.graphDetail("web-payments"), { freshness: { stale_nodes: 1 } });
	t.match(free.graphDetail("api-desk"), { expert: { is_ai_twin: true } });
	t.throws(() => free.graphDetail("nothing"), { code: "NOT_FOUND" });
	t.end();
});

t.test("what derives from the catalog is made once, and again when the catalog changes", (t) => {
	const { free, state, catalog } = openFreeOperations();
	const before = free.graphsCatalog();
	t.equal(free.graphsCatalog(), before);
	t.equal(free.catalogOkf(), free.catalogOkf());
	t.equal(free.graphReadme("web-payments"), free.graphReadme("payments-on-the-web"));
	const readme = free.graphReadme("web-payments");

	catalog.put(makeGraph({ id: "third" }, [makeConcept({ title: "Third" })]));
	t.equal((free.graphsCatalog() as { items: object[] }).items.length, 3);
	state.baseUrl = "https://elsewhere.example";
	t.match(free.graphDetail("third"), {
		links: { self: "https://elsewhere.example/v1/graphs/third" },
	});
	t.not(free.graphReadme("web-payments").hash, readme.hash, "addresses are part of a readme");
	t.end();
});

t.test("free documents are what they say they are and keep the bodies for sale", (t) => {
	const { free } = openFreeOperations();
	const readme = free.graphReadme("web-payments");
	t.equal(readme.mediaType, "text/markdown; charset=utf-8");
	t.match(String(readme.body), /## What This Is[\s\S]*## How to Connect/);
	const slice = free.graphSlice("web-payments");
	t.equal(slice.mediaType, "application/ld+json");
	t.ok(JSON.parse(String(slice.body))["@context"]);
	const index = free.readmesIndex();
	t.match(String(index.body), "web-payments");
	const bundle = free.catalogOkf();
	t.equal(bundle.mediaType, "application/zip");
	for (const document of [readme, slice, index]) t.notMatch(String(document.body), "for sale");
	t.throws(() => free.graphSlice("payments-on-the-web"), { code: "NOT_FOUND" });
	t.throws(() => free.graphReadme("nothing"), { code: "NOT_FOUND" });
	t.end();
});
