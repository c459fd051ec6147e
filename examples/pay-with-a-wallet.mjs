#!/usr/bin/env node
// An agent that has only a wallet: it pays for one search by x402, buys a token, and pays on from that token.
// Usage: node examples/pay-with-a-wallet.mjs <base url> <file with {"private_key": "0x…"}>
import { readFileSync } from "node:fs";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const [baseUrl = "http://127.0.0.1:8402", walletFile = ".tollgraph/keys/demo-wallet.json"] =
	process.argv.slice(2);
const { private_key } = JSON.parse(readFileSync(walletFile, "utf8"));
const wallet = privateKeyToAccount(private_key);

// What the server asks for is no token this client knows by name, so the agent says itself what it is willing to pay.
const { items } = await (await fetch(`${baseUrl}/.well-known/x402`)).json();
const [{ network, asset }] = items[0].accepts.v2;
const pay = wrapFetchWithPaymentFromConfig(fetch, {
	schemes: [{ network, client: new ExactEvmScheme(wallet) }],
	spendControls: { allowedAssets: [{ network, asset, maxAmountPerPayment: "5000000" }] },
});

const say = (line) => process.stdout.write(`${line}\n`);
const ask = (send, query, headers = {}) =>
	send(`${baseUrl}/v1/graphs/agent-payments/search`, {
		method: "POST",
		headers: { "Content-Type": "application/json", ...headers },
		body: JSON.stringify({ query, limit: 1 }),
	});
const tell = async (response) => {
	const { rows, meta, error } = await response.json();
	if (error) throw new Error(error.message);
	const [{ name, evidence }] = rows;
	say(`${name} (${evidence[0].source_url}): ${meta.cost.amount_usd} USD by ${meta.cost.rail}`);
};

const paid = await ask(pay, "Which HTTP status code asks for payment?");
await tell(paid);
say(`settled in ${decodePaymentResponseHeader(paid.headers.get("PAYMENT-RESPONSE")).transaction}`);

const bought = await pay(`${baseUrl}/v1/spt`, {
	method: "POST",
	headers: { "Content-Type": "application/json" },
	body: JSON.stringify({ amount_usd: "3" }),
});
const { data } = await bought.json();
say(`bought ${data.id} with ${data.balance_usd} USD`);
for (const query of [
	"What is a payment facilitator?",
	"How is a payment authorized by a signature?",
]) {
	await tell(await ask(fetch, query, { "X-Pay-SPT": data.token }));
}
