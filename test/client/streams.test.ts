import t from "tap";
import type { ServerEvent } from "../../client/src/index.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { openShop } from "./open-shop.js";

const INPUT = { query: KNOWN_QUERY };

async function readAll(stream: AsyncIterable<ServerEvent>): Promise<readonly ServerEvent[]> {
	const events: ServerEvent[] = [];
	for await (const event of stream) events.push(event);
	return events;
}

const names = (events: readonly ServerEvent[]) => events.map(({ event }) => event);

t.test("a stream tells its events in order, charged once before the first", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ maxPrice: "1.50", budget: { session: "2.00" } });
	const stream = client.stream("research.stream", INPUT);
	t.equal(stream.chargedUsd(), undefined);
	const events = await readAll(stream);
	t.same(
		events.map(({ id }) => id),
		events.map((_, index) => String(index + 1)),
	);
	t.equal(events[0]?.event, "research.created");
	t.equal(events.at(-1)?.event, "research.completed");
	t.equal(stream.chargedUsd(), "1.50");
	t.equal(client.spentUsd(), "1.50");
	t.equal(await shop.balance(), 7_500_000n);
	await t.rejects(readAll(stream), { code: "INVALID_ARGUMENT", message: /once/ });
	await t.rejects(readAll(client.stream("research.stream", INPUT)), { code: "BUDGET_EXCEEDED" });
});

t.test("a stream that breaks goes on behind its last event, and is charged once", async (t) => {
	const shop = await openShop(t);
	const whole = names(await readAll(shop.client().stream("research.stream", INPUT)));
	const cuts = ["event: research.search", "event: research.evidence", "research.output.delta"];
	shop.proxy.decide(({ path }) => {
		const behind = path.startsWith("/v1/research/stream") ? cuts.shift() : undefined;
		return behind === undefined ? undefined : { kind: "lose", behind };
	});
	const events = await readAll(shop.client().stream("research.stream", INPUT));
	t.same(names(events), whole, "each event once");
	const [, first, ...again] = shop.proxy.requests;
	t.equal(first?.headers["last-event-id"], undefined);
	t.equal(again.length, 3);
	for (const { path, headers } of again) {
		t.match(path, /stream_id=str_/);
		t.match(headers["last-event-id"], /^\d+$/);
	}
	t.equal(await shop.balance(), 6_000_000n, "two streams");
});

t.test("a stream that breaks before its first event is begun again under its key", async (t) => {
	const shop = await openShop(t);
	let left = 1;
	shop.proxy.decide(() => {
		left -= 1;
		return left >= 0 ? { kind: "lose", behind: "retry" } : undefined;
	});
	const events = await readAll(shop.client().stream("research.stream", INPUT));
	t.equal(events.at(-1)?.event, "research.completed");
	const keys = shop.proxy.requests.map(({ headers }) => headers["idempotency-key"]);
	t.equal(keys.length, 2);
	t.equal(new Set(keys).size, 1);
	t.equal(await shop.balance(), 7_500_000n);
});

t.test("a stream without evidence costs nothing", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ budget: { session: "2.00" } });
	const events = await readAll(client.stream("research.stream", { query: "zxqvbn wqpfkj" }));
	t.match(events.at(-1), { event: "research.completed", data: { is_answered: false } });
	t.equal(client.spentUsd(), "0.00");
	t.equal(await shop.balance(), 9_000_000n);
});

t.test("a conversation streams, too", async (t) => {
	const shop = await openShop(t);
	const events = await readAll(
		shop.client().stream("research.chat.stream", { sessionId: "talk-1", message: KNOWN_QUERY }),
	);
	t.equal(events.at(-1)?.event, "research.completed");
	t.equal(await shop.balance(), 7_500_000n);
});

t.test("a stream that is left or aborted reads no more", async (t) => {
	const shop = await openShop(t);
	const client = shop.client();
	for await (const { event } of client.stream("research.stream", INPUT)) {
		t.equal(event, "research.created");
		break;
	}
	const leaving = new AbortController();
	const { signal } = leaving;
	const read = async () => {
		for await (const { event } of client.stream("research.stream", INPUT, { signal })) {
			if (event === "research.plan") leaving.abort();
		}
	};
	await t.rejects(read(), { code: "ABORTED" });
	t.equal(shop.proxy.requests.length, 2, "it is not resumed");
	await t.rejects(readAll(client.stream("research.stream", INPUT, { signal })), {
		code: "ABORTED",
	});
});

t.test("a stream that breaks for good, or says what is no event, ends in an error", async (t) => {
	const shop = await openShop(t);
	const sse = { "Content-Type": "text/event-stream" };
	const answer = (body: string) => ({ kind: "answer", status: 200, headers: sse, body }) as const;
	const cases: readonly (readonly [string, string])[] = [
		["", "NETWORK"],
		[": still here\n\n", "NETWORK"],
		["id: 1\nevent: x\ndata: {\n\n", "INVALID_REPLY"],
		["event: x\ndata: {}\n\n", "INVALID_REPLY"],
		["id: one\nevent: x\ndata: {}\n\n", "INVALID_REPLY"],
		["id: 1\nevent: x\ndata: []\n\n", "INVALID_REPLY"],
		[`data: ${"x".repeat(4_100_000)}`, "INVALID_REPLY"],
	];
	for (const [body, code] of cases) {
		shop.proxy.decide(() => answer(body));
		await t.rejects(
			readAll(shop.client().stream("research.stream", INPUT)),
			{ code },
			body.slice(0, 40),
		);
	}
	shop.proxy.decide(() =>
		answer(
			'id: 1\r\nevent: x\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: 2\nevent: research.completed\ndata: {}\n\n',
		),
	);
	t.match(await readAll(shop.client().stream("research.stream", INPUT)), [
		{ id: "1", event: "x", data: { a: 1 } },
		{ event: "research.completed" },
	]);
});

t.test("a stream on which nothing comes is taken for broken", async (t) => {
	const shop = await openShop(t);
	let held = 1;
	shop.proxy.decide(() => {
		held -= 1;
		return held >= 0 ? { kind: "stall", behind: "event: research.plan" } : undefined;
	});
	const events = await readAll(shop.client({ idleMs: 300 }).stream("research.stream", INPUT));
	t.equal(events.at(-1)?.event, "research.completed");
	t.equal(shop.proxy.requests.length, 2);
	t.equal(await shop.balance(), 7_500_000n);
});
