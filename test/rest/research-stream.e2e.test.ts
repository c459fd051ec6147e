import t from "tap";
import { isSupported } from "../../skills/answers/report/findings.js";
import { toCitedSentences } from "../../src/evidence/cited-sentences.js";
import { toTrendId } from "../../src/knowledge/model/graph.js";
import { openAccount, useFreeCalls } from "../auth/open-account.js";
import { manualClock } from "../support/manual-clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp, type TestApp } from "../support/start-app.js";
import { dataOf, moneyOf, readEvents } from "./start-stream.js";

const QUERY = "Which HTTP status code asks for payment?";
const path = (more: Readonly<Record<string, string>> = {}) =>
	`/v1/research/stream?${new URLSearchParams({ query: QUERY, ...more })}`;

let shared: Promise<TestApp> | undefined;

/** One shop, and for each test a token of its own. */
async function openShop() {
	shared ??= startApp(t, { settings: { model: "none" } });
	const shop = await shared;
	const { token, id } = await shop.issueSpt("9.00");
	const ask = (
		more: Readonly<Record<string, string>> = {},
		headers: Readonly<Record<string, string>> = {},
	) => shop.send(path(more), { headers: { "X-Pay-SPT": token, ...headers } });
	return { ...shop, token, tokenId: id, ask };
}

t.test(
	"a stream reports each step in order, with the numbers of its events, and ends once",
	async (t) => {
		const { ask, baseUrl, token, app } = await openShop();
		const startedMs = performance.now();
		const response = await fetch(`${baseUrl}${path()}`, { headers: { "X-Pay-SPT": token } });
		const reader = response.body?.getReader();
		await reader?.read();
		t.comment(`the first event came after ${(performance.now() - startedMs).toFixed(0)} ms`);
		await reader?.cancel();

		const reply = await ask({}, { "Accept-Encoding": "gzip" });
		t.equal(reply.headers.get("content-type"), "text/event-stream; charset=utf-8");
		t.equal(reply.headers.get("content-encoding"), null);
		t.equal(reply.headers.get("x-cost-usd"), "1.50");
		t.match(reply.body, /^retry: 3000\nid: 1\n/);
		const events = readEvents(reply.body);
		t.same(
			events.map(({ id }) => id),
			events.map((_, index) => index + 1),
		);
		const names = events.map(({ event }) => event.replace("research.", ""));
		t.match(
			names.join(" "),
			/^created plan search progress( evidence)+ progress( output.delta)+ progress output.done usage completed$/,
		);
		t.match(dataOf(reply.body, "research.completed"), { is_answered: true });
		t.match(dataOf(reply.body, "research.usage"), {
			cost: { amount_usd: "1.50", billing_type: "research_stream", charged: true },
		});

		const sentences = new Map(
			app.catalog
				.list()
				.flatMap((graph) =>
					graph.concepts.flatMap((concept) =>
						toCitedSentences(graph, concept).map(
							({ evidenceId, text }) =>
								[evidenceId, { text, trendId: toTrendId(graph.record.id, concept.id) }] as const,
						),
					),
				),
		);
		const evidence = events.filter(({ event }) => event === "research.evidence");
		for (const { data } of evidence) {
			t.equal(sentences.get(data.evidence_id)?.text, data.excerpt);
			t.equal(sentences.get(data.evidence_id)?.trendId, data.trend_id);
		}
		const { answer, citations } = dataOf(reply.body, "research.output.done");
		t.ok(answer.sentences.length > 1);
		for (const { text, citation_ids: ids } of answer.sentences) {
			const cited = ids.map((n: number) => evidence.find(({ data }) => data.n === n)?.data.excerpt);
			t.ok(isSupported(text, cited.join("\n")), text);
			t.ok(ids.every((n: number) => citations.some((one: { n: number }) => one.n === n)));
		}
	},
);

t.test("a caller who was cut off goes on behind the last event and pays no more", async (t) => {
	const { ask, app, tokenId, issueSpt, send } = await openShop();
	const { body: text } = await ask();
	const whole = readEvents(text);
	const { stream_id: streamId } = dataOf(text, "research.created");
	const last = whole.at(-1)?.id ?? 0;
	const paid = await moneyOf({ app } as TestApp, tokenId);
	t.equal(paid.balance, 7_500_000n);

	const rest = await ask({}, { "Last-Event-ID": "3" });
	t.same(readEvents(rest.body), whole.slice(3));
	t.same(readEvents((await ask({ after: "3" })).body), whole.slice(3));
	// The header is what a browser knows better than its address.
	t.same(readEvents((await ask({ after: "3" }, { "Last-Event-ID": "7" })).body), whole.slice(7));
	t.same(readEvents((await ask({ stream_id: streamId })).body), whole);
	t.equal((await ask({ after: String(last) })).status, 204);
	t.equal((await ask({ after: "999999" })).status, 204);

	const other = { headers: { "X-Pay-SPT": (await issueSpt("5.00")).token } };
	const foreign = await send(path({ after: "3" }), other);
	t.equal(foreign.status, 404);
	t.equal((await send(path({ stream_id: streamId }), other)).status, 404);
	t.equal((await send(path({ stream_id: streamId }))).status, 404);
	const noOne = await send(path({ stream_id: "str_01kg9yz3v0f6x2m8q4t7w1ab2c" }), other);
	t.equal(noOne.body.error.message, foreign.body.error.message);
	const unasked = await ask({ query: "Which signatures are typed?", after: "1" });
	t.equal(unasked.status, 404);
	for (const wrong of ["-1", "x", "1e3", ""]) {
		t.equal((await ask({ after: wrong })).status, 400, `after=${wrong}`);
	}
	t.equal((await ask({}, { "Last-Event-ID": "1, 2" })).status, 400);
	t.same(await moneyOf({ app } as TestApp, tokenId), paid);
});

