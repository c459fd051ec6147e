import t from "tap";
import { filesWith } from "../support/files-below.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { times } from "../support/times.js";
import { openAccount, useFreeCalls } from "./open-account.js";

t.test(
	"a budget is never exceeded by fifty calls that race, and counts what was spent before",
	async (t) => {
		const shop = await openAccount(t, { usd: "100.00" });
		const { ask, buy, key, clock } = shop;
		await useFreeCalls(shop);
		t.equal(await buy(key), 200);
		const order = { limit_usd: "5.00", alert_percent: [100, 10, 50, 10] };
		t.match((await ask("PUT", "/v1/account/budget", order)).body.data, {
			limit_usd: "5.00",
			spent_this_month_usd: "0.50",
			remaining_usd: "4.50",
			alert_percent: [10, 50, 100],
			alerts_reached: [10],
			resets_at: "2026-04-01T00:00:00.000Z",
		});
		const other = (await ask("POST", "/v1/account/keys", {})).body.data.key;
		const statuses = await Promise.all(times(50, (index) => buy(index % 2 ? key : other)));
		t.equal(statuses.filter((status) => status === 200).length, 9, "over all keys together");
		const { data } = (await ask("GET", "/v1/account")).body;
		t.match(data, { balance_usd: "95.00", held_usd: "0.00" });
		t.match(data.budget, { spent_this_month_usd: "5.00", remaining_usd: "0.00" });
		t.same(data.budget.alerts_reached, [10, 50, 100]);
		const refused = await shop.search({
			headers: { "X-API-Key": key },
			body: { query: KNOWN_QUERY, limit: 1 },
		});
		t.same([refused.status, refused.body.error.code], [402, "SPENDING_LIMIT"]);
		t.ok(refused.body.continuations.some(({ type }: { type: string }) => type === "wait"));
		clock.set("2026-04-01T00:00:01Z");
		await useFreeCalls(shop);
		t.equal(await buy(key), 200, "a new month");
		await ask("PUT", "/v1/account/budget", { limit_usd: null });
		t.equal((await ask("PUT", "/v1/account/budget", { limit_usd: "0" })).status, 200);
		t.equal(await buy(key), 402, "a budget of nothing");
		t.equal((await ask("PUT", "/v1/account/budget", { limit_usd: "-1" })).status, 400);
		const limited = (await ask("GET", "/v1/account", undefined, other)).body.data;
		const unseen = { contact: null, balance_usd: null, held_usd: null, budget: null };
		t.match(limited, { ...unseen, credential: { manages_account: false } });
	},
);

t.test("usage, calls and quota report what happened", async (t) => {
	const shop = await openAccount(t, { usd: "10.00", at: "2026-03-10T23:59:00Z" });
	const { ask, buy, key, clock, accountId } = shop;
	for (const _ of times(3, () => 0)) await buy(key);
	t.match((await ask("GET", "/v1/account/quota")).body.data, {
		has_payment_method: true,
		remaining: 97,
		month: { limit: 100, used: 3, resets_at: "2026-04-01T00:00:00.000Z" },
		day: { limit: null, used: 3, resets_at: "2026-03-11T00:00:00.000Z" },
	});
	await useFreeCalls(shop);
	clock.advance(120_000);
	await buy(key);
	const noAnswer = { query: "zzzz qqqq xxxx", limit: 1 };
	await shop.search({ headers: { "X-API-Key": key }, body: noAnswer });
	const usage = async (query: string) => (await ask("GET", `/v1/account/usage${query}`)).body.data;
	t.match(await usage(""), {
		by: "day",
		items: [
			{ day: "2026-03-10", calls: 3, spent_usd: "0.00" },
			{ day: "2026-03-11", calls: 1, spent_usd: "0.50" },
		],
		total: { calls: 4, spent_usd: "0.50" },
	});
	t.match(await usage("?by=operation&from=2026-03-11"), {
		items: [{ operation: "graphs.search", calls: 1, spent_usd: "0.50" }],
	});
	t.match(await usage("?by=graph"), { items: [{ graph: "agent-payments", calls: 4 }] });
	t.match((await usage("?by=key")).items, [{ key: /^key_/, calls: 4 }]);
	t.equal((await ask("GET", "/v1/account/usage?by=color")).status, 400);

	const first = (await ask("GET", "/v1/account/calls?limit=3")).body;
	t.equal(first.data.items.length, 3);
	t.match(first.data.items[0], { operation: "graphs.search", amount_usd: "0.50" });
	const second = (await ask("GET", `/v1/account/calls?cursor=${first.meta.next_cursor}`)).body;
	t.equal(second.data.items.length, 1);
	t.notMatch(JSON.stringify([first, second]), /status code/, "no text");
	t.equal((await ask("GET", "/v1/account/calls?cursor=x")).status, 400);

	clock.advance(400 * 24 * 3_600_000);
	await shop.app.money.sweeper.forgetExpired();
	t.match(await usage("?from=2026-01-01"), {
		items: [{ day: "2026-03", calls: 4, spent_usd: "0.50" }],
	});
	const rows = await shop.app.store.read((reader) =>
		reader.findBy("usage", "accountId", accountId),
	);
	t.equal(rows.length, 1, "days were folded into their month");
});

