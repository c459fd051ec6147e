import t, { type Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp, sumOfAllEntries, type TestApp } from "../support/start-app.js";

const AT = "/v1/research/deep-dive";
const QUERY = "How do agents pay for what they call?";
const JSON_TYPE = { "Content-Type": "application/json" };

const launch = (shop: TestApp, headers: Record<string, string>, body: object = { query: QUERY }) =>
	shop.send(AT, {
		method: "POST",
		headers: { ...JSON_TYPE, ...headers },
		body: JSON.stringify(body),
	});

/** Polls until the job has ended; every answer on the way must not go back. */
async function untilEnded(t: Test, shop: TestApp, id: string, headers: Record<string, string>) {
	let percent = 0;
	for (let tries = 0; tries < 400; tries++) {
		const { status, body } = await shop.send(`${AT}/status/${id}`, { headers });
		t.equal(status, 200);
		if (body.data.percent < percent) t.fail("percent went back");
		percent = body.data.percent;
		if (["completed", "failed", "cancelled"].includes(body.data.status)) return body.data;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	throw new Error("the job did not end");
}

/** One server over the sample catalog for those that need it, and a chain to pay on. */
const chain = createSimChain({ now: systemClock.now });
const facilitator = createSimFacilitator({ chain, clock: systemClock });
const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
const started = startApp(t, { onchain, settings: { model: "none" } });

t.test("a token launches, follows and reads a deep dive", async (t) => {
	const shop = await started;
	const { token } = await shop.issueSpt("40.00");
	const mine = { "X-Pay-SPT": token };
	const other = { "X-Pay-SPT": (await shop.issueSpt("1.00")).token };

	const unpaid = await launch(shop, {}, { query: QUERY, mode: "comprehensive" });
	t.equal(unpaid.status, 402);
	t.match(unpaid.body.continuations[0], { amount_usd: "15.00" });
	const poor = await launch(shop, other);
	t.equal(poor.body.error.code, "INSUFFICIENT_BALANCE");

	const keyed = { ...mine, "Idempotency-Key": "dive-1" };
	const launched = await launch(shop, keyed);
	t.equal(launched.status, 202);
	const { data, meta } = launched.body;
	t.match(data, { status: /^(queued|running)$/, mode: "fast", price_usd: "10.00", percent: 0 });
	t.match(meta.cost, {
		amount_usd: "10.00",
		charged: false,
		held: true,
		balance_after_usd: "30.00",
	});
	t.equal(launched.headers.get("Location"), data.links.status);
	t.ok(Number(launched.headers.get("Retry-After")) > 0);
	const again = await launch(shop, keyed);
	t.equal(again.body.data.job_id, data.job_id, "the same key is the same job while it runs");
	t.equal((await launch(shop, keyed, { query: "something else" })).status, 422);

	for (const headers of [{}, other]) {
		const { status, body } = await shop.send(`${AT}/status/${data.job_id}`, { headers });
		t.equal(status, 404);
		const unknown = await shop.send(`${AT}/status/job_nobody`, { headers });
		t.equal(unknown.body.error.message, body.error.message.replace(data.job_id, "job_nobody"));
	}

	const events = await (
		await fetch(`${shop.baseUrl}${data.links.events}`, { headers: mine })
	).text();
	const ended = await untilEnded(t, shop, data.job_id, mine);
	t.match(ended, { status: "completed", percent: 100, query: QUERY });
	t.match(ended.cost, { amount_usd: "10.00", charged: true, held: false });
	t.ok(ended.report.citations.length > 0);
	t.equal(ended.credit, null);

	const names = [...events.matchAll(/^event: (\S+)$/gm)].map(([, name]) => name);
	const ids = [...events.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
	t.equal(names[0], "research.created");
	t.equal(names.at(-2), "research.usage");
	t.equal(names.at(-1), "research.completed");
	t.equal(names.filter((name) => /completed|failed|cancelled/.test(name ?? "")).length, 1);
	t.same(
		ids,
		[...new Set(ids)].sort((a, b) => a - b),
		"ids rise",
	);
	const rest = await fetch(`${shop.baseUrl}${data.links.events}`, {
		headers: { ...mine, "Last-Event-ID": String(ids.at(-2)) },
	});
	t.match(await rest.text(), /^retry: 3000\nid: \d+\nevent: research.completed\n/);
	const over = await shop.send(`${data.links.events}?after=${ids.at(-1)}`, { headers: mine });
	t.equal(over.status, 204);

	const replay = await launch(shop, keyed);
	t.match(replay.body, {
		data: { job_id: data.job_id, status: "completed" },
		meta: {
			cost: { receipt_id: ended.cost.receipt_id, charged: true, held: false, replayed: true },
		},
	});

	const sources = await shop.send(data.links.sources, { headers: mine });
	t.equal(sources.body.data.items.length, ended.report.evidence_table.length);
	for (const [format, type] of [
		["md", "text/markdown"],
		["json", "application/json"],
		["html", "text/html"],
	] as const) {
		const made = await shop.send(`${data.links.export}?format=${format}`, { headers: mine });
		t.equal(made.status, 200);
		t.match(made.headers.get("content-type"), type);
		t.match(made.headers.get("content-security-policy"), /default-src 'none'/);
	}
	t.equal((await shop.send(`${data.links.export}?format=pdf`, { headers: mine })).status, 400);

	const list = await shop.send(AT, { headers: mine });
	t.match(list.body.data.items, [{ job_id: data.job_id, query: QUERY }]);
	t.same((await shop.send(AT, { headers: other })).body.data.items, []);
	t.equal((await shop.send(AT)).status, 401);

	t.equal(
		(await shop.send(`${AT}/${data.job_id}`, { method: "DELETE", headers: other })).status,
		404,
	);
	const gone = await shop.send(`${AT}/${data.job_id}`, { method: "DELETE", headers: mine });
	t.match(gone.body.data, { job_id: data.job_id, status: "deleted" });
	t.equal((await shop.send(data.links.status, { headers: mine })).status, 404);
	t.equal((await launch(shop, keyed)).status, 404, "its key launches no second one");
	t.match(await shop.app.operator.verifyLedger(), { status: "ok", open_holds: 0, failures: [] });
});

t.test("a question no graph covers costs nothing", async (t) => {
	const shop = await startApp(t, { settings: { model: "none", catalog: "none" } });
	const { token } = await shop.issueSpt("10.00");
	const mine = { "X-Pay-SPT": token };
	const { body } = await launch(shop, mine);
	const ended = await untilEnded(t, shop, body.data.job_id, mine);
	t.match(ended, {
		status: "completed",
		cost: { amount_usd: "0.00", charged: false, held: false },
	});
	const balance = await shop.send("/v1/spt/balance", { headers: mine });
	t.match(balance.body.data, { balance_usd: "10.00", held_usd: "0.00" });
});

t.test("a wallet's deep dive is opened by its id", async (t) => {
	const shop = await started;
	const now = systemClock.now;
	const wallet = createSimWallet(chain, { name: "agent", now, balance: 50_000_000n });
	const pay = () => ({ "PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value: 10_000_000n })) });

	const payment = pay();
	const keyed = { ...payment, "Idempotency-Key": "wallet-dive" };
	const launched = await launch(shop, keyed);
	t.equal(launched.status, 202, JSON.stringify(launched.body));
	const { data, meta } = launched.body;
	t.match(meta.cost, { amount_usd: "10.00", rail: "x402", charged: false, held: true });
	t.ok(launched.headers.get("PAYMENT-RESPONSE"), "it settled at launch");
	const same = await launch(shop, keyed);
	t.equal(same.body.data.job_id, data.job_id);
	const anew = await launch(shop, { ...pay(), "Idempotency-Key": "wallet-dive" });
	t.equal(anew.body.data.job_id, data.job_id, "a new payment under its key is never sent");
	t.equal(chain.transactions.length, 1);
	t.equal((await launch(shop, payment)).status, 402, "without its key the payment tells nobody");

	const ended = await untilEnded(t, shop, data.job_id, {});
	t.match(ended, { status: "completed", cost: { amount_usd: "10.00", charged: true } });
	t.match(await shop.app.operator.verifyLedger(), { status: "ok", open_holds: 0, failures: [] });
	t.equal(await sumOfAllEntries(shop.app), 0n);
});

t.test("where a deep dive costs nothing, its id opens it", async (t) => {
	const free = { amountMicros: 0n, billingType: "deep_research_light" } as const;
	const prices = { "research.deep_dive": free };
	const shop = await startApp(t, { settings: { model: "none", catalog: "none", prices } });
	const { status, body } = await launch(shop, {});
	t.equal(status, 202);
	t.match(body.meta.cost, { amount_usd: "0.00", charged: false, held: false });
	t.match(await untilEnded(t, shop, body.data.job_id, {}), { status: "completed" });
	const { links } = body.data;
	const head = await fetch(`${shop.baseUrl}${links.status}`, { method: "HEAD" });
	t.equal(head.status, 405, "a secret told to nobody would be lost");
	const cancelled = await shop.send(links.cancel, { method: "POST" });
	t.match(cancelled.body.data, { status: "completed" }, "what has ended stays as it is");
	t.match(await shop.app.operator.verifyLedger(), { status: "ok", failures: [] });
});

t.test("an account with zero retention is refused before anything is held", async (t) => {
	const settings = { model: "none", catalog: "none" } as const;
	const shop = await startApp(t, { settings });
	const { key, account_id: id } = await shop.app.operator.createKey({ usd: "20.00" });
	await shop.app.store.transaction(async (tx) => {
		const row = await tx.get("accounts", id);
		if (row) await tx.put("accounts", { ...row, retention: "zero" });
	});
	const { status, body } = await launch(shop, { "X-API-Key": key });
	t.equal(status, 400);
	t.match(body.error.message, /keeps no text/);
	t.equal(await shop.app.store.read((reader) => reader.balance(`held:${id}`)), 0n);
});
