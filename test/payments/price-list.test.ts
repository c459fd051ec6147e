import t from "tap";
import { createPriceList, createQuoteSeal } from "../../payments/price-list.js";
import { parseUsd } from "../../src/kernel/money.js";

const usd = (amount: string) => ({
	amountMicros: parseUsd(amount),
	billingType: "per_call" as const,
});

const batchPrice = (changes: Parameters<typeof createPriceList>[0]) =>
	createPriceList(changes).priceOf("search.batch");

t.test("a question of a batch costs what the dearer of the two searches costs alone", (t) => {
	t.same(batchPrice({}), usd("0.50"));
	t.same(batchPrice({ "search.all": usd("2.00") }), usd("2.00"));
	t.same(batchPrice({ "graphs.search": usd("3.00"), "search.all": usd("2.00") }), usd("3.00"));
	t.same(batchPrice({ "search.all": usd("0.00") }), usd("0.50"), "one of them still costs");
	t.same(batchPrice({ "graphs.search": usd("0.00"), "search.all": usd("0.00") }), usd("0.00"));
	t.end();
});

t.test("the operator's own price of a batch stands, and is what the book says", (t) => {
	const changes = { "search.all": usd("2.00"), "search.batch": usd("0.00") };
	t.same(batchPrice(changes), usd("0.00"));
	t.same(createPriceList(changes).all()["search.batch"], usd("0.00"));
	t.end();
});

const graphTerms = {
	plain: { prices: {}, owners: [] },
	priced: { priceMicros: 700_000n, prices: {}, owners: [] },
	listed: { prices: { "graphs.search": 900_000n, "verify.claim": 30_000n }, owners: [] },
	both: { priceMicros: 700_000n, prices: { "graphs.search": 0n }, owners: [] },
};
const concepts: Readonly<Record<string, ReadonlyMap<string, bigint>>> = {
	single: new Map([["tides", 123n]]),
	both: new Map([["tides", 0n]]),
};
const graphs = {
	find: (id: string) => graphTerms[id as keyof typeof graphTerms],
	conceptPrices: (id: string) => concepts[id] ?? new Map<string, bigint>(),
	graphIds: () => ["plain", "priced", "single", "listed", "both", "gone"],
};

t.test("the nearest price counts: the concept's, the operation's, the graph's, the list's", (t) => {
	const list = createPriceList({ "search.all": usd("0.00") }, graphs);
	const priceIn = (
		operationId: "graphs.search" | "search.batch" | "verify.claims" | "search.all",
		graphId: string,
		conceptId?: string,
	) => list.priceOf(operationId, { graphId, conceptId } as never).amountMicros;
	const listed = list.priceOf("graphs.search").amountMicros;
	t.equal(listed, 500_000n);
	t.equal(priceIn("graphs.search", "plain"), listed);
	t.equal(priceIn("graphs.search", "gone"), listed);
	t.equal(priceIn("graphs.search", "priced"), 700_000n);
	t.equal(priceIn("graphs.search", "listed"), 900_000n);
	t.equal(priceIn("graphs.search", "both"), 0n, "free of its own accord");
	t.equal(priceIn("graphs.search", "single"), listed);
	t.equal(priceIn("graphs.search", "single", "tides"), 123n);
	t.equal(priceIn("graphs.search", "single", "storms"), listed);
	t.equal(priceIn("graphs.search", "both", "tides"), 0n);
	t.equal(priceIn("search.batch", "listed"), 900_000n, "a question costs what it costs alone");
	t.equal(priceIn("verify.claims", "listed"), 30_000n);
	t.equal(priceIn("search.all", "priced"), 0n, "what is free stays free");
	t.match(list.priceOf("graphs.search", { graphId: "priced" } as never), {
		billingType: "per_call",
	});
	t.end();
});

t.test("a price that is not by the call is no graph's to change as a whole", (t) => {
	const list = createPriceList({}, graphs);
	const flat = Object.entries(list.all()).find(([, { billingType }]) => billingType !== "per_call");
	const id = flat?.[0] as "brand_intelligence";
	t.same(list.priceOf(id, { graphId: "priced" } as never), list.priceOf(id));
	t.end();
});

t.test("graphs with prices of their own are listed in their order, the others not", (t) => {
	const listed = createPriceList({}, graphs).graphs();
	t.same(
		listed.map(({ graphId }) => graphId),
		["priced", "single", "listed", "both"],
	);
	t.same(listed[0], { graphId: "priced", terms: graphTerms.priced, concepts: new Map() });
	t.same(listed[1]?.concepts, concepts["single"]);
	t.same(createPriceList({}).graphs(), []);
	t.end();
});

t.test("prices are changed in place of all changes before, and each change is seen", (t) => {
	const list = createPriceList({ "graphs.search": usd("3.00") });
	t.equal(list.revision(), 0);
	list.set({ "verify.claim": usd("0.07") });
	t.equal(list.revision(), 1);
	t.same(list.priceOf("graphs.search"), usd("0.50"));
	for (const id of ["verify.claims", "verify.text"] as const)
		t.equal(list.priceOf(id).amountMicros, 70_000n, "a piece costs what it costs alone");
	list.set({
		"verify.claim": usd("0.07"),
		"verify.claims": usd("0.01"),
		"verify.text": usd("0.02"),
	});
	t.equal(list.priceOf("verify.claims").amountMicros, 10_000n);
	t.equal(list.priceOf("verify.text").amountMicros, 20_000n);
	t.equal(list.revision(), 2);
	t.end();
});

const TERMS = {
	...{ operationId: "graphs.search", amountMicros: 500_000n, billingType: "per_call" },
	...{ fingerprint: "f", path: "/v1/graphs/a/search", expiresAt: 1_780_000_000_000 },
};

t.test("a quote opens to the terms it was sealed with, and only under its own key", (t) => {
	const seal = createQuoteSeal(new Uint8Array(32));
	const id = seal.seal(TERMS);
	t.match(id, /^qte_[\w-]+\.[\w-]{22}$/);
	t.same(seal.open(id), TERMS);
	t.equal(createQuoteSeal(new Uint8Array(32).fill(1)).open(id), undefined);
	const [body = "", mac = ""] = id.split(".");
	const flipped = (text: string) =>
		`${text.slice(0, -2)}${text.at(-2) === "A" ? "B" : "A"}${text.at(-1)}`;
	for (const other of [
		...[`${flipped(body)}.${mac}`, `${body}.${flipped(mac)}`, `${body}.`, body, "", ` ${id}`],
		...[`${id} `, `${id}A`, id.slice(0, -1), id.replace("qte_", "qtf_"), `x${id}`, `qte_.${mac}`],
	])
		t.equal(seal.open(other), undefined, other);
	t.not(seal.seal({ ...TERMS, amountMicros: 1n }), id);
	t.end();
});
