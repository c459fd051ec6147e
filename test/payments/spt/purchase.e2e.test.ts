import { setTimeout } from "node:timers/promises";
import { evm, Mppx } from "mppx/client";
import t from "tap";
import type { Account } from "viem";
import type { Hex } from "../../../payments/onchain/facilitator.js";
import { digest, signatureOf } from "../../support/sim-chain.js";
import { sumOfAllEntries } from "../../support/start-app.js";
import { times } from "../../support/times.js";
import { startSptShop } from "./start-spt-shop.js";

t.test(
	"a wallet buys a token with one payment, and the token pays without the chain",
	async (t) => {
		const shop = await startSptShop(t);
		const wallet = shop.walletOf("agent");
		const pay = (value: bigint) => wallet.v2(wallet.sign({ value }));

		await t.test("without a payment the answer is 402 with the price that was named", async (t) => {
			const reply = await shop.ask({ path: "/v1/spt", body: { amount_usd: "3.50" } });
			t.equal(reply.status, 402);
			t.match(reply.body.price, { amount_usd: "3.50", billing_type: "prepaid" });
			t.match(reply.body.accepts, [{ maxAmountRequired: "3500000" }]);
			const types = reply.body.continuations.map(({ type }: { type: string }) => type);
			t.notOk(types.includes("spt") || types.includes("api_key"), "only a chain sells balance");
		});

		await t.test("a search's 402 names the way to a token", async (t) => {
			const { body } = await shop.search();
			const buying = body.continuations.find(
				({ type }: { type: string }) => type === "spt_purchase",
			);
			t.match(buying, { method: "POST", path: "/v1/spt", body: { amount_usd: "1.00" } });
		});

		await t.test("a bad order is refused before anybody pays", async (t) => {
			const settled = shop.facilitator.settled();
			const orders: [status: number, order: object][] = [
				[400, {}],
				[400, { amount_usd: "0.99" }],
				[400, { amount_usd: "10000.01" }],
				[400, { amount_usd: 5 }],
				[400, { amount_usd: "1.0000001" }],
				[400, { amount_usd: "-5" }],
				[400, { amount_usd: "5.00", skills: ["no_such_skill"] }],
				[400, { amount_usd: "5.00", skills: [] }],
				[404, { amount_usd: "5.00", graphs: ["no-such-graph"] }],
				[400, { amount_usd: "5.00", max_per_call_usd: "0" }],
				[400, { amount_usd: "5.00", expires_in_days: 0 }],
				[400, { amount_usd: "5.00", owner: "me" }],
			];
			for (const [status, body] of orders) {
				const reply = await shop.ask({ path: "/v1/spt", payment: pay(5_000_000n), body });
				t.equal(reply.status, status, JSON.stringify(body));
			}
			t.equal(shop.facilitator.settled(), settled);
		});

		await t.test("the bought token pays twenty calls at once, ten of them", async (t) => {
			const { token, id, balance_usd } = await shop.buy(wallet, { label: "crew" });
			t.equal(balance_usd, "5.00");
			t.match(token, /^spt_test_/);
			const answers = await Promise.all(times(20, () => shop.search({ token })));
			t.equal(answers.filter(({ status }) => status === 200).length, 10);
			t.equal(await shop.balanceOf(id), 0n);
			const refused = answers.find(({ status }) => status === 402);
			t.match(refused?.body, {
				error: { code: "INSUFFICIENT_BALANCE" },
				accepts: [],
				continuations: [{ type: "spt_purchase", path: "/v1/spt/top-up" }],
			});
			t.equal(await sumOfAllEntries(shop.app), 0n);
		});

		await t.test("one payment buys one token, however often it is sent", async (t) => {
			const payment = pay(5_000_000n);
			const body = { amount_usd: "5.00" };
			const settled = shop.facilitator.settled();
			const replies = await Promise.all(
				times(30, () => shop.ask({ path: "/v1/spt", payment, body })),
			);
			t.equal(replies.filter(({ status }) => status === 201).length, 1);
			t.equal(shop.facilitator.settled(), settled + 1);
			const again = await shop.ask({ path: "/v1/spt", payment, body });
			const bought = replies.find(({ status }) => status === 201)?.body.data;
			t.match(again.body, { error: { code: "PAYMENT_ALREADY_USED" }, token_id: bought.id });
			const search = await shop.search({ headers: { "PAYMENT-SIGNATURE": payment } });
			t.equal(search.status, 402, "and buys nothing else");
		});

		await t.test("a top-up adds to the token that is shown", async (t) => {
			const { token, id } = await shop.buy(wallet);
			const path = "/v1/spt/top-up";
			const body = { amount_usd: "2.00" };
			t.equal((await shop.ask({ path, payment: pay(2_000_000n), body })).status, 401);
			const asked = await shop.ask({ path, token, body });
			t.match(asked, { status: 402, body: { accepts: [{ maxAmountRequired: "2000000" }] } });
			const filled = await shop.ask({ path, token, payment: pay(2_000_000n), body });
			t.match(filled, { status: 200, body: { data: { id, balance_usd: "7.00" } } });
			t.notOk("token" in filled.body.data);
			t.ok(filled.headers.get("PAYMENT-RESPONSE"));
			t.equal(filled.headers.get("Cache-Control"), "private, no-store");
			const over = { amount_usd: "9999.00" };
			t.equal((await shop.ask({ path, token, body: over })).status, 400);
		});

		await t.test("a payment for one token never tops up another", async (t) => {
			const [one, other] = [await shop.buy(wallet), await shop.buy(wallet)];
			const payment = pay(2_000_000n);
			const request = { path: "/v1/spt/top-up", payment, body: { amount_usd: "2.00" } };
			t.equal((await shop.ask({ ...request, token: one.token })).status, 200);
			t.match(await shop.ask({ ...request, token: other.token }), {
				status: 402,
				body: { error: { code: "PAYMENT_ALREADY_USED" } },
			});
			t.equal(await shop.balanceOf(other.id), 5_000_000n);
		});

		await t.test("a token that ends while its top-up settles loses no money", async (t) => {
			const { token, id } = await shop.buy(wallet);
			const settled = shop.facilitator.settled();
			shop.facilitator.behavior = "slow";
			const request = { path: "/v1/spt/top-up", token, body: { amount_usd: "2.00" } };
			const filling = shop.ask({ ...request, payment: pay(2_000_000n) });
			while (shop.facilitator.settled() === settled) await setTimeout(1);
			await shop.app.operator.revokeSpt({ id });
			const { status, body } = await filling;
			shop.facilitator.behavior = "strict";
			t.equal(status, 200);
			t.match(body.data, { token: /^spt_test_/, balance_usd: "2.00" });
			t.not(body.data.id, id);
			t.equal((await shop.search({ token: body.data.token })).status, 200);
		});

		await t.test("the ledger is sound and shows what the chain shows", async (t) => {
			t.match(await shop.app.operator.verifyLedger(), { status: "ok", failures: [] });
			const cash = await shop.app.store.read((reader) => reader.balance("cash:x402:eip155:84532"));
			t.equal(-cash, await shop.chain.balanceOf(shop.chain.terms, shop.chain.terms.payTo));
		});
	},
);

