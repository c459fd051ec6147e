import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/client";
import {
	decodePaymentResponseHeader,
	wrapFetchWithPaymentFromConfig,
	type x402ClientConfig,
} from "@x402/fetch";
import t from "tap";
import type { LocalAccount } from "viem";
import type { Hex } from "../../../payments/onchain/facilitator.js";
import { KNOWN_QUERY, startApp, sumOfAllEntries } from "../../support/start-app.js";
import { times } from "../../support/times.js";
import { createWallet, startLocalChain, withoutChain } from "./local-chain.js";

const PATH = "/v1/graphs/agent-payments/search";
const POST = {
	method: "POST",
	headers: { "Content-Type": "application/json" },
	body: JSON.stringify({ query: KNOWN_QUERY, limit: 3 }),
};

/** A wallet's fetch of @x402/fetch. Our token is not the network's USDC, so the wallet's owner allows it by address. */
function payingFetch(account: LocalAccount, asset: Hex, changes: Partial<x402ClientConfig> = {}) {
	const allowed = { network: "eip155:84532", asset, maxAmountPerPayment: "1000000" } as const;
	return wrapFetchWithPaymentFromConfig(fetch, {
		schemes: [{ network: "eip155:84532", client: new ExactEvmScheme(account) }],
		spendControls: { allowedAssets: [allowed] },
		...changes,
	});
}

t.test("clients of @x402/fetch pay on the local chain", { skip: withoutChain }, async (t) => {
	const { parts, payer, client } = await startLocalChain(t);
	const { terms, chain } = parts;
	const shop = await startApp(t, { onchain: parts, settings: { model: "none" } });
	const url = `${shop.baseUrl}${PATH}`;
	const balanceOf = (address: Hex) => chain?.balanceOf(terms, address);
	/** The transfer of a transaction, as the chain reports it. */
	const movedBy = async (hash: string) => {
		const receipt = await client.reader.getTransactionReceipt({ hash: hash as Hex });
		const log = receipt.logs.at(-1);
		return { status: receipt.status, value: BigInt(log?.data ?? "0x0") };
	};

	await t.test(
		"a search is paid, answered and receipted by the transaction that moved the money",
		async (t) => {
			const response = await payingFetch(payer, terms.asset)(url, POST);
			t.equal(response.status, 200);
			const { rows, meta } = (await response.json()) as { rows: unknown[]; meta: { cost: object } };
			t.ok(rows.length > 0);
			t.match(meta.cost, { amount_usd: "0.50", rail: "x402", charged: true });
			const receipt = decodePaymentResponseHeader(response.headers.get("PAYMENT-RESPONSE") ?? "");
			t.match(receipt, { success: true, network: "eip155:84532" });
			t.equal(receipt.payer?.toLowerCase(), payer.address.toLowerCase());
			t.same(await movedBy(receipt.transaction), { status: "success", value: 500_000n });
			t.equal(await balanceOf(payer.address), 99_500_000n);
			t.equal(await balanceOf(terms.payTo), 500_000n);
		},
	);

	await t.test("twenty searches at once are each paid in a transaction of their own", async (t) => {
		const pay = payingFetch(payer, terms.asset);
		const responses = await Promise.all(times(20, () => pay(url, POST)));
		t.same(
			responses.filter(({ status }) => status !== 200),
			[],
		);
		const hashes = responses.map(
			({ headers }) =>
				decodePaymentResponseHeader(headers.get("PAYMENT-RESPONSE") ?? "").transaction,
		);
		t.equal(new Set(hashes).size, 20);
		t.equal(await balanceOf(terms.payTo), 10_500_000n);
		t.equal(await sumOfAllEntries(shop.app), 0n);
	});

	await t.test("the scheme of version 1 pays the same route", async (t) => {
		const bodyOnly: typeof fetch = async (input, init) => {
			const response = await fetch(input, init);
			const headers = new Headers(response.headers);
			// A server of version 1 has no such header.
			headers.delete("PAYMENT-REQUIRED");
			return new Response(response.body, { status: response.status, headers });
		};
		const v1 = wrapFetchWithPaymentFromConfig(bodyOnly, {
			schemes: [
				{ network: "base-sepolia" as never, client: new ExactEvmSchemeV1(payer), x402Version: 1 },
			],
			spendControls: { allowedAssets: true },
		});
		const response = await v1(url, POST);
		t.equal(response.status, 200);
		t.ok(response.headers.get("X-PAYMENT-RESPONSE"));
		t.equal(await balanceOf(terms.payTo), 11_000_000n);
	});

	await t.test("a wallet without money is refused as such, and nothing is delivered", async (t) => {
		const poor = payingFetch(createWallet(), terms.asset);
		const response = await poor(url, POST);
		t.equal(response.status, 402);
		t.match(await response.json(), { error: { code: "PAYMENT_REJECTED" } });
		t.equal(await balanceOf(terms.payTo), 11_000_000n);
	});

	await t.test("a wallet that does not know the token does not pay with it", async (t) => {
		const careful = payingFetch(payer, terms.asset, { spendControls: {} });
		await t.rejects(careful(url, POST), /spend|asset|allowed/i);
	});
});

t.test("a chain of two-second blocks is paid on", { skip: withoutChain }, async (t) => {
	const { parts, payer } = await startLocalChain(t, { blockTimeSeconds: 2 });
	const shop = await startApp(t, { onchain: parts, settings: { model: "none" } });
	const response = await payingFetch(payer, parts.terms.asset)(`${shop.baseUrl}${PATH}`, POST);
	t.equal(response.status, 200);
});
