import t from "tap";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { createMemoryStore } from "./memory-store.js";
import { askGraph, post, rpc } from "./raw-rpc.js";
import { NOTHING, startA2a } from "./start-a2a.js";

t.test("twenty parallel sendings of one message are one charge and one task", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const answers = await Promise.all(
		Array.from({ length: 20 }, () =>
			rpc(shop.baseUrl, { params: askGraph("parallel", "one-message"), headers }),
		),
	);
	t.same([...new Set(answers.map(({ status }) => status))], [200]);
	t.equal(new Set(answers.map(({ body }) => body.result.task.id)).size, 1);
	t.equal(shop.searched.length, 1);
	t.equal(await shop.balance(id), 4_500_000n);
});

t.test("a message sent again later gets the stored task, streaming in one event", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const params = askGraph("later", "same-id");
	const first = await rpc(shop.baseUrl, { params, headers });
	const second = await rpc(shop.baseUrl, { params, headers });
	t.notOk("replayed" in first.body.result.task.metadata.cost);
	const { task } = second.body.result;
	t.same(unreplayed(task), first.body.result.task);
	t.equal(task.metadata.cost.replayed, true);
	t.equal(task.artifacts[0].parts[0].data.meta.cost.replayed, true);
	t.equal(second.headers.get("X-Receipt-Id"), task.metadata.receipt_id);
	t.equal(second.headers.get("Idempotent-Replayed"), "true");

	const stream = await rpc(shop.baseUrl, { method: "SendStreamingMessage", params, headers });
	const events = stream.body.split("\n\n").filter(Boolean);
	t.equal(events.length, 1);
	t.equal(JSON.parse(events[0].slice("data: ".length)).result.task.id, first.body.result.task.id);
	t.equal(await shop.balance(id), 4_500_000n);

	const legacy = {
		kind: "message",
		messageId: "same-id",
		role: "user",
		parts: [{ kind: "data", data: params.message.parts[0]?.data }],
	};
	const text = JSON.stringify({
		jsonrpc: "2.0",
		id: 1,
		method: "message/send",
		params: { message: legacy },
	});
	const old = await post(`${shop.baseUrl}/a2a/jsonrpc`, { text, headers });
	t.equal(old.body.result.id, first.body.result.task.id, "in the other protocol version too");
	t.equal(await shop.balance(id), 4_500_000n);
});

/** The task as it was returned the first time. */
function unreplayed(task: unknown): unknown {
	return JSON.parse(JSON.stringify(task, (key, value) => (key === "replayed" ? undefined : value)));
}

t.test("a paid answer that cannot be kept is delivered, logged, and not sold twice", async (t) => {
	const store = createMemoryStore();
	const put = store.documents.put;
	let isFull = true;
	const documents = {
		...store.documents,
		put: async (...args: Parameters<typeof put>) => {
			if (isFull) throw new Error("The disk is full.");
			return put(...args);
		},
	};
	const shop = await startA2a(t, { store: { ...store, documents } });
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const params = askGraph("kept or not", "unkept");
	const first = await rpc(shop.baseUrl, { params, headers });
	t.equal(first.body.result.task.status.state, "TASK_STATE_COMPLETED");
	t.match(JSON.stringify(shop.logged), /could not be kept.*disk is full/s);
	t.equal(await shop.balance(id), 4_500_000n);

	isFull = false;
	const again = await rpc(shop.baseUrl, { params, headers });
	t.equal(again.headers.get("Idempotent-Replayed"), "true");
	t.equal(again.body.result.task.metadata.cost.replayed, true);
	t.equal(await shop.balance(id), 4_500_000n);
});

