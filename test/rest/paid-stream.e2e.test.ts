import { getEventListeners } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import t, { type Test } from "tap";
import { z } from "zod";
import type { OnchainParts } from "../../payments/x402/onchain-parts.js";
import { systemClock } from "../../src/core/clock.js";
import { createIds } from "../../src/core/ids.js";
import { systemRandom } from "../../src/core/random.js";
import type { Skill, SkillEvent } from "../../src/core/skill.js";
import { createErrorHandler } from "../../src/rest/error-handler.js";
import { createPaymentLimit } from "../../src/rest/handlers.js";
import { createRequestId } from "../../src/rest/request-id.js";
import { createStreamHandler } from "../../src/rest/stream-handler.js";
import { createInvokeStream } from "../../src/service/invoke-stream.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp, type TestApp } from "../support/start-app.js";

/** The pipeline for streams over a real till; what is sold is the given stream. */
async function startStream(
	t: Test,
	stream: NonNullable<Skill["stream"]>,
	options: { onchain?: OnchainParts } = {},
) {
	const settings = { catalog: "none", model: "none" } as const;
	const testApp = await startApp(t, { settings, ...options });
	const { service, money } = testApp.app;
	const skills = {
		...service.skills,
		domain_search: {
			...service.skills.domain_search,
			capture: "beforeFirstEvent" as const,
			stream,
		},
	};
	const clock = systemClock;
	const invokeStream = createInvokeStream({
		skills,
		cashier: money.cashier,
		recordUsage: () => undefined,
		clock,
	});
	const ids = createIds({ clock, random: systemRandom });
	const server = createServer(
		express()
			.use(createRequestId(ids))
			.get(
				"/stream",
				createStreamHandler(
					{
						invokeStream,
						clock,
						baseUrl: () => "http://localhost",
						timeoutMs: 30_000,
						limitPayments: createPaymentLimit(clock, 20),
					},
					{
						skillId: "domain_search",
						path: z.strictObject({}),
						query: z.strictObject({ query: z.string() }),
					},
				),
			)
			.use(createErrorHandler()),
	);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.teardown(() => server.closeAllConnections());
	t.teardown(() => server.close());
	const { port } = server.address() as AddressInfo;
	return { testApp, url: `http://127.0.0.1:${port}/stream?query=x` };
}

function open(
	url: string,
	token: string,
	headers: Readonly<Record<string, string>> = { "X-Pay-SPT": token },
): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		get(url, { headers, agent: false }, resolve).on("error", reject);
	});
}

