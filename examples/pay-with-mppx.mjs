#!/usr/bin/env node
// An agent that has only a wallet pays for one search by MPP, with mppx.
// Usage: node examples/pay-with-mppx.mjs <base url> <file with {"private_key": "0x…"}>
import { readFileSync } from "node:fs";
import { Receipt } from "mppx";
import { evm, Mppx } from "mppx/client";
import { privateKeyToAccount } from "viem/accounts";

const [baseUrl = "http://127.0.0.1:8402", walletFile = ".tollgraph/keys/demo-wallet.json"] =
	process.argv.slice(2);
const { private_key } = JSON.parse(readFileSync(walletFile, "utf8"));

// mppx knows the USDC of Base and Celo by address. Of any other token it must be told what its signatures are made over,
// which the 402 says in x402's form, and on which chain it may pay, and how much.
const { items } = await (await fetch(`${baseUrl}/.well-known/x402`)).json();
const [{ network, asset, extra }] = items[0].accepts.v2;
const chainId = Number(network.split(":")[1]);
const { fetch: pay } = Mppx.create({
	polyfill: false,
	methods: [
		evm({
			account: privateKeyToAccount(private_key),
			authorization: { name: extra.name, version: extra.version },
			currencies: [asset],
			networks: [chainId],
			maxAtomicAmount: "1000000",
		}),
	],
});

const response = await pay(`${baseUrl}/v1/graphs/agent-payments/search`, {
	method: "POST",
	headers: { "Content-Type": "application/json" },
	body: JSON.stringify({ query: "Which HTTP status code asks for payment?", limit: 1 }),
});
const { rows, meta, error } = await response.json();
if (error) throw new Error(error.message);
const [{ name, evidence }] = rows;
const { reference } = Receipt.fromResponse(response);
process.stdout.write(
	`${name} (${evidence[0].source_url}): ${meta.cost.amount_usd} USD by ${meta.cost.rail}\nsettled in ${reference}\n`,
);
