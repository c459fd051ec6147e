import { getEventListeners } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import t, { type Test } from "tap";
import { z } from "zod";
import { systemClock } from "../../src/core/clock.js";
import { createIds } from "../../src/core/ids.js";
import { systemRandom } from "../../src/core/random.js";
import type { Skill, SkillEvent } from "../../src/core/skill.js";
import { createErrorHandler } from "../../src/rest/error-handler.js";
import { createRequestId } from "../../src/rest/request-id.js";
import { createStreamHandler } from "../../src/rest/stream-handler.js";
import { createInvokeStream } from "../../src/service/invoke-stream.js";
import { startApp, type TestApp } from "../support/start-app.js";

/** The pipeline for streams over a real till; what is sold is the given stream. */
async function startStream(t: Test, stream: NonNullable<Skill["stream"]>) {
	const testApp = await startApp(t, { settings: { catalog: "none", model: "none" } });
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
					{ invokeStream, clock, baseUrl: () => "http://localhost", timeoutMs: 30_000 },
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

function open(url: string, token: string): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		get(url, { headers: { "X-Pay-SPT": token }, agent: false }, resolve).on("error", reject);
	});
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
		t.match(await readText(response), /event: research.evidence\ndata: \{"n":2\}\n\n$/);
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
