import t from "tap";
import { createPriceList } from "../../payments/price-list.js";
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
