import { Message, type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { JOB_LIMITS } from "../../src/jobs/job-schemas.js";
import { createWorld, openShop, PRICE, pause } from "../jobs/job-shop.js";
import {
	BINDINGS,
	buyer,
	collect,
	DIVE,
	gateIn,
	launchParams,
	named,
	pushConfig,
	stateOf,
	WAY,
} from "./long-task-scene.js";
import { rpc } from "./raw-rpc.js";
import { startLongA2a } from "./start-long-a2a.js";
import { bodyOf, connect, dataMessage, send, sendParams } from "./stock-client.js";
import { connectPaying, payment, paymentMessage, signFor } from "./x402-agent.js";

const { TASK_STATE_SUBMITTED: SUBMITTED, TASK_STATE_CANCELED: CANCELED } = TaskState;
const { TASK_STATE_WORKING: WORKING, TASK_STATE_COMPLETED: COMPLETED } = TaskState;

for (const binding of BINDINGS) {
	t.test(
		`a task that is cancelled half way gives back what was not begun, over ${binding}`,
		async (t) => {
			const world = createWorld();
			const gate = gateIn(world);
			const shop = await startLongA2a(t, await openShop(world));
			const { id, at } = await buyer(shop);
			const client = await at(shop, "1.0", binding);
			let taskId = "";
			const message = dataMessage(DIVE);
			const streamed = collect(client.sendMessageStream(sendParams(message)), ({ payload }) => {
				if (payload?.$case === "task") taskId = payload.value.id;
			});
			await gate.arrived;
			const working = await client.getTask({ tenant: "", id: taskId });
			t.match(working.status, { state: WORKING });
			t.equal(working.metadata?.["pass"], "three");
			t.equal(await shop.balance(`cust:${id}`), 30_000_000n);

			const canceled = await client.cancelTask(named(working));
			t.equal(canceled.status?.state, CANCELED);
			t.same(
				bodyOf(canceled).data.report.done,
				["one", "two"],
				"what was found until then is there",
			);
			t.equal(await shop.balance(`cust:${id}`), 40_000_000n - (PRICE * 3n) / 4n);
			t.same((await streamed).map(stateOf), [
				SUBMITTED,
				WORKING,
				WORKING,
				WORKING,
				"artifactUpdate",
				CANCELED,
			]);
			await t.rejects(client.cancelTask(named(working)), /cancel/i);
			t.same(await shop.failures(), []);
			gate.open();
		},
	);
}

for (const binding of BINDINGS) {
	t.test(
		`a message that is sent again has the same task and job, and one charge, over ${binding}`,
		async (t) => {
			const world = createWorld();
			const gate = gateIn(world);
			const shop = await startLongA2a(t, await openShop(world));
			const { id, at } = await buyer(shop);
			const client = await at(shop, "1.0", binding);
			const message = dataMessage(DIVE);
			const params = launchParams(message);
			const [first, twin] = (await Promise.all([
				client.sendMessage(params),
				client.sendMessage(params),
			])) as Task[];
			await gate.arrived;
			const third = (await client.sendMessage(params)) as Task;
			t.equal(first?.id, third.id);
			t.equal(twin?.id, third.id);
			t.equal(third.status?.state, WORKING);
			t.equal((await shop.store.read((reader) => reader.list("jobs"))).length, 1);
			t.equal(await shop.balance(`cust:${id}`), 30_000_000n);
			const follow = collect(client.sendMessageStream(params));
			const waiting = send(client, message);
			gate.open();
			const done = await waiting;
			t.equal(done.status?.state, COMPLETED, "without that wish, an answer waits for the end");
			t.match(bodyOf(done), { ok: true, data: { status: "completed", report: { done: [] } } });
			t.same((await follow).map(stateOf), [WORKING, WORKING, "artifactUpdate", COMPLETED]);
			const again = await send(client, message);
			t.same([again.id, again.artifacts.length], [done.id, 1]);
			t.equal(await shop.balance(`cust:${id}`), 30_000_000n);
			const listed = await client.listTasks({
				...{ tenant: "", contextId: "", status: COMPLETED, pageToken: "" },
				statusTimestampAfter: undefined,
			});
			t.same(
				listed.tasks.map((task) => task.id),
				[done.id],
			);
			const stranger = await (await buyer(shop)).at(shop, "1.0", binding);
			await t.rejects(stranger.getTask({ tenant: "", id: done.id }), /not found/i);
			await t.rejects(stranger.cancelTask(named(done)), /not found/i);
		},
	);
}

for (const binding of BINDINGS) {
	t.test(
		`a caller who leaves a stream leaves nothing behind, and the job goes on, over ${binding}`,
		async (t) => {
			const world = createWorld();
			const gate = gateIn(world);
			const shop = await startLongA2a(t, await openShop(world));
			const { at } = await buyer(shop);
			const client = await at(shop, "1.0", binding);
			const message = dataMessage(DIVE);
			for (let left = 0; left < JOB_LIMITS.eventStreamsPerJob; left++) {
				const leaving = new AbortController();
				const { signal } = leaving;
				const stream = client.sendMessageStream(sendParams(message), { signal });
				await stream.next();
				leaving.abort();
				await stream.return(undefined).catch(() => undefined);
				await pause(5);
			}
			await gate.arrived;
			const stayed = collect(client.sendMessageStream(sendParams(message)));
			await pause(20);
			gate.open();
			t.same((await stayed).map(stateOf), [WORKING, WORKING, "artifactUpdate", COMPLETED]);
		},
	);
}

t.test("a task that many read can still be asked for and cancelled", async (t) => {
	const world = createWorld();
	const gate = gateIn(world);
	const shop = await startLongA2a(t, await openShop(world));
	const { at, headers } = await buyer(shop);
	const client = await at(shop);
	const message = dataMessage(DIVE);
	const streams = Array.from({ length: JOB_LIMITS.eventStreamsPerJob }, () =>
		collect(client.sendMessageStream(sendParams(message))),
	);
	await gate.arrived;
	await pause(50);
	const { status, body } = await rpc(shop.baseUrl, {
		method: "SendStreamingMessage",
		params: { message: Message.toJSON(message) },
		headers,
	});
	t.match([status, body.error?.data?.error?.code], [429, "RATE_LIMITED"]);
	const told = await send(client, message);
	t.equal(told.status?.state, WORKING, "it is not waited for");
	await client.cancelTask(named(told));
	for (const events of await Promise.all(streams)) {
		t.same(events.map(stateOf).at(-1), CANCELED);
	}
	gate.open();
});

t.test("work that fails is a failed task that costs nothing", async (t) => {
	const world = createWorld();
	world.script.onPass = () => {
		throw new Error("secret details");
	};
	const shop = await startLongA2a(t, await openShop(world));
	const { id, at } = await buyer(shop);
	const failed = await send(await at(shop), dataMessage(DIVE));
	t.equal(failed.status?.state, TaskState.TASK_STATE_FAILED);
	t.notMatch(JSON.stringify(failed), /secret details/);
	t.equal(failed.artifacts.length, 0);
	t.equal(await shop.balance(`cust:${id}`), 40_000_000n);
});

t.test("a wallet pays at the launch, and the task's id opens what it paid for", async (t) => {
	const world = createWorld();
	const gate = gateIn(world);
	const shop = await startLongA2a(t, await openShop(world));
	const client = await connectPaying(shop.baseUrl, WAY);
	const asked = await send(client, dataMessage(DIVE));
	t.equal(asked.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
	t.equal(shop.facilitator.settled(), 0);
	const paid = paymentMessage(asked, signFor(asked, shop.chain, shop.wallet));
	const task = (await client.sendMessage(launchParams(paid))) as Task;
	t.equal(task.id, asked.id);
	t.match(payment(task.status), { status: "payment-completed", receipts: [{ success: true }] });
	t.equal(shop.facilitator.settled(), 1);
	await gate.arrived;
	const open = await connect({ baseUrl: shop.baseUrl, ...WAY });
	const working = await open.getTask({ tenant: "", id: task.id });
	t.equal(working.status?.state, WORKING);
	t.match(payment(working.status), { status: "payment-completed" });
	const again = (await client.sendMessage(launchParams(paid))) as Task;
	t.equal(again.id, task.id);
	t.equal(shop.facilitator.settled(), 1);
	const names = { tenant: "", taskId: task.id };
	await open.createTaskPushNotificationConfig(pushConfig({ taskId: task.id }));
	t.equal(
		(await open.listTaskPushNotificationConfig({ ...names, pageSize: 0, pageToken: "" })).configs
			.length,
		1,
	);
	const canceled = await open.cancelTask(named(task));
	t.equal(canceled.status?.state, CANCELED);
	t.match(canceled.metadata?.["credit"], { balance_usd: "2.50" });
	t.notMatch(JSON.stringify(canceled), /spt_/, "its secret is told by the job's status alone");
	t.same(await shop.failures(), []);
	gate.open();
});
