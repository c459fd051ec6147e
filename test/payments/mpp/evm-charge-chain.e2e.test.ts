import { Receipt } from "mppx";
import { evm, Mppx } from "mppx/client";
import t from "tap";
import { KNOWN_QUERY, startApp } from "../../support/start-app.js";
import { startLocalChain, withoutChain } from "../chain/local-chain.js";

t.test(
	"a client of mppx pays a search on a chain, and its receipt names the transaction that moved the money",
	{ skip: withoutChain },
	async (t) => {
		const { parts, payer, client } = await startLocalChain(t);
		const { terms, chain } = parts;
		const app = await startApp(t, { settings: { model: "none" }, onchain: parts });
		const { fetch } = Mppx.create({
			polyfill: false,
			methods: [
				evm({
					account: payer,
					authorization: { name: terms.assetName, version: terms.assetVersion },
					maxAtomicAmount: "500000",
					networks: [84_532],
				}),
			],
		});
		const before = await chain?.balanceOf(terms, terms.payTo);

		const response = await fetch(`${app.baseUrl}/v1/graphs/agent-payments/search`, {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ query: KNOWN_QUERY }),
		});

		t.equal(response.status, 200);
		t.match(await response.json(), { meta: { cost: { rail: "mpp", amount_usd: "0.50" } } });
		const { method, reference } = Receipt.fromResponse(response);
		t.equal(method, "evm");
		const { status, to } = await client.reader.getTransactionReceipt({
			hash: reference as `0x${string}`,
		});
		t.match(
			{ status, to: to?.toLowerCase() },
			{ status: "success", to: terms.asset.toLowerCase() },
		);
		t.equal(await chain?.balanceOf(terms, payer.address), 99_500_000n);
		t.equal(await chain?.balanceOf(terms, terms.payTo), (before ?? 0n) + 500_000n);
	},
);
