import { type Task, TaskState } from "@a2a-js/sdk";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import t, { type Test } from "tap";
import { X402_EXTENSION_URI } from "../../agent-card/build-agent-card.js";
import {
	createWallet,
	type LocalChain,
	startLocalChain,
	withoutChain,
} from "../payments/chain/local-chain.js";
import { KNOWN_QUERY, startApp, sumOfAllEntries, type TestApp } from "../support/start-app.js";
import { bodyOf, connect, send, textMessage } from "./stock-client.js";
import {
	connectPaying,
	EVERY_WAY,
	ON_LOOPBACK,
	payment,
	paymentMessage,
	stream,
} from "./x402-agent.js";

/** All this agent has is a wallet; it signs what is demanded, in whichever version of x402. */
function createAgentWallet({ payer }: LocalChain): x402Client {
	const wallet = x402Client.fromConfig({
		schemes: [{ network: "eip155:84532", client: new ExactEvmScheme(payer) }],
		// The local token is no asset the client knows a price of.
		spendControls: false,
	});
	return wallet.registerV1("base-sepolia", new ExactEvmSchemeV1(payer));
}

t.test("an agent with only a wallet", { skip: withoutChain }, async (t) => {
	const chain = await startLocalChain(t);
	const shop = await startApp(t, {
		onchain: chain.parts,
		settings: { model: "none", grpc: ON_LOOPBACK },
	});
	const { app, baseUrl } = shop;
	const wallet = createAgentWallet(chain);
	const holds = (address: `0x${string}`) =>
		chain.parts.chain?.balanceOf(chain.parts.terms, address) ?? 0n;
	const payFor = async (asked: Task) =>
		paymentMessage(asked, await wallet.createPaymentPayload(payment(asked.status).required));

	await t.test("reads the card and ends with a cited answer, in every way in", async (t) => {
		for (const way of EVERY_WAY) {
			const before = [await holds(chain.payer.address), await holds(chain.parts.terms.payTo)];
			const client = await connectPaying(baseUrl, way);
			const { capabilities } = await client.getAgentCard();
			const declared = capabilities?.extensions.find(({ uri }) => uri === X402_EXTENSION_URI);
			t.match(declared, { required: false, params: { network: "eip155:84532" } });
			const asked = await send(client, textMessage(KNOWN_QUERY));
			const done = await send(client, await payFor(asked));
			t.equal(done.status?.state, TaskState.TASK_STATE_COMPLETED, `${way.binding} ${way.version}`);
			t.match(bodyOf(done).data.sources[0].source_url, /^https?:/, "cited");
			const [{ transaction }] = payment(done.status).receipts;
			const receipt = await chain.client.reader.getTransactionReceipt({ hash: transaction });
			t.equal(receipt.status, "success");
			const after = [await holds(chain.payer.address), await holds(chain.parts.terms.payTo)];
			t.same(
				after.map((held, index) => held - (before[index] ?? 0n)),
				[-500_000n, 500_000n],
				"its transaction moved the balances",
			);
		}
		t.equal(await sumOfAllEntries(app), 0n);
	});

	await t.test("pays for a stream, and pays once however often it sends the payment", async (t) => {
		const [way] = EVERY_WAY;
		if (!way) return;
		const client = await connectPaying(baseUrl, way);
		const [first] = await stream(client, textMessage(KNOWN_QUERY));
		if (first?.payload?.$case !== "task") throw new Error("The first event is no task.");
		const before = await holds(chain.payer.address);
		const message = await payFor(first.payload.value);
		const events = await Promise.all(Array.from({ length: 10 }, () => stream(client, message)));
		t.equal(events.filter((each) => each.length === 4).length, 1, "one of them saw the work");
		t.equal(events.filter((each) => each.length === 1).length, 9, "the others got its task");
		t.equal(before - (await holds(chain.payer.address)), 500_000n);
	});

	await t.test("learns why a payment fails, by the code of the extension", async (t) => {
		const [way] = EVERY_WAY;
		if (!way) return;
		const client = await connectPaying(baseUrl, way);
		for (const [code, payload] of await badPayments(chain, wallet, () =>
			send(client, textMessage(KNOWN_QUERY)),
		)) {
			const asked = await send(client, textMessage(KNOWN_QUERY));
			const failed = await send(client, paymentMessage(asked, payload));
			t.match(payment(failed.status), { status: "payment-failed", error: code });
			t.same(failed.artifacts, []);
		}
	});

	await t.test("needs no extension when its fetch pays", (t) => payByFetch(t, { shop, wallet }));
});

type Codes = readonly (readonly [string, unknown])[];

/** Real signatures over transfers that must not settle. */
async function badPayments(
	chain: LocalChain,
	wallet: x402Client,
	ask: () => Promise<Task>,
): Promise<Codes> {
	const good = await wallet.createPaymentPayload(payment((await ask()).status).required);
	const sign = async (changes: Parameters<LocalChain["sign"]>[0]) => {
		const { signature, ...authorization } = await chain.sign(changes);
		const texts = Object.entries(authorization).map(([key, value]) => [key, String(value)]);
		return { ...good, payload: { signature, authorization: Object.fromEntries(texts) } };
	};
	const used = await chain.sign();
	await chain.parts.facilitator.settle(chain.parts.terms, used, { onBroadcast: async () => {} });
	const now = Math.floor(Date.now() / 1_000);
	const poor = createWallet();
	return [
		["INSUFFICIENT_FUNDS", await sign({ by: poor, from: poor.address })],
		["INVALID_SIGNATURE", await sign({ domain: { name: "another token" } })],
		["EXPIRED_PAYMENT", await sign({ validBefore: now - 1 })],
		["INVALID_AMOUNT", await sign({ value: 1n })],
		["DUPLICATE_NONCE", await sign({ nonce: used.nonce })],
		["NETWORK_MISMATCH", { ...good, accepted: { ...good.accepted, network: "eip155:1" } }],
	];
}

async function payByFetch(
	t: Test,
	{ shop, wallet }: { shop: TestApp; wallet: x402Client },
): Promise<void> {
	const paying = wrapFetchWithPayment(fetch, wallet);
	for (const way of EVERY_WAY.filter(({ binding }) => binding === "JSONRPC")) {
		const client = await connect({ baseUrl: shop.baseUrl, ...way, fetch: paying });
		const done = await send(client, textMessage(KNOWN_QUERY));
		t.equal(done.status?.state, TaskState.TASK_STATE_COMPLETED, `${way.binding} ${way.version}`);
		t.equal(bodyOf(done).meta.cost.rail, "x402");
		const events = await stream(client, textMessage(KNOWN_QUERY));
		t.equal(events.at(-1)?.payload?.$case, "statusUpdate");
	}
}