t.test("an export holds all of it, and nothing of anybody else", async (t) => {
	const shop = await openAccount(t, { usd: "10.00" });
	const { ask, buy, key, app, send } = shop;
	await useFreeCalls(shop);
	const stranger = (await app.operator.createKey({ label: "stranger-label" })).key;
	await buy(stranger);
	await buy(key);
	await ask("PATCH", "/v1/account", { contact: "ops@agents.example" });
	await ask("POST", "/v1/account/keys", { label: "second-key" });
	await ask("POST", "/v1/account/connection-tokens", { label: "desk-token" });
	const message = {
		message: {
			messageId: "m-1",
			role: "ROLE_USER",
			parts: [
				{
					data: {
						skill: "graph_search",
						input: { graph_id: "agent-payments", query: KNOWN_QUERY },
					},
				},
			],
		},
	};
	const sent = await send("/a2a/rest/message:send", {
		method: "POST",
		headers: { "X-API-Key": key, "Content-Type": "application/json", "A2A-Version": "1.0" },
		body: JSON.stringify(message),
	});
	const { status, body } = await ask("GET", "/v1/account/export");
	t.equal(status, 200);
	const { data } = body;
	t.match(data.account, { label: "canary-label", contact: "ops@agents.example" });
	t.equal(data.keys.length, 2);
	t.match(data.connection_tokens, [{ label: "desk-token" }]);
	t.ok(data.postings.some(({ kind }: { kind: string }) => kind === "credit"));
	t.match(data.queries[0], { query: KNOWN_QUERY, operationId: "graphs.search" });
	t.equal(sent.status, 200);
	t.equal(data.calls.length, 2);
	t.match(JSON.stringify(data.tasks), /asks for payment/);
	t.match(data.usage, [{ day: "2026-03-10" }]);
	const text = JSON.stringify(body);
	t.notMatch(text, /stranger-label|sk_test_|ct_[0-9A-Za-z]{36}/);
	t.equal(
		(await ask("GET", "/v1/account/export", undefined, stranger)).body.data.queries.length,
		1,
	);
});

