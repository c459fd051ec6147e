import t from "tap";
import { apiKey, createClient, type Payer } from "../../client/src/index.js";
import { mpp, type WalletOptions, x402 } from "../../client/src/wallet.js";
import { startLocalChain, withoutChain } from "../payments/chain/local-chain.js";
import { KNOWN_QUERY, startApp } from "../support/start-app.js";
import { GRAPH, openShop } from "./open-shop.js";

const QUERY = { query: KNOWN_QUERY, limit: 2 };
const RAILS: Readonly<Record<string, (wallet: never, options?: WalletOptions) => Payer>> = {
	x402,
	mpp,
};

/** A shop, and a client that pays with a wallet of that name on the simulated chain. */
async function openWith(t: Parameters<typeof openShop>[0], rail: string, name: string) {
	const shop = await openShop(t);
	const { network, asset } = shop.chain.terms;
	const wallet = shop.wallet(name);
	let signed = 0;
	const account = {
		address: wallet.address,
		signTypedData(data: Parameters<typeof wallet.signTypedData>[0]) {
			signed += 1;
			return wallet.signTypedData(data);
		},
	};
	const assets = [{ network, asset }];
	const pay = RAILS[rail]?.(account as never, { assets });
	return {
		...shop,
		account,
		assets,
		signed: () => signed,
		client: (options: object = {}) => shop.client({ pay, ...options }),
		left: () => shop.chain.balanceOf(shop.chain.terms, wallet.address),
	};
}

for (const rail of Object.keys(RAILS)) {
	t.test(`${rail}: a wallet pays for a search, and for nothing without an answer`, async (t) => {
		const shop = await openWith(t, rail, `${rail} a`);
		const client = shop.client({ maxPrice: "0.50", budget: { session: "1.00" } });
		const { meta } = await client.search(GRAPH, QUERY);
		t.match(meta.cost, { amount_usd: "0.50", rail });
		t.equal(await shop.left(), 8_500_000n);
		t.equal(client.spentUsd(), "0.50");
		t.same(
			shop.proxy.requests.map(({ path }) => path),
			[`/v1/graphs/${GRAPH}/search`, `/v1/graphs/${GRAPH}/search`],
			"the 402 is the quote",
		);
		const none = await client.search(GRAPH, { query: "zxqvbn wqpfkj" });
		t.equal(none.rows.length, 0);
		t.equal(await shop.left(), 8_500_000n);
		t.equal(client.spentUsd(), "0.50");
		t.equal((await client.call("graphs.catalog", {})).ok, true, "what is free is free");
	});

	t.test(`${rail}: what is above a limit is not signed`, async (t) => {
		const shop = await openWith(t, rail, `${rail} b`);
		await t.rejects(shop.client({ maxPrice: "0.49" }).search(GRAPH, QUERY), {
			code: "PRICE_ABOVE_MAX",
			chargedUsd: "0.00",
		});
		const client = shop.client({ budget: { session: "0.70" } });
		const results = await Promise.allSettled(
			[1, 2, 3].map((limit) => client.search(GRAPH, { ...QUERY, limit })),
		);
		t.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
		t.equal(shop.signed(), 1);
		t.equal(await shop.left(), 8_500_000n);
	});

	t.test(`${rail}: a reply that is lost is asked for again with the same payment`, async (t) => {
		const shop = await openWith(t, rail, `${rail} c`);
		let left = 2;
		shop.proxy.decide(({ headers }) => {
			if (!headers["payment-signature"] && !headers.authorization) return undefined;
			left -= 1;
			return left >= 0 ? { kind: "lose" } : undefined;
		});
		const { meta } = await shop.client().search(GRAPH, QUERY);
		t.equal(meta.cost.amount_usd, "0.50");
		t.equal(shop.signed(), 1);
		t.equal(await shop.left(), 8_500_000n);
	});

	t.test(`${rail}: a payment that is refused is not followed by another`, async (t) => {
		const shop = await openWith(t, rail, `${rail} d`);
		shop.chain.transfer(shop.account.address, shop.chain.terms.payTo, 9_000_000n);
		const client = shop.client({ budget: { session: "1.00" } });
		await t.rejects(client.search(GRAPH, QUERY), { code: "PAYMENT_REJECTED", chargedUsd: "0.00" });
		t.equal(shop.signed(), 1);
		t.equal(client.spentUsd(), "0.00");
	});

	t.test(`${rail}: only tokens that were named, or are known, are paid in`, async (t) => {
		const shop = await openWith(t, rail, `${rail} e`);
		const pay = RAILS[rail]?.(shop.account as never);
		const error = await shop
			.client({ pay })
			.search(GRAPH, QUERY)
			.catch((one: unknown) => one);
		t.match(error, { code: "NO_ACCEPTABLE_OFFER", status: 402, chargedUsd: "0.00" });
		t.equal(shop.signed(), 0);
	});

	t.test(`${rail}: a wallet that refuses to sign releases what was reserved`, async (t) => {
		const shop = await openWith(t, rail, `${rail} f`);
		const refusing = {
			address: shop.account.address,
			signTypedData: () => Promise.reject(new Error("The user said no.")),
		};
		const pay = RAILS[rail]?.(refusing as never, { assets: shop.assets });
		const client = shop.client({ pay, budget: { session: "0.50" } });
		await t.rejects(client.search(GRAPH, QUERY), { code: "NOT_SIGNED", chargedUsd: "0.00" });
		t.equal(client.spentUsd(), "0.00");
	});

	t.test(`${rail}: a stream and a job are paid for once`, async (t) => {
		const shop = await openWith(t, rail, `${rail} g`);
		shop.chain.mint(shop.account.address, 10_000_000n);
		const client = shop.client();
		let cut = 1;
		shop.proxy.decide(({ headers }) => {
			if (!headers["payment-signature"] && !headers.authorization) return undefined;
			cut -= 1;
			return cut >= 0 ? { kind: "lose", behind: "event: research.plan" } : undefined;
		});
		let last = "";
		for await (const { event } of client.stream("research.stream", { query: KNOWN_QUERY }))
			last = event;
		t.equal(last, "research.completed");
		t.equal(await shop.left(), 17_500_000n);
		const job = await client.deepDive({ query: "How do agents pay for what they call?" });
		t.ok(await job.report());
		t.equal(await shop.left(), 7_500_000n);
		t.equal(client.spentUsd(), "11.50");
	});

	t.test(`${rail}: a wallet of viem pays on a chain`, { skip: withoutChain }, async (t) => {
		const { parts, payer } = await startLocalChain(t);
		const { terms, chain } = parts;
		const app = await startApp(t, { settings: { model: "none" }, onchain: parts });
		const assets = [{ network: terms.network, asset: terms.asset }];
		const pay = (rail === "mpp" ? mpp : x402)(payer, { assets });
		const client = createClient(app.baseUrl, { pay, maxPrice: "0.50" });
		t.equal((await client.search(GRAPH, QUERY)).meta.cost.rail, rail);
		t.equal(await chain?.balanceOf(terms, payer.address as `0x${string}`), 99_500_000n);
	});
}