t.test("an uncharged message leaves nothing behind and runs again", async (t) => {
	let isBroken = true;
	const shop = await startA2a(t, {
		beforeSearch: (query) => {
			if (isBroken && query !== NOTHING) throw new Error("broken");
		},
	});
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const nothing = askGraph(NOTHING, "nothing");
	const broken = askGraph("broken", "broken");
	for (const params of [nothing, nothing, broken]) await rpc(shop.baseUrl, { params, headers });
	t.same(shop.searched, [NOTHING, NOTHING, "broken"]);
	t.same(await shop.store.read((reader) => reader.list("tasks")), []);
	t.equal(await shop.store.documents.sweep(Number.MAX_SAFE_INTEGER), 0);
	t.equal(await shop.balance(id), 5_000_000n);

	isBroken = false;
	const again = await rpc(shop.baseUrl, { params: broken, headers });
	t.equal(again.body.result.task.status.state, "TASK_STATE_COMPLETED");
	t.equal(await shop.balance(id), 4_500_000n);
});

t.test("a caller whose credential cannot be looked up is no stranger", async (t) => {
	const shop = await startA2a(t, { lookUp: () => Promise.reject(new Error("store stopped")) });
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const { status } = await rpc(shop.baseUrl, { params: askGraph("a"), headers });
	t.equal(status, 500);
	t.same(shop.searched, []);
	t.equal(await shop.balance(id), 5_000_000n);
});

t.test("the same messageId for another request is refused", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	await rpc(shop.baseUrl, { params: askGraph("one", "used"), headers });
	const other = await rpc(shop.baseUrl, { params: askGraph("two", "used"), headers });
	t.same([other.status, other.body.error.code], [422, -32022]);
	t.equal(other.body.error.data.error.code, "IDEMPOTENCY_MISMATCH");
	t.equal(await shop.balance(id), 4_500_000n);

	const { token: theirs } = await shop.issueSpt("1");
	const params = askGraph("two", "used");
	t.equal((await rpc(shop.baseUrl, { params, headers: { "X-Pay-SPT": theirs } })).status, 200);
});

t.test("a sender who leaves pays nothing, and may send the message again", async (t) => {
	let letGo = () => {};
	let isSlow = true;
	const shop = await startA2a(t, {
		beforeSearch: () => (isSlow ? new Promise((done) => (letGo = done)) : undefined),
	});
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const params = askGraph("slow", "left");
	const leaving = new AbortController();
	const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params });
	const sent = fetch(`${shop.baseUrl}/a2a/jsonrpc`, {
		method: "POST",
		headers: { ...headers, "Content-Type": "application/json", "A2A-Version": "1.0" },
		body: text,
		signal: leaving.signal,
	});
	while (shop.searched.length === 0) await new Promise(setImmediate);
	leaving.abort();
	await t.rejects(sent);
	while ((await shop.balance(id)) !== 5_000_000n) await new Promise(setImmediate);
	letGo();

	isSlow = false;
	const again = await rpc(shop.baseUrl, { params, headers });
	t.equal(again.body.result.task.status.state, "TASK_STATE_COMPLETED");
	t.equal(await shop.balance(id), 4_500_000n);
});

t.test(
	"an answer that takes too long is refused, costs nothing and may be asked for again",
	async (t) => {
		let ring = () => {};
		let isSlow = true;
		const clock: Clock = {
			...systemClock,
			after(_delayMs, task) {
				ring = task;
				return () => undefined;
			},
		};
		const shop = await startA2a(t, {
			clock,
			beforeSearch: () => {
				if (!isSlow) return;
				setImmediate(() => ring());
				return new Promise(() => undefined);
			},
		});
		const { token, id } = await shop.issueSpt("5");
		const headers = { "X-Pay-SPT": token };
		const params = askGraph("too slow", "slow-message");
		const late = await rpc(shop.baseUrl, { params, headers });
		t.same([late.status, late.body.error.code], [503, -32053]);
		t.match(late.headers.get("Retry-After"), /^\d+$/);
		t.equal(await shop.balance(id), 5_000_000n);

		isSlow = false;
		const again = await rpc(shop.baseUrl, { params, headers });
		t.equal(again.body.result.task.status.state, "TASK_STATE_COMPLETED");
		t.equal(await shop.balance(id), 4_500_000n);
	},
);
