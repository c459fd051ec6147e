import t from "tap";
import { startApp, sumOfAllEntries } from "../support/start-app.js";
import { times } from "../support/times.js";

t.test("money moves exactly once, or not at all", async (t) => {
	const shop = await startApp(t);
	const { app } = shop;
	const cust = (id: string) => app.store.read((reader) => reader.balance(`cust:${id}`));
	const openHolds = () => app.store.read((reader) => reader.list("holds"));

	await t.test(
		"seven dollars fifty buy exactly fifteen calls, however many arrive at once",
		async (t) => {
			const { token, id } = await shop.issueSpt("7.50");
			const answers = await Promise.all(times(50, () => shop.search({ token })));
			t.equal(answers.filter((answer) => answer.status === 200).length, 15);
			const refused = answers.filter((answer) => answer.status === 402);
			t.equal(refused.length, 35);
			t.equal(refused[0]?.body.error.code, "INSUFFICIENT_BALANCE");
			t.equal(new Set(answers.flatMap(({ body }) => body.meta?.cost.receipt_id ?? [])).size, 15);
			t.equal(await cust(id), 0n);
			t.same(await openHolds(), []);
			t.equal(await sumOfAllEntries(app), 0n);
		},
	);

	await t.test("a refused request changes no balance", async (t) => {
		const { token } = await shop.issueSpt("5.00");
		const before = await app.store.read((reader) => reader.balances());
		const search = { token };
		const refusals = [
			[400, await shop.search({ ...search, body: { query: "x", limit: 0 } })],
			[400, await shop.search({ ...search, body: { query: "x".repeat(3_000) } })],
			[400, await shop.search({ ...search, body: "{not json" })],
			[400, await shop.search({ ...search, body: { query: "x", color: "red" } })],
			[400, await shop.search({ ...search, body: {} })],
			[404, await shop.search({ ...search, graph: "no-such-graph" })],
			[401, await shop.search({ token: `${token.slice(0, -1)}x` })],
			[402, await shop.search()],
		] as const;
		for (const [status, answer] of refusals) {
			t.equal(answer.status, status);
			t.match(answer.body.error, {
				code: String,
				message: String,
				request_id: String,
				retryable: Boolean,
			});
		}
		t.same(refusals[0]?.[1].body.error.details, [{ path: "limit", message: "must be at least 1" }]);
		t.equal(refusals[3]?.[1].body.error.details[0].path, "color");
		t.same(await app.store.read((reader) => reader.balances()), before);
	});

	await t.test("a question no graph can answer costs nothing", async (t) => {
		const { token, id } = await shop.issueSpt("0.50");
		const answer = await shop.search({
			token,
			body: { query: "zorblax quuxification of the frobnicator" },
		});
		t.equal(answer.status, 200);
		t.equal(answer.body.meta.decision, "ABSTAIN");
		t.same(answer.body.rows, []);
		t.match(answer.body.meta.cost, { amount_usd: "0.00", charged: false, receipt_id: null });
		t.equal(await cust(id), 500_000n);
		t.same(await openHolds(), []);
	});

	await t.test("a paid reply says what it cost, in body and headers", async (t) => {
		const { token } = await shop.issueSpt("1.25");
		const { body, headers } = await shop.search({ token });
		t.match(body.meta.cost, {
			amount_usd: "0.50",
			billing_type: "per_call",
			rail: "spt",
			balance_after_usd: "0.75",
		});
		t.equal(headers.get("X-Cost-USD"), "0.50");
		t.equal(headers.get("X-Balance-After-USD"), "0.75");
		t.equal(headers.get("X-Receipt-Id"), body.meta.cost.receipt_id);
		t.match(headers.get("Cache-Control"), /no-store/);
	});

	await t.test("the refusal of a spent token states its balance and how to go on", async (t) => {
		const { token } = await shop.issueSpt("0.20");
		const { status, body } = await shop.search({ token });
		t.equal(status, 402);
		t.equal(body.error.code, "INSUFFICIENT_BALANCE");
		t.equal(body.continuations[0].balance_usd, "0.20");
	});

	await t.test("a token pays at most its limit, and only what it is for", async (t) => {
		const { operator } = app;
		const narrow = await operator.issueSpt({ usd: "5", graphs: ["ethereum-standards"] });
		t.equal((await shop.search({ token: narrow.token })).status, 403);
		const small = await operator.issueSpt({ usd: "5", max_per_call_usd: "0.40" });
		const { status, body } = await shop.search({ token: small.token });
		t.same([status, body.error.code], [402, "SPENDING_LIMIT"]);
	});

	await t.test("the ledger verifies itself from the journal alone", async (t) => {
		t.match(await app.operator.verifyLedger(), {
			status: "ok",
			sum_usd: "0.00",
			open_holds: 0,
			failures: [],
		});
	});
});
