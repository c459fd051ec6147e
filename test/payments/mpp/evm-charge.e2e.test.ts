import { Challenge, Credential, Receipt } from "mppx";
import { evm, Mppx } from "mppx/client";
import t from "tap";
import type { Account } from "viem";
import type { Hex } from "../../../payments/onchain/facilitator.js";
import { manualClock } from "../../support/manual-clock.js";
import { createSimChain, digest, signatureOf } from "../../support/sim-chain.js";
import { createSimFacilitator, type FacilitatorKind } from "../../support/sim-facilitator.js";
import {
	type Answer,
	KNOWN_QUERY,
	startApp,
	sumOfAllEntries,
	type TestApp,
} from "../../support/start-app.js";
import { times } from "../../support/times.js";

const PATH = "/v1/graphs/agent-payments/search";
const POST = {
	method: "POST",
	headers: { "Content-Type": "application/json" },
	body: JSON.stringify({ query: KNOWN_QUERY, limit: 3 }),
};

const clock = manualClock(new Date().toISOString());
const chain = createSimChain({ now: clock.now });
const { terms } = chain;
const facilitator = createSimFacilitator({ chain, clock });
const onchain = { terms, facilitator, chain, close: async () => undefined };
const app = await startApp(t, { clock, settings: { model: "none" }, onchain });

/** A client of mppx whose wallet lies on the simulated chain, with 100 USDC. */
const clientOf = (name: string) => {
	const address = digest(`wallet ${name}`).slice(0, 42) as Hex;
	chain.mint(address, 100_000_000n);
	const account = {
		address,
		signTypedData: async ({ message }: { message: Parameters<typeof signatureOf>[0] }) =>
			signatureOf(message),
	} as unknown as Account;
	const authorization = { name: terms.assetName, version: terms.assetVersion };
	const { fetch, createCredential } = Mppx.create({
		polyfill: false,
		methods: [evm({ account, authorization, maxAtomicAmount: "500000" })],
	});
	return {
		address,
		fetch,
		/** The header that pays for one request, without sending it. */
		sign: async (path = PATH) =>
			createCredential(await globalThis.fetch(`${app.baseUrl}${path}`, POST)),
		balance: () => chain.balanceOf(terms, address),
	};
};

const sendAs = (authorization: string, call: Parameters<TestApp["search"]>[0] = {}) =>
	app.search({ ...call, headers: { Authorization: authorization } });

const receiptOf = ({ headers }: Answer) =>
	Receipt.deserialize(headers.get("Payment-Receipt") ?? "");

t.test(
	"a client of mppx pays a search with its wallet and gets a receipt of the transaction",
	async (t) => {
		const wallet = clientOf("a");
		const response = await wallet.fetch(`${app.baseUrl}${PATH}`, POST);

		t.equal(response.status, 200);
		const { meta, rows } = (await response.json()) as { meta: { cost: object }; rows: unknown[] };
		t.ok(rows.length > 0);
		t.match(meta.cost, { amount_usd: "0.50", rail: "mpp", charged: true });
		const [transaction] = chain.transactions.filter(({ from }) => from === wallet.address);
		t.match(Receipt.fromResponse(response), {
			method: "evm",
			status: "success",
			reference: transaction?.hash,
			chainId: 84532,
		});
		t.notOk(response.headers.has("PAYMENT-RESPONSE"), "each protocol has its own receipt");
		t.equal(await wallet.balance(), 99_500_000n);
		t.equal(await sumOfAllEntries(app.app), 0n);
	},
);