t.test("a wallet buys a token, which pays on", async (t) => {
	const shop = await openWith(t, "x402", "buyer");
	const client = shop.client({ maxPrice: "3.00", budget: { session: "3.00" } });
	const { data } = await client.call("spt.purchase", { amount_usd: "3" });
	t.match(data, { balance_usd: "3.00", token: /^spt_/ });
	t.equal(client.spentUsd(), "3.00");
	await t.rejects(client.call("spt.purchase", { amount_usd: "3" }), { code: "BUDGET_EXCEEDED" });
	t.equal(await shop.left(), 6_000_000n);
});

t.test("an API key pays from its account, free calls first", async (t) => {
	const shop = await openShop(t);
	const { key } = await shop.app.app.operator.createKey({ usd: "5.00" });
	const client = shop.client({ pay: apiKey(key), maxPrice: "0.50", budget: { session: "5.00" } });
	const { meta } = await client.search(GRAPH, QUERY);
	t.equal(client.spentUsd(), meta.cost.amount_usd);
	t.equal((await client.call("account.get", {})).ok, true);
});

t.test(
	"a server that asks for another amount than it says is held against what is signed",
	async (t) => {
		const shop = await openWith(t, "x402", "careful");
		const demand = (accepted: object) => ({
			kind: "answer" as const,
			status: 402,
			headers: {
				"PAYMENT-REQUIRED": Buffer.from(
					JSON.stringify({ x402Version: 2, accepts: [accepted] }),
				).toString("base64"),
			},
			body: JSON.stringify({ price: { amount_usd: "0.01" } }),
		});
		const { network, asset, payTo } = shop.chain.terms;
		const good = {
			scheme: "exact",
			network,
			asset,
			payTo,
			amount: "5000000",
			extra: { name: "USDC", version: "2" },
		};
		shop.proxy.decide(() => demand(good));
		await t.rejects(shop.client({ maxPrice: "0.50" }).search(GRAPH, QUERY), {
			code: "PRICE_ABOVE_MAX",
		});
		const wrong = [
			{ amount: "-1" },
			{ amount: 5 },
			{ payTo: "me" },
			{ network: "solana:1" },
			{ extra: {} },
			{ scheme: "upto" },
		];
		for (const change of wrong) {
			shop.proxy.decide(() => demand({ ...good, ...change }));
			await t.rejects(
				shop.client().search(GRAPH, QUERY),
				{ code: "NO_ACCEPTABLE_OFFER" },
				JSON.stringify(change),
			);
		}
		t.equal(shop.signed(), 0);
	},
);