t.test("a lost reply loses no money: the wallet collects what it bought", async (t) => {
	const shop = await startSptShop(t);
	const [wallet, stranger] = [shop.walletOf("loser"), shop.walletOf("stranger")];
	const lost = await shop.buy(wallet);
	const inUse = await shop.buy(wallet);
	t.equal((await shop.search({ token: inUse.token })).status, 200);
	const foreign = await shop.buy(stranger);

	const plain = await shop.buy(wallet, { amount_usd: "1.00" });
	t.equal(plain.recovered_usd, "0.00", "only who asks for it");
	const found = await shop.buy(wallet, { amount_usd: "1.00", recover: true });
	t.match(found, { balance_usd: "7.00", recovered_usd: "6.00" });
	t.equal(await shop.balanceOf(lost.id), 0n);
	t.equal((await shop.search({ token: lost.token })).status, 401, "the lost secret has ended");
	t.equal((await shop.search({ token: inUse.token })).status, 200, "one in use stays");
	t.equal((await shop.search({ token: foreign.token })).status, 200, "another wallet's stays");
	t.equal((await shop.search({ token: found.token })).status, 200);
	t.match(await shop.app.operator.verifyLedger(), { status: "ok", failures: [] });
});

t.test("what answers the challenge of one order pays for no other", async (t) => {
	const shop = await startSptShop(t);
	const address = digest("a wallet of mppx").slice(0, 42) as Hex;
	shop.chain.mint(address, 100_000_000n);
	const signTypedData = async ({ message }: { message: Parameters<typeof signatureOf>[0] }) =>
		signatureOf(message);
	const { terms } = shop.chain;
	const { createCredential } = Mppx.create({
		polyfill: false,
		methods: [
			evm({
				account: { address, signTypedData } as unknown as Account,
				authorization: { name: terms.assetName, version: terms.assetVersion },
				maxAtomicAmount: "5000000",
			}),
		],
	});
	const requestOf = (order: object, token?: string) => ({
		method: "POST",
		headers: { "Content-Type": "application/json", ...(token && { "X-Pay-SPT": token }) },
		body: JSON.stringify({ amount_usd: "1.00", ...order }),
	});
	const sign = async (path: string, request: RequestInit) =>
		createCredential(await fetch(`${shop.baseUrl}${path}`, request));
	const send = (path: string, request: ReturnType<typeof requestOf>, Authorization: string) =>
		shop.send(path, { ...request, headers: { ...request.headers, Authorization } });
	const refusal = {
		status: 402,
		body: { error: { code: "PAYMENT_REJECTED", message: /issued for another request/ } },
	};

	const plain = requestOf({});
	const credential = await sign("/v1/spt", plain);
	t.match(await send("/v1/spt", requestOf({ recover: true }), credential), refusal);
	t.match(await send("/v1/spt", requestOf({ label: "mine" }), credential), refusal);
	const { status, body } = await send("/v1/spt", plain, credential);
	t.equal(status, 201);

	const other = await shop.buy(shop.walletOf("other"));
	const filling = await sign("/v1/spt/top-up", requestOf({}, body.data.token));
	t.match(await send("/v1/spt/top-up", requestOf({}, other.token), filling), refusal);
	t.equal(await shop.balanceOf(other.id), 5_000_000n);
	t.equal((await send("/v1/spt/top-up", requestOf({}, body.data.token), filling)).status, 200);
	t.equal(await shop.balanceOf(body.data.id), 2_000_000n);
});

t.test("where no chain is configured, tokens are the operator's to issue", async (t) => {
	const { startApp } = await import("../../support/start-app.js");
	const shop = await startApp(t, { settings: { model: "none" } });
	const reply = await shop.send("/v1/spt", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ amount_usd: "5.00" }),
	});
	t.match(reply, { status: 402, body: { accepts: [], continuations: [{ type: "spt" }] } });
	const { body } = await shop.search();
	t.notOk(body.continuations.some(({ type }: { type: string }) => type === "spt_purchase"));
});
