import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { createPaymentGate, toToolEnvelope } from "../../src/mcp/payment-meta.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { type PaidMcp, SEARCH, startPaidMcp } from "./start-paid-mcp.js";

const demandOf = async (shop: PaidMcp) => (await shop.call({})).required;
const balanceOf = (shop: PaidMcp, id: string) =>
	shop.app.store.read((reader) => reader.balance(`cust:${id}`));

t.test("no one is let in without a credential unless the operator says so", async (t) => {
	const shop = await startPaidMcp(t, { mcp: undefined });
	const { chain, wallet } = shop;
	const asked = await shop.call({});
	t.equal(asked.status, 401);
	t.match(asked.message.error.data.error, { code: "UNAUTHENTICATED" });
	const payload = shop.pay({
		accepts: [{ amount: "500000" }],
		resource: { url: "mcp://tool/search_graph" },
		error: "",
	});
	const meta = { "x402/payment": payload };
	t.equal((await shop.call({ meta })).status, 401);

	await t.test("and a payment beside a key is refused, not left unread", async (t) => {
		const { key, account_id } = await shop.app.operator.createKey({ usd: "20.00" });
		const headers = { "X-API-Key": key };
		const before = await balanceOf(shop, account_id);
		for (const path of ["/mcp", "/copilot"]) {
			const { refusal, result } = await shop.call({ meta, headers, path });
			t.match(refusal.error, { code: "INVALID_ARGUMENT", message: /nothing was run/ });
			t.equal(result._meta, undefined);
		}
		const { token } = await shop.issueSpt("1.00");
		const spt = await shop.call({ headers: { "X-Pay-SPT": token } });
		t.equal(spt.status, 401);
		t.equal(await balanceOf(shop, account_id), before);
		t.same(chain.transactions, []);
		t.equal(await shop.funds(), 50_000_000n, wallet.address);
	});
});