t.test("one 402 carries the challenges of every scheme, in a list that mppx reads", async (t) => {
	const response = await fetch(`${app.baseUrl}${PATH}`, POST);
	t.equal(response.status, 402);
	t.ok(response.headers.has("PAYMENT-REQUIRED"));
	t.match(response.headers.get("WWW-Authenticate"), /, Bearer realm="tollgraph"$/);
	t.same(
		Challenge.fromResponseList(response).map(({ method, intent }) => `${method}/${intent}`),
		["evm/charge", "tollgraph/charge"],
	);
	const { hostname } = new URL(app.baseUrl);
	for (const { realm } of Challenge.fromResponseList(response)) t.equal(realm, hostname);
	const { continuations } = (await response.json()) as { continuations: { type: string }[] };
	t.match(
		continuations.find(({ type }) => type === "mpp"),
		{ method: "evm", network: terms.network, asset: terms.asset, amount_usd: "0.50" },
	);
});

t.test("a challenge that is changed, expired or of another request buys nothing", async (t) => {
	const wallet = clientOf("b");
	const own = await wallet.sign();
	const change = (changes: object) => {
		const { challenge, payload } = Credential.deserialize(own);
		return Credential.serialize(
			Credential.from({ challenge: { ...challenge, ...changes }, payload }),
		);
	};
	const refuses = async (
		authorization: string,
		message: RegExp,
		call: Parameters<TestApp["search"]>[0] = {},
	) => {
		const answer = await sendAs(authorization, call);
		t.equal(answer.status, 402, String(message));
		t.match(answer.body.error, { code: "PAYMENT_REJECTED", message });
		t.notOk(answer.headers.has("Payment-Receipt"), "no receipt without a payment");
		t.ok(answer.headers.get("WWW-Authenticate")?.startsWith("Payment "), "a new challenge");
	};

	await refuses(change({ id: "A".repeat(43) }), /not issued/);
	await refuses(change({ expires: "2030-01-01T00:00:00Z" }), /changed/);
	await refuses(change({ opaque: "e30" }), /changed/);
	await refuses(own, /another request/, { graph: "agent-protocols" });
	await refuses(own, /another request/, { body: { query: "something else", limit: 3 } });
	await refuses(await wallet.sign("/v1/search/domain"), /another request/);
	clock.advance(300_000);
	await refuses(own, /expired/);
	t.equal(await wallet.balance(), 100_000_000n);
	t.equal((await sendAs(await wallet.sign())).status, 200);
});

t.test("a payment that has bought its answer buys no other", async (t) => {
	const wallet = clientOf("c");
	const authorization = await wallet.sign();
	const first = await sendAs(authorization);
	t.equal(first.status, 200);
	const again = await sendAs(authorization);
	t.match(again, { status: 402, body: { error: { code: "PAYMENT_ALREADY_USED" } } });
	t.notOk(again.headers.has("Payment-Receipt"), "errors carry no receipt");
	t.equal(await wallet.balance(), 99_500_000n);
	t.match(receiptOf(first), { status: "success" });
});

const KINDS: FacilitatorKind[] = ["strict", "idempotent", "slow"];
for (const kind of KINDS) {
	t.test(
		`100 copies of one payment are one delivery with a facilitator that is ${kind}`,
		async (t) => {
			facilitator.behavior = kind;
			t.teardown(() => {
				facilitator.behavior = "strict";
			});
			const wallet = clientOf(kind);
			const authorization = await wallet.sign();

			const answers = await Promise.all(times(100, () => sendAs(authorization)));

			const served = answers.filter(({ status }) => status === 200);
			t.equal(new Set(served.map(({ body }) => body.meta.cost.receipt_id)).size, 1);
			t.equal(served.filter(({ body }) => !body.meta.cost.replayed).length, 1);
			t.equal(await wallet.balance(), 99_500_000n);
			for (const { status } of answers) t.ok([200, 402, 409].includes(status), String(status));
		},
	);
}

t.test("twenty calls at once with one wallet are twenty payments", async (t) => {
	const wallet = clientOf("d");
	const answers = await Promise.all(times(20, () => wallet.fetch(`${app.baseUrl}${PATH}`, POST)));
	t.same([...new Set(answers.map(({ status }) => status))], [200]);
	t.equal(await wallet.balance(), 90_000_000n);
});