t.test(
	"an erased account leaves no byte of its text behind, and its postings balance",
	async (t) => {
		const shop = await openAccount(t, { usd: "1.00" });
		const { ask, buy, key, folder, app, accountId, clock } = shop;
		await ask("PATCH", "/v1/account", { contact: "canary-contact" });
		await ask("POST", "/v1/account/keys", { label: "canary-key-label" });
		const query =
			"Which HTTP status code, 402 Payment Required, asks a client to pay in x402 before the resource is served, canaryquery?";
		await shop.search({ headers: { "X-API-Key": key }, body: { query, limit: 1 } });
		await buy(key);
		for (const text of ["canary-label", "canary-contact", "canary-key-label", "canaryquery"]) {
			// The query log reaches the disk within a second.
			if (text === "canaryquery") for await (const _ of app.store.queryLog.read(accountId));
			t.ok(filesWith(folder, text).length > 0, `${text} is there before`);
		}
		const refused = await ask("DELETE", "/v1/account");
		t.same([refused.status, refused.body.error.code], [400, "INVALID_ARGUMENT"]);
		t.match(refused.body.error.message, /1\.00 USD left/);
		t.equal((await ask("DELETE", "/v1/account?confirm=0.50")).status, 400);
		const limited = (await ask("POST", "/v1/account/keys", {})).body.data.key;
		t.equal((await ask("DELETE", "/v1/account?confirm=1.00", undefined, limited)).status, 403);
		const erased = await ask("DELETE", "/v1/account?confirm=1.00");
		t.match(erased.body.data, { status: "erased", erased: { queries: 2 }, forfeited_usd: "1.00" });
		t.same([await buy(key), await buy(limited)], [401, 401]);
		t.equal((await ask("GET", "/v1/account")).status, 401);
		for (const text of ["canary-label", "canary-contact", "canary-key-label", "canaryquery"]) {
			t.same(filesWith(folder, text), [], text);
		}
		const report = await app.operator.verifyLedger();
		t.match(report, { status: "ok" });
		clock.advance(3_600_000);
		await app.money.finishErasures();
		const row = await app.store.read((reader) => reader.get("accounts", accountId));
		t.match(row, { label: "", closedAt: Number, erasedAt: Number });
	},
);

t.test("accounts are opened by anybody only where that was configured", async (t) => {
	const closed = await openAccount(t);
	t.equal((await closed.ask("POST", "/v1/accounts", {})).status, 403);
	const open = await openAccount(t, { settings: { accounts: "open" } });
	const headers = { "Content-Type": "application/json" };
	const body = JSON.stringify({ label: "newcomer" });
	const made = await open.send("/v1/accounts", { method: "POST", headers, body });
	t.equal(made.status, 200);
	const { key, account_id: id } = made.body.data;
	t.equal(await open.buy(key), 200);
	t.match((await open.ask("GET", "/v1/account", undefined, key)).body.data, {
		id,
		label: "newcomer",
		balance_usd: "0.00",
		credential: { manages_account: true },
	});
	await open.app.store.transaction(async (tx) => {
		for (const row of await tx.list("quotas")) {
			t.notMatch(row.id, /^acc_|127\.0\.0\.1/, "counted for the address, by a hash");
			await tx.put("quotas", { ...row, used: 50 });
		}
	});
	const second = await open.send("/v1/accounts", { method: "POST", headers, body });
	t.equal(await open.buy(second.body.data.key), 429, "one quota for all accounts of an address");
	t.equal(await open.buy(open.key), 200, "the operator's accounts have their own");
	open.clock.hold();
	const answers = await Promise.all(
		times(6, () => open.send("/v1/accounts", { method: "POST", headers, body })),
	);
	t.ok(
		answers.some(({ status }) => status === 429),
		"at most a few a minute from one address",
	);
});

t.test("zero retention is the operator's to allow; then a hash stands for the query", async (t) => {
	const { ask, buy, app, key, folder, accountId } = await openAccount(t);
	const zero = { retention: "zero" };
	t.equal((await ask("PATCH", "/v1/account", zero)).status, 403);
	await app.store.transaction(async (tx) => {
		const account = await tx.get("accounts", accountId);
		if (account) await tx.put("accounts", { ...account, mayKeepNothing: true });
	});
	t.match((await ask("PATCH", "/v1/account", zero)).body.data, zero);
	t.equal(await buy(key), 200);
	const rows = [];
	for await (const row of app.store.queryLog.read(accountId)) rows.push(row);
	t.match(rows, [{ queryHash: /^[\w-]{43}$/, receiptId: /^rcpt_/ }]);
	t.same(filesWith(folder, "asks for payment"), []);
});