t.test("an address that lets anonymous agents in", async (t) => {
	const shop = await startPaidMcp(t);
	const { key, account_id } = await shop.app.operator.createKey({ usd: "20.00" });
	const headers = { "X-API-Key": key };

	await t.test("is one of four: the others take no payments", async (t) => {
		const meta = { "x402/payment": shop.pay(await demandOf(shop)) };
		t.equal((await shop.call({ path: "/copilot" })).status, 401);
		t.equal((await shop.call({ path: "/chatgpt" })).status, 401);
		const { refusal } = await shop.call({ meta, headers, path: "/copilot" });
		t.match(refusal.error, { code: "INVALID_ARGUMENT", message: /takes no payments/ });
		t.same(shop.chain.transactions, []);
	});

	await t.test("charges a payment instead of the key beside it", async (t) => {
		const before = await balanceOf(shop, account_id);
		const meta = { "x402/payment": shop.pay(await demandOf(shop)) };
		const { result } = await shop.call({ meta, headers });
		t.match(result.structuredContent.meta.cost, { rail: "x402", charged: true });
		t.equal(await balanceOf(shop, account_id), before);
		const keyed = await shop.call({ headers });
		t.equal(keyed.result.structuredContent.meta.cost.rail, "plan", "and a key pays without one");
	});

	await t.test("takes a Shared Payment Token as its challenge says", async (t) => {
		const { token, id } = await shop.issueSpt("1.00");
		const spt = { "X-Pay-SPT": token };
		const { result } = await shop.call({ headers: spt });
		t.match(result.structuredContent.meta.cost, { rail: "spt", balance_after_usd: "0.50" });
		const { result: asked } = await shop.call({});
		const [, challenge] = asked._meta["org.paymentauth/payment-required"].challenges;
		const prepaid = { "org.paymentauth/credential": { challenge, payload: { token } } };
		const two = await shop.call({ meta: prepaid, headers });
		t.match(two.refusal.error, { code: "INVALID_ARGUMENT", message: /exactly one/ });
		t.equal(await balanceOf(shop, id), 500_000n);
		const one = await shop.call({ meta: prepaid });
		t.match(one.result._meta["org.paymentauth/receipt"], { method: "tollgraph" });
		const empty = await shop.call({ headers: spt });
		t.equal(empty.refusal.error.code, "INSUFFICIENT_BALANCE");
		t.equal(empty.required, undefined, "its own rail, no other");
		const wrong = { challenge, payload: { token: "spt_test_nobody" } };
		const unknown = await shop.call({ meta: { "org.paymentauth/credential": wrong } });
		t.equal(unknown.refusal.error.code, "UNAUTHENTICATED");
	});

	await t.test("reads no payment from headers, and says where it belongs", async (t) => {
		const before = await shop.funds();
		const payload = shop.pay(await demandOf(shop));
		const encoded = Buffer.from(JSON.stringify(payload)).toString("base64");
		const credential = { challenge: { method: "evm" }, payload: {} };
		const authorization = Buffer.from(JSON.stringify(credential)).toString("base64url");
		const sent: Record<string, string>[] = [
			{ "PAYMENT-SIGNATURE": encoded },
			{ "X-PAYMENT": encoded },
			{ Authorization: `Payment ${authorization}` },
			{ "PAYMENT-SIGNATURE": encoded, ...headers },
		];
		for (const headers of sent) {
			const { status, message } = await shop.call({ headers });
			t.equal(status, 400);
			t.match(message.error, { message: /"x402\/payment" or "org.paymentauth\/credential"/ });
		}
		t.equal(await shop.funds(), before);
	});

	await t.test("keeps the signature in its books alone, and out of the log", async (t) => {
		const meta = { "x402/payment": shop.pay(await demandOf(shop)) };
		const args = { ...SEARCH, query: `${KNOWN_QUERY} Which network?` };
		const { result } = await shop.call({ meta, args });
		t.notOk(result.isError);
		const { signature } = (meta["x402/payment"] as { payload: { signature: string } }).payload;
		await shop.close();
		t.notOk(shop.logged.some((line) => line.includes(signature)));
		const names = await readdir(shop.folder, { recursive: true });
		const found: string[] = [];
		for (const name of names) {
			const text = await readFile(join(shop.folder, name), "latin1").catch(() => "");
			if (text.includes(signature)) found.push(name);
		}
		t.ok(found.length > 0, "the books know what was settled");
		for (const name of found) t.match(name, /^journal\//);
	});
});

t.test("one address sends so many payments a minute, and calls without one go on", async (t) => {
	let nowMs = 0;
	const gate = createPaymentGate({ ...systemClock, monotonicMs: () => nowMs }, 3);
	const exchange = { takesPayments: true, credential: undefined } as never;
	const from = (address: string) => ({ ...(exchange as object), address }) as never;
	const meta = { "x402/payment": { x402Version: 2 } };
	for (let sent = 0; sent < 3; sent++) t.ok(gate(from("192.0.2.1"), meta));
	t.throws(() => gate(from("192.0.2.1"), meta), { code: "RATE_LIMITED" });
	t.equal(gate(from("192.0.2.1"), {}), undefined);
	t.ok(gate(from("192.0.2.2"), meta));
	nowMs += 20_000;
	t.ok(gate(from("192.0.2.1"), meta));
});

t.test("a refusal names only the ways to pay that its address takes", async (t) => {
	const instructions = "Do this.";
	const continuations = [
		{ type: "x402", header: "PAYMENT-SIGNATURE", network: "eip155:1", instructions },
		{ type: "spt", header: "X-Pay-SPT", instructions },
		{ type: "wait", retry_after_seconds: 3, instructions },
	];
	const error = { code: "QUOTA_EXCEEDED" };
	const body = { x402Version: 1, accepts: [], error, continuations };
	t.same(toToolEnvelope(body, false), { error, continuations: [continuations[2]] });
	const told = toToolEnvelope(body, true)["continuations"] as Record<string, string>[];
	t.match(told[0], { type: "x402", network: "eip155:1", meta: "x402/payment" });
	t.notOk("header" in (told[0] ?? {}));
	t.same(told.slice(1), continuations.slice(1));
	t.same(toToolEnvelope({ error }, true), { error });
});