t.test("a retry key begins one stream, however often it is sent", async (t) => {
	const { ask, app, tokenId } = await openShop();
	const key = { "Idempotency-Key": "once" };
	const first = await ask({}, key);
	const again = await ask({}, key);
	t.same(readEvents(again.body), readEvents(first.body));
	const onwards = await ask({ after: "5" }, key);
	t.same(readEvents(onwards.body), readEvents(first.body).slice(5));
	t.equal((await moneyOf({ app } as TestApp, tokenId)).balance, 7_500_000n);
	// Without it the same question is another call, and another stream.
	const anew = await ask();
	t.not(
		dataOf(anew.body, "research.created").stream_id,
		dataOf(first.body, "research.created").stream_id,
	);
	t.equal((await moneyOf({ app } as TestApp, tokenId)).balance, 6_000_000n);
});

t.test(
	"without evidence there is one end that says so, nothing to pay and nothing to resume",
	async (t) => {
		const { ask, app, tokenId } = await openShop();
		const reply = await ask({ query: "zzyzx quuxfrob" });
		const names = readEvents(reply.body).map(({ event }) => event);
		t.same(names, [
			"research.created",
			"research.plan",
			"research.search",
			"research.usage",
			"research.completed",
		]);
		t.match(dataOf(reply.body, "research.completed"), {
			is_answered: false,
			reason: /no evidence/,
		});
		t.match(dataOf(reply.body, "research.created"), { kept_until: null });
		t.equal(reply.headers.get("x-cost-usd"), "0.00");
		t.same(await moneyOf({ app } as TestApp, tokenId), { balance: 9_000_000n, holds: 0 });
		t.equal((await ask({ query: "zzyzx quuxfrob", after: "2" })).status, 404);
	},
);

t.test("what a wallet paid for is resumed by its id alone", async (t) => {
	const clock = manualClock("2026-11-22T12:00:00Z");
	const chain = createSimChain({ now: clock.now });
	const facilitator = createSimFacilitator({ chain, clock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const shop = await startApp(t, { settings: { model: "none" }, clock, onchain });
	const wallet = createSimWallet(chain, { name: "s", now: clock.now, balance: 9_000_000n });
	const headers = { "PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value: 1_500_000n })) };
	const bought = await shop.send(path(), { headers });
	t.equal(bought.status, 200);
	t.equal(facilitator.settled(), 1);
	const { stream_id: streamId } = dataOf(bought.body, "research.created");
	const resumed = await shop.send(path({ stream_id: streamId, after: "4" }));
	t.same(readEvents(resumed.body), readEvents(bought.body).slice(4));
	// A payment beside it is not looked at: going on buys nothing.
	const beside = await shop.send(path({ after: "4" }), { headers });
	t.equal(beside.status, 404);
	clock.advance(24 * 3_600_000);
	t.equal((await shop.send(path({ stream_id: streamId, after: "4" }))).status, 404);
});

t.test(
	"an account that keeps no text leaves no stream behind, and erasure takes them all",
	async (t) => {
		const shop = await openAccount(t, { usd: "9.00" });
		await useFreeCalls(shop);
		const whole = await shop.ask("GET", path());
		const { stream_id: streamId } = dataOf(whole.body, "research.created");
		t.equal((await shop.ask("GET", path({ after: "9" }))).status, 200);

		await shop.app.operator.setAccount({ account_id: shop.accountId, zero_retention: true });
		await shop.ask("PATCH", "/v1/account", { retention: "zero" });
		const query = "What does HTTP status code 402 mean?";
		const unkept = await shop.ask("GET", path({ query }));
		t.match(dataOf(unkept.body, "research.created"), { kept_until: null });
		t.match(dataOf(unkept.body, "research.completed"), { is_answered: true });
		t.equal((await shop.ask("GET", path({ query, after: "1" }))).status, 404);

		const erased = await shop.ask("DELETE", "/v1/account?confirm=6.00");
		t.equal(erased.status, 200);
		t.equal(await shop.app.store.documents.get(streamId), undefined);
		t.same(await shop.app.store.read((reader) => reader.list("streams")), []);
	},
);

t.test(
	"what was paid for survives a restart: the stream's events, and what a chat was about",
	async (t) => {
		const shop = await openAccount(t, { usd: "9.00" });
		await useFreeCalls(shop);
		const bought = await shop.ask("GET", path());
		const say = (message: string) => ({ sessionId: "s1", message });
		await shop.ask("POST", "/v1/research/chat", say("What is EIP-3009?"));
		await shop.close();

		const again = await startApp(t, {
			settings: { model: "none" },
			folder: shop.folder,
			clock: shop.clock,
		});
		const headers = { "X-API-Key": shop.key, "Content-Type": "application/json" };
		const resumed = await again.send(path({ after: "6" }), { headers });
		t.same(readEvents(resumed.body), readEvents(bought.body).slice(6));
		const body = JSON.stringify(say("And EIP-712?"));
		const next = await again.send("/v1/research/chat", { method: "POST", headers, body });
		t.match(next.body.data, { resolved_question: "What is EIP-712?", session: { turns: 2 } });
	},
);
