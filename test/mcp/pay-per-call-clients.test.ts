import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import Ajv from "ajv/dist/2020.js";
import { Credential } from "mppx";
import { evm } from "mppx/client";
import { McpClient } from "mppx/mcp/client";
import t, { type Test } from "tap";
import type { Account } from "viem";
import type { Hex } from "../../payments/onchain/facilitator.js";
import { prepaidMethod } from "../support/prepaid-method.js";
import { digest, signatureOf } from "../support/sim-chain.js";
import { sumOfAllEntries } from "../support/start-app.js";
import { times } from "../support/times.js";
import { CLIENTS, connectMcp } from "./mcp-clients.js";
import { SEARCH, startPaidMcp } from "./start-paid-mcp.js";

const shop = await startPaidMcp(t);
const { chain } = shop;
const { terms } = chain;
const CALL = { name: "search_graph", arguments: SEARCH };

/** An account as viem gives to clients; its keys lie on the simulated chain, with 50 USDC. */
function accountOf(name: string) {
	const address = digest(`wallet ${name}`).slice(0, 42) as Hex;
	chain.mint(address, 50_000_000n);
	const signTypedData = async ({ message }: { message: Parameters<typeof signatureOf>[0] }) =>
		signatureOf(message);
	return { address, signTypedData };
}

async function connect(t: Test): Promise<Client> {
	const client = new Client({ name: "paying-agent", version: "1.0.0" });
	await client.connect(new StreamableHTTPClientTransport(new URL(`${shop.baseUrl}/mcp`)) as never);
	t.teardown(() => client.close());
	return client;
}

type Told = { readonly isError?: boolean; readonly receipt?: object; readonly _meta?: object };
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
const bodyOf = (result: object): any =>
	(result as { structuredContent?: unknown }).structuredContent;

const mppMethods = (account: ReturnType<typeof accountOf>, maxAtomicAmount = "500000") => [
	evm({
		account: account as unknown as Account,
		authorization: { name: terms.assetName, version: terms.assetVersion },
		maxAtomicAmount,
	}),
];

t.test("a client of mppx pays a tool with its wallet, once the tool has asked", async (t) => {
	const account = accountOf("mppx");
	const client = McpClient.wrap(await connect(t), { methods: mppMethods(account) });
	const { tools } = await client.listTools();
	t.ok(tools.length > 20, "lists are free");
	const result = (await client.callTool(CALL)) as Told;
	t.notOk(result.isError);
	t.ok(bodyOf(result).rows.length > 0);
	t.match(bodyOf(result).meta.cost, { amount_usd: "0.50", rail: "mpp", charged: true });
	t.match(result.receipt, {
		method: "evm",
		status: "success",
		reference: chain.transactions.find(({ from }) => from === account.address)?.hash,
		challengeId: String,
	});
	t.notOk("x402/payment-response" in (result._meta ?? {}), "each protocol has its own receipt");
	t.equal(await chain.balanceOf(terms, account.address), 49_500_000n);
});

t.test("a client of mppx whose owner allows less is not charged", async (t) => {
	const account = accountOf("careful");
	const client = McpClient.wrap(await connect(t), { methods: mppMethods(account, "499999") });
	await t.rejects(client.callTool(CALL));
	t.equal(await chain.balanceOf(terms, account.address), 50_000_000n);
});

t.test("a credential of mppx buys the answer it was made for, once", async (t) => {
	const account = accountOf("replays");
	let credential: unknown;
	const client = await connect(t);
	const { callTool } = client;
	client.callTool = (async (params: { _meta?: Record<string, unknown> }, ...more: never[]) => {
		credential = params._meta?.["org.paymentauth/credential"];
		return callTool.call(client, params as never, ...more);
	}) as never;
	await McpClient.wrap(client, { methods: mppMethods(account) }).callTool(CALL);
	t.ok(credential);
	const meta = { "org.paymentauth/credential": credential };
	const answers = await Promise.all(times(20, () => shop.call({ meta })));
	for (const { refusal } of answers) {
		t.match(refusal.error.code, /^(IDEMPOTENCY_IN_FLIGHT|PAYMENT_ALREADY_USED)$/);
	}
	const other = await shop.call({ meta, args: { ...SEARCH, limit: 2 } });
	t.match(other.refusal.error.code, /^PAYMENT_(ALREADY_USED|REJECTED)$/);
	t.equal(await chain.balanceOf(terms, account.address), 49_500_000n);
});

