import { type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { heldClock } from "../support/held-clock.js";
import { toV2Payload } from "../support/sim-wallet.js";
import { askGraph, rpc } from "./raw-rpc.js";
import { NOTHING } from "./start-a2a.js";
import { startPaidA2a } from "./start-paid-a2a.js";
import { bodyOf, searchMessage, send } from "./stock-client.js";
import {
	ACTIVATION,
	connectPaying,
	EVERY_WAY,
	payment,
	paymentMessage,
	signFor,
	stream,
} from "./x402-agent.js";

const { TASK_STATE_INPUT_REQUIRED, TASK_STATE_COMPLETED, TASK_STATE_CANCELED } = TaskState;

t.test(
	"a stock client pays for a message with the next one, in every version and binding",
	async (t) => {
		const shop = await startPaidA2a(t);
		for (const way of EVERY_WAY) {
			await t.test(`${way.binding} ${way.version}`, async (t) => {
				const before = await shop.funds();
				const client = await connectPaying(shop.baseUrl, way);
				const searches = shop.searched.length;
				const asked = await send(client, searchMessage(`how ${way.binding} ${way.version} pays`));
				t.equal(asked.status?.state, TASK_STATE_INPUT_REQUIRED);
				t.same(asked.artifacts, [], "no result before the money");
				t.equal(shop.searched.length, searches, "no work before the money");
				const demand = payment(asked.status);
				t.equal(demand.status, "payment-required");
				t.equal(demand.required.x402Version, way.version === "1.0" ? 2 : 1);
				t.match(asked.status?.message?.parts[1]?.content, {
					value: { error: { code: "PAYMENT_REQUIRED" }, price: { amount_usd: "0.50" } },
				});

				const payload = signFor(asked, shop.chain, shop.wallet);
				const done = await send(client, paymentMessage(asked, payload));
				t.equal(done.status?.state, TASK_STATE_COMPLETED);
				t.equal(done.id, asked.id);
				t.equal(done.contextId, asked.contextId);
				t.equal(bodyOf(done).rows.length, 1);
				t.equal(bodyOf(done).meta.cost.rail, "x402");
				const { status, receipts } = payment(done.status);
				t.equal(status, "payment-completed");
				t.match(receipts, [
					{
						success: true,
						transaction: shop.chain.transactions.at(-1)?.hash,
						network: way.version === "1.0" ? "eip155:84532" : "base-sepolia",
						payer: shop.wallet.address,
					},
				]);
				t.equal(before - (await shop.funds()), 500_000n);
				t.notMatch(JSON.stringify(done), /signature/, "the signed payload is not repeated");

				const found = await client.getTask({ tenant: "", id: done.id });
				t.same(bodyOf(found), bodyOf(done), "whoever has the id of the task may read it");
			});
		}
	},
);

t.test("a streaming client sees the payment's life, and no artifact before its end", async (t) => {
	const shop = await startPaidA2a(t);
	for (const way of EVERY_WAY) {
		await t.test(`${way.binding} ${way.version}`, async (t) => {
			const client = await connectPaying(shop.baseUrl, way);
			const [first, ...others] = await stream(client, searchMessage("streamed"));
			t.same(others, []);
			const asked = taskOf(first);
			t.equal(asked.status?.state, TASK_STATE_INPUT_REQUIRED);

			const payload = signFor(asked, shop.chain, shop.wallet);
			const events = await stream(client, paymentMessage(asked, payload));
			t.same(events.map(describe), [
				"task payment-submitted",
				"statusUpdate payment-verified",
				"artifactUpdate",
				"statusUpdate payment-completed",
			]);
		});
	}
});

function taskOf(event: StreamResponse | undefined) {
	if (event?.payload?.$case !== "task") throw new Error("The event is not a task.");
	return event.payload.value;
}

function describe({ payload }: StreamResponse): string {
	const value = payload?.value;
	const status = value && "status" in value ? payment(value.status).status : undefined;
	return [payload?.$case, status].filter(Boolean).join(" ");
}

t.test(
	"one payment sent twenty times at once is one charge, one search and one task",
	async (t) => {
		const shop = await startPaidA2a(t);
		const [way] = EVERY_WAY;
		if (!way) return;
		const client = await connectPaying(shop.baseUrl, way);
		const asked = await send(client, searchMessage("parallel"));
		const message = paymentMessage(asked, signFor(asked, shop.chain, shop.wallet));
		const done = await Promise.all(Array.from({ length: 20 }, () => send(client, message)));
		t.same([...new Set(done.map(({ status }) => status?.state))], [TASK_STATE_COMPLETED]);
		t.equal(shop.searched.length, 1);
		t.equal(await shop.funds(), 9_500_000n);

		const again = await send(client, { ...message, messageId: "resent-under-another-id" });
		t.equal(bodyOf(again).meta.cost.replayed, true);
		t.same(bodyOf(again).rows, bodyOf(done[0] ?? again).rows);
		t.equal(await shop.funds(), 9_500_000n);

		const other = paymentMessage(asked, signFor(asked, shop.chain, shop.wallet));
		await t.rejects(send(client, other), /finished/, "a paid task takes no second payment");
		t.equal(await shop.funds(), 9_500_000n);
	},
);

t.test("a payment that settled for one task buys no other", async (t) => {
	const shop = await startPaidA2a(t);
	for (const way of EVERY_WAY.filter(({ binding }) => binding === "JSONRPC")) {
		const client = await connectPaying(shop.baseUrl, way);
		const first = await send(client, searchMessage(`first ${way.version}`));
		const payload = signFor(first, shop.chain, shop.wallet);
		await send(client, paymentMessage(first, payload));
		const before = await shop.funds();
		const second = await send(client, searchMessage(`second ${way.version}`));
		const refused = await send(client, paymentMessage(second, payload));
		t.match(payment(refused.status), { status: "payment-failed", error: "DUPLICATE_NONCE" });
		t.same(refused.artifacts, []);
		t.equal(await shop.funds(), before);
	}
});

t.test("an answer without rows is not settled, and says so", async (t) => {
	const shop = await startPaidA2a(t);
	for (const way of EVERY_WAY) {
		const client = await connectPaying(shop.baseUrl, way);
		const asked = await send(client, searchMessage(NOTHING));
		const message = paymentMessage(asked, signFor(asked, shop.chain, shop.wallet));
		const done = await send(client, message);
		t.equal(done.status?.state, TASK_STATE_COMPLETED);
		t.match(payment(done.status), { status: "payment-verified", receipts: [] });
		t.same(bodyOf(done).rows, []);
		t.equal((await send(client, message)).id, done.id, "and may be sent again");
		t.equal(
			(await client.getTask({ tenant: "", id: done.id })).status?.state,
			TASK_STATE_COMPLETED,
		);
		t.equal(await shop.funds(), 10_000_000n);
	}
	t.same(await shop.store.read((reader) => reader.list("tasks")), [], "nothing unpaid is stored");
});

t.test("a caller who declines, or cancels, ends the task and is charged nothing", async (t) => {
	const shop = await startPaidA2a(t);
	for (const way of EVERY_WAY) {
		const client = await connectPaying(shop.baseUrl, way);
		const asked = await send(client, searchMessage("too dear"));
		const declined = await send(
			client,
			paymentMessage(asked, undefined, { metadata: { "x402.payment.status": "payment-rejected" } }),
		);
		t.equal(declined.status?.state, TASK_STATE_CANCELED);
		t.equal(payment(declined.status).status, "payment-rejected");
		const payload = signFor(asked, shop.chain, shop.wallet);
		await t.rejects(send(client, paymentMessage(asked, payload)), /finished/);

		const other = await send(client, searchMessage("too dear as well"));
		const canceled = await client.cancelTask({ tenant: "", id: other.id, metadata: undefined });
		t.equal(canceled.status?.state, TASK_STATE_CANCELED);
		await t.rejects(client.cancelTask({ tenant: "", id: other.id, metadata: undefined }));
	}
	t.same(shop.searched, []);
	t.equal(await shop.funds(), 10_000_000n);
});

t.test(
	"one address opens so many unpaid tasks a minute; a payer's task outlives them",
	async (t) => {
		const clock = heldClock();
		const shop = await startPaidA2a(t, { clock });
		const [way] = EVERY_WAY;
		if (!way) return;
		const client = await connectPaying(shop.baseUrl, way);
		clock.hold();
		const asked = await send(client, searchMessage("patient"));
		for (let index = 1; index < LIMITS.waitingTasksPerMinute; index++) {
			await send(client, searchMessage("free"));
		}
		const params = askGraph("one more");
		const refused = await rpc(shop.baseUrl, { params, headers: ACTIVATION["1.0"] });
		t.equal(refused.status, 429);
		t.ok(Number(refused.headers.get("Retry-After")) >= 1);
		t.equal((await rpc(shop.baseUrl, { params })).status, 402, "the price is told to everybody");
		const done = await send(client, paymentMessage(asked, signFor(asked, shop.chain, shop.wallet)));
		t.equal(done.status?.state, TASK_STATE_COMPLETED);
	},
);

t.test("the context of a task, which others may see, does not reveal the task's id", async (t) => {
	const shop = await startPaidA2a(t);
	const [way] = EVERY_WAY;
	if (!way) return;
	const client = await connectPaying(shop.baseUrl, way);
	const asked = await send(client, searchMessage("private"));
	const secretOf = (id: string) => id.slice(-16);
	t.not(secretOf(asked.contextId), secretOf(asked.id));
	const found = await client.getTask({ tenant: "", id: asked.id });
	t.equal(found.contextId, asked.contextId);
	const done = await send(client, paymentMessage(asked, signFor(asked, shop.chain, shop.wallet)));
	t.equal(done.contextId, asked.contextId, "and stays the same");
});

t.test("what became of the money is reported as it is, with and without an answer", async (t) => {
	const at = (amountMicros: bigint) =>
		({
			prices: { "graphs.search": { amountMicros, billingType: "per_call" } },
		}) as const;
	const [way] = EVERY_WAY;
	if (!way) return;
	const tell = ({ status, artifacts }: Task) =>
		[status?.message?.parts[0], artifacts[0]?.parts[1]].map((part) => part?.content?.value);

	const dear = await startPaidA2a(t, at(LIMITS.settleFirstMicros));
	const client = await connectPaying(dear.baseUrl, way);
	const asked = await send(client, searchMessage(NOTHING));
	const done = await send(client, paymentMessage(asked, signFor(asked, dear.chain, dear.wallet)));
	const { credit } = bodyOf(done).meta.cost;
	t.equal(await dear.balance(credit.id), LIMITS.settleFirstMicros);
	t.match(payment(done.status), { status: "payment-completed", receipts: [{ success: true }] });
	const [fate, answer] = tell(done);
	t.match(fate, /no answer, and the payment had settled: its 2.00 USD are on the Shared Payment/);
	t.match(answer, /no answer to this; the 2.00 USD that had settled are on the Shared Payment/);

	const free = await startPaidA2a(t, at(0n));
	const payload = toV2Payload(free.chain, free.wallet.sign({ value: 500_000n }));
	const { metadata } = paymentMessage({ id: "", contextId: "" }, payload);
	const unasked = searchMessage("free", { metadata });
	const given = await send(await connectPaying(free.baseUrl, way), unasked);
	t.equal(bodyOf(given).rows.length, 1);
	t.equal(tell(given)[0], "This call costs nothing, so the payment was not settled.");
	t.equal(await free.funds(), 10_000_000n);
});

t.test("a task that waits for its payment can be subscribed to, by several at once", async (t) => {
	const shop = await startPaidA2a(t);
	for (const way of EVERY_WAY.filter(({ version }) => version === "1.0")) {
		const client = await connectPaying(shop.baseUrl, way);
		const asked = await send(client, searchMessage(`followed over ${way.binding}`));
		const open = () => client.resubscribeTask({ tenant: "", id: asked.id })[Symbol.asyncIterator]();
		const streams = [open(), open(), open()];
		const firsts = await Promise.all(streams.map((each) => each.next()));
		for (const { value } of firsts) {
			t.match(value?.payload, {
				$case: "task",
				value: { status: { state: TASK_STATE_INPUT_REQUIRED } },
			});
		}
		await streams[2]?.return?.(undefined);
		await send(client, paymentMessage(asked, signFor(asked, shop.chain, shop.wallet)));
		const seen = await Promise.all(
			streams.slice(0, 2).map(async (each) => {
				const events: StreamResponse[] = [];
				for (let next = await each.next(); !next.done; next = await each.next()) {
					events.push(next.value);
				}
				return events;
			}),
		);
		t.same(
			seen[0]?.map(({ payload }) => payload?.$case),
			["artifactUpdate", "statusUpdate"],
		);
		t.match(seen[0]?.at(-1)?.payload, { value: { status: { state: TASK_STATE_COMPLETED } } });
		t.same(seen[1], seen[0]);

		const canceled = await send(client, searchMessage(`cancelled over ${way.binding}`));
		const stream = client.resubscribeTask({ tenant: "", id: canceled.id })[Symbol.asyncIterator]();
		await stream.next();
		await client.cancelTask({ tenant: "", id: canceled.id, metadata: undefined });
		const last = await stream.next();
		t.match(last.value?.payload, { value: { status: { state: TASK_STATE_CANCELED } } });
		t.ok((await stream.next()).done);
		await t.rejects(
			client.resubscribeTask({ tenant: "", id: canceled.id })[Symbol.asyncIterator]().next(),
			/finished/,
		);
	}
});