/** The same, paid for on a simulated chain, by one wallet. */
async function startChainStream(t: Test, stream: NonNullable<Skill["stream"]>) {
	const { now } = systemClock;
	const chain = createSimChain({ now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const { testApp, url } = await startStream(t, stream, { onchain });
	const wallet = createSimWallet(chain, { name: "s", now, balance: 9_000_000n });
	const sign = () => wallet.v2(wallet.sign({ value: 500_000n }));
	const pay = (header: string, more: Readonly<Record<string, string>> = {}) =>
		open(url, "", { "PAYMENT-SIGNATURE": header, ...more });
	const states = () =>
		testApp.app.store.read(async (reader) =>
			(await reader.list("payments")).map(({ state }) => state),
		);
	return { testApp, facilitator, sign, pay, states };
}

/** Data of the last event. */
function lastData(text: string) {
	const line = text.split("\n").findLast((found) => found.startsWith("data: ")) ?? "";
	return JSON.parse(line.slice("data: ".length));
}

async function readText(response: IncomingMessage): Promise<string> {
	let text = "";
	for await (const chunk of response.setEncoding("utf8")) text += chunk;
	return text;
}

async function moneyOf({ app }: TestApp, tokenId: string) {
	return app.store.read(async (reader) => ({
		balance: await reader.balance(`cust:${tokenId}`),
		holds: (await reader.list("holds")).length,
	}));
}

const created: SkillEvent = { event: "research.created", data: { n: 0 } };
const evidence = (n: number): SkillEvent => ({
	event: "research.evidence",
	data: { n },
	isEvidence: true,
});

t.test(
	"the price is captured before the first event leaves, and events are not buffered",
	async (t) => {
		let finish = () => undefined as unknown;
		const { testApp, url } = await startStream(t, async function* () {
			yield created;
			yield evidence(1);
			await new Promise<void>((resolve) => {
				finish = resolve;
			});
			yield evidence(2);
		});
		const { token, id } = await testApp.issueSpt("1.00");
		const startedMs = performance.now();
		const response = await open(url, token);
		const first = await new Promise<string>((resolve) =>
			response.once("data", (chunk) => resolve(String(chunk))),
		);
		const firstMs = performance.now() - startedMs;
		t.comment(`the first event came after ${firstMs.toFixed(0)} ms; the work has not ended yet`);
		t.match(first, /id: 1\nevent: research.created\ndata: \{"n":0\}/);
		t.same(await moneyOf(testApp, id), { balance: 500_000n, holds: 0 });
		t.equal(response.headers["x-cost-usd"], "0.50");
		t.equal(response.headers["cache-control"], "private, no-store, no-transform");
		finish();
		t.match(
			await readText(response),
			/event: research.evidence\ndata: \{"n":2\}\n\nid: 4\nevent: research.usage\ndata: \{"cost":\{[^\n]+\n\n$/,
		);
	},
);

t.test(
	"a payer who leaves early is charged once and leaves no hold, no work and no listener",
	async (t) => {
		let ended = () => undefined as unknown;
		const workEnded = new Promise<void>((resolve) => {
			ended = resolve;
		});
		let listeners: (() => number) | undefined;
		const { testApp, url } = await startStream(t, async function* (_input, { signal }) {
			listeners = () => getEventListeners(signal, "abort").length;
			try {
				for (let n = 1; ; n += 1) {
					yield evidence(n);
					await new Promise((resolve) => setTimeout(resolve, 5));
				}
			} finally {
				ended();
			}
		});
		const { token, id } = await testApp.issueSpt("1.00");
		const response = await open(url, token);
		await new Promise((resolve) => response.once("data", resolve));
		response.destroy();
		await workEnded;
		await new Promise((resolve) => setTimeout(resolve, 20));
		t.same(await moneyOf(testApp, id), { balance: 500_000n, holds: 0 });
		t.equal(listeners?.(), 0);
	},
);

t.test("a payer who leaves before there is evidence pays nothing", async (t) => {
	let begun = () => undefined as unknown;
	const hasBegun = new Promise<void>((resolve) => {
		begun = resolve;
	});
	const { testApp, url } = await startStream(t, async function* () {
		yield created;
		begun();
		await new Promise((resolve) => setTimeout(resolve, 50));
		yield evidence(1);
	});
	const { token, id } = await testApp.issueSpt("1.00");
	const request = get(url, { headers: { "X-Pay-SPT": token }, agent: false });
	request.on("error", () => undefined);
	await hasBegun;
	request.destroy();
	await new Promise((resolve) => setTimeout(resolve, 120));
	t.same(await moneyOf(testApp, id), { balance: 1_000_000n, holds: 0 });
});

t.test("a stream that fails, or ends without evidence, costs nothing", async (t) => {
	const { testApp, url } = await startStream(t, async function* (input) {
		yield created;
		if ((input as { query: string }).query === "y") throw new Error("broken");
	});
	const { token, id } = await testApp.issueSpt("1.00");
	const silent = await open(url, token);
	t.equal(silent.statusCode, 200);
	t.equal(silent.headers["x-cost-usd"], "0.00");
	t.match(await readText(silent), /research.created/);
	const failed = await open(url.replace("query=x", "query=y"), token);
	t.equal(failed.statusCode, 500);
	t.notMatch(await readText(failed), /broken|research/);
	t.same(await moneyOf(testApp, id), { balance: 1_000_000n, holds: 0 });
});

t.test("without a credential a stream answers 402 and does not begin", async (t) => {
	let hasBegun = false;
	const { url } = await startStream(t, async function* () {
		hasBegun = true;
		yield evidence(1);
	});
	const response = await fetch(url);
	t.equal(response.status, 402);
	t.match(await response.json(), { error: { code: "PAYMENT_REQUIRED" } });
	t.equal(hasBegun, false);
});

t.test(
	"on a chain the money settles before the work, and is captured before the first event",
	async (t) => {
		let settledAtStart = -1;
		let finish = () => undefined as unknown;
		const stream = async function* () {
			settledAtStart = shop.facilitator.settled();
			yield evidence(1);
			await new Promise<void>((resolve) => {
				finish = resolve;
			});
			yield evidence(2);
		};
		const shop = await startChainStream(t, stream);
		const response = await shop.pay(shop.sign());
		await new Promise((resolve) => response.once("data", resolve));
		t.equal(settledAtStart, 1);
		t.same(await shop.states(), ["captured"]);
		t.ok(response.headers["payment-response"]);
		finish();
		t.match(lastData(await readText(response)), { cost: { amount_usd: "0.50", charged: true } });
		t.match(await shop.testApp.app.operator.verifyLedger(), { status: "ok", failures: [] });
	},
);

t.test("a stream without evidence ends with the credit for what had settled", async (t) => {
	const shop = await startChainStream(t, async function* () {
		yield created;
	});
	const text = await readText(await shop.pay(shop.sign()));
	t.match(text, /event: research.usage\ndata: [^\n]+\n\n$/);
	const { cost } = lastData(text);
	t.match(cost, { charged: false, credit: { balance_usd: "0.50", token: /^spt_test_/ } });
	t.same(await shop.states(), ["credited"]);
	t.match(await moneyOf(shop.testApp, cost.credit.id), { balance: 500_000n, holds: 0 });
});

t.test("a stream that is cut off is not worked for again, except with its retry key", async (t) => {
	let runs = 0;
	const { pay, sign, states } = await startChainStream(t, async function* (_input, { signal }) {
		runs += 1;
		for (let n = 1; !signal.aborted; n += 1) {
			yield evidence(n);
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	});
	const cutOff = async (response: IncomingMessage) => {
		if (response.statusCode === 200) await new Promise((resolve) => response.once("data", resolve));
		response.destroy();
		// What the connection tells is written without waiting for it.
		await new Promise((resolve) => setTimeout(resolve, 30));
		return response.statusCode;
	};
	const keyless = sign();
	const seen: unknown[] = [];
	for (let copy = 1; copy <= 4; copy += 1) seen.push(await cutOff(await pay(keyless)));
	t.same(seen, [200, 402, 402, 402]);
	t.equal(runs, 1);
	const keyed = sign();
	const key = { "Idempotency-Key": "again" };
	t.equal(await cutOff(await pay(keyed, key)), 200);
	t.equal(await cutOff(await pay(keyed, key)), 200);
	t.equal(await cutOff(await pay(keyed)), 402);
	t.same(await states(), ["captured", "captured"]);
});

t.test("one address cannot have payments checked without end", async (t) => {
	const { pay, sign } = await startChainStream(t, async function* () {
		yield evidence(1);
	});
	const copy = sign();
	const statuses: unknown[] = [];
	for (let sent = 0; sent < 22; sent += 1) {
		const response = await pay(copy);
		await readText(response);
		statuses.push(response.statusCode);
	}
	t.same(statuses.slice(0, 2), [200, 402]);
	t.equal(statuses.at(-1), 429);
});