t.test("a challenge for one question buys no other", async (t) => {
	const [method] = mppMethods(accountOf("elsewhere")).flat();
	const { result } = await shop.call({});
	const [challenge] = result._meta["org.paymentauth/payment-required"].challenges;
	const signed = await method?.createCredential({ challenge } as never);
	const meta = { "org.paymentauth/credential": Credential.deserialize(signed as string) };
	const other = await shop.call({ meta, args: { ...SEARCH, query: "What is a facilitator?" } });
	t.match(other.refusal.error, { code: "PAYMENT_REJECTED", message: /another request/ });
	const { challenges } = other.result._meta["org.paymentauth/payment-required"];
	t.not(challenges[0].id, challenge.id, "a new challenge comes with the refusal");
	t.notOk((await shop.call({ meta })).result.isError, "and is good where it was made for");
});

t.test("a prepaid balance answers the same demand, without a chain", async (t) => {
	const { token, id } = await shop.issueSpt("1.00");
	const client = McpClient.wrap(await connect(t), { methods: [prepaidMethod(token)] });
	const result = (await client.callTool(CALL)) as Told;
	t.match(bodyOf(result).meta.cost, { rail: "spt", balance_after_usd: "0.50" });
	t.match(result.receipt, { method: "tollgraph", reference: bodyOf(result).meta.cost.receipt_id });
	const balance = await shop.app.store.read((reader) => reader.balance(`cust:${id}`));
	t.equal(balance, 500_000n);
});

for (const name of CLIENTS) {
	t.test(
		`the demand passes the tools' output schemas, which ${name} holds it against`,
		async (t) => {
			const client = await connectMcp(t, name, { url: `${shop.baseUrl}/mcp` });
			const { tools } = await client.listTools();
			const asked = await client.callTool(CALL);
			t.equal(asked.isError, true);
			const { structuredContent: demand } = asked;
			t.match(demand, { x402Version: 2, accepts: [{ scheme: "exact", amount: "500000" }] });
			t.same(JSON.parse(asked.content[0]?.text ?? ""), demand);
			const ajv = new Ajv.Ajv2020({ strict: false });
			for (const { name, description, outputSchema } of tools) {
				if (description?.endsWith(" Free.")) continue;
				t.ok(ajv.validate(outputSchema as object, demand), `${name}: ${ajv.errorsText()}`);
			}
		},
	);

	t.test(`what @x402/core signs for a demand pays, sent by ${name}`, async (t) => {
		const account = accountOf(`x402 with ${name}`);
		const { asset } = terms;
		const network = terms.network as "eip155:84532";
		const payer = new x402Client().register(network, new ExactEvmScheme(account as never));
		payer.setSpendControls({
			allowedAssets: [{ network, asset, maxAmountPerPayment: "1000000" }],
		});
		const client = await connectMcp(t, name, { url: `${shop.baseUrl}/mcp` });
		const asked = await client.callTool(CALL);
		t.equal(asked.isError, true);
		const payload = await payer.createPaymentPayload(JSON.parse(asked.content[0]?.text ?? ""));
		t.equal(payload.resource?.url, "mcp://tool/search_graph");
		const paid = await client.callTool({ ...CALL, _meta: { "x402/payment": payload } });
		t.ok(bodyOf(paid).rows.length > 0);
		const { _meta: meta } = paid as Told;
		t.match(meta, { "x402/payment-response": { success: true, network } });
		t.equal(await chain.balanceOf(terms, account.address), 49_500_000n);
		t.equal(await sumOfAllEntries(shop.app), 0n);
	});
}
