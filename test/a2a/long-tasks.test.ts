import { createHash } from "node:crypto";
import {
	Message,
	type SendMessageConfiguration,
	type StreamResponse,
	type Task,
	type TaskPushNotificationConfig,
	TaskState,
} from "@a2a-js/sdk";
import { importJWK, jwtVerify } from "jose";
import t, { type Test } from "tap";
import { JOB_LIMITS } from "../../src/core/job-limits.js";
import { pushDocument } from "../../src/core/task-documents.js";
import { createGate, createWorld, openShop, PRICE, pause, type World } from "../jobs/job-shop.js";
import { rpc } from "./raw-rpc.js";
import { signingJwk } from "./start-a2a.js";
import { startLongA2a } from "./start-long-a2a.js";
import { bodyOf, connect, dataMessage, send, sendParams, type Version } from "./stock-client.js";
import { connectPaying, payment, paymentMessage, signFor } from "./x402-agent.js";

const DIVE = { skill: "deep_dive", input: { query: "q" } };
const HOOK = "https://hooks.example.com/in";
const WAY = { binding: "JSONRPC", version: "1.0" } as const;
const { TASK_STATE_SUBMITTED: SUBMITTED, TASK_STATE_WORKING: WORKING } = TaskState;
const { TASK_STATE_COMPLETED: COMPLETED, TASK_STATE_CANCELED: CANCELED } = TaskState;
type Shop = Awaited<ReturnType<typeof startLongA2a>>;

/** The third of four passes waits there. */
function gateIn(world: World) {
	const gate = createGate();
	world.script.onPass = async (pass) => {
		if (pass === "three") await gate.pass();
	};
	return gate;
}

/** Somebody with 40 USD on a token. */
async function buyer({ issue }: Pick<Shop, "issue">) {
	const { id, token } = await issue(40n);
	const headers = { "X-Pay-SPT": token };
	const at = ({ baseUrl }: Shop, version: Version = "1.0") =>
		connect({ baseUrl, ...WAY, version, headers });
	return { id, at, headers };
}

type Wishes = Partial<Omit<SendMessageConfiguration, "taskPushNotificationConfig">> & {
	taskPushNotificationConfig?: TaskPushNotificationConfig | undefined;
};

function launchParams(message: ReturnType<typeof dataMessage>, wishes: Wishes = {}) {
	const { acceptedOutputModes = [], taskPushNotificationConfig, ...others } = wishes;
	const returnImmediately = true;
	const configuration = { returnImmediately, acceptedOutputModes, taskPushNotificationConfig };
	return { ...sendParams(message), configuration: { ...configuration, ...others } };
}

function pushConfig(changes: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig {
	const bare = { tenant: "", id: "", taskId: "", url: HOOK, token: "knock knock" };
	return { ...bare, authentication: undefined, ...changes };
}

const named = (task: Task) => ({ tenant: "", id: task.id, metadata: undefined });

async function collect(
	events: AsyncIterable<StreamResponse>,
	onEvent: (event: StreamResponse) => void = () => undefined,
): Promise<StreamResponse[]> {
	const told: StreamResponse[] = [];
	for await (const event of events) {
		told.push(event);
		onEvent(event);
	}
	return told;
}

const stateOf = ({ payload }: StreamResponse) => {
	if (payload?.$case === "task" || payload?.$case === "statusUpdate") {
		return payload.value.status?.state;
	}
	return payload?.$case;
};

const launched = async (client: Awaited<ReturnType<typeof connect>>, wishes?: Wishes) =>
	(await client.sendMessage(launchParams(dataMessage(DIVE), wishes))) as Task;

t.test("a task that is cancelled half way gives back what was not begun", async (t) => {
	const world = createWorld();
	const gate = gateIn(world);
	const shop = await startLongA2a(t, await openShop(world));
	const { id, at } = await buyer(shop);
	const client = await at(shop);
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
	t.same(bodyOf(canceled).data.report.done, ["one", "two"], "what was found until then is there");
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
});

t.test("a message that is sent again has the same task and job, and one charge", async (t) => {
	const world = createWorld();
	const gate = gateIn(world);
	const shop = await startLongA2a(t, await openShop(world));
	const { id, at } = await buyer(shop);
	const client = await at(shop);
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
	const stranger = await (await buyer(shop)).at(shop);
	await t.rejects(stranger.getTask({ tenant: "", id: done.id }), /not found/i);
	await t.rejects(stranger.cancelTask(named(done)), /not found/i);
});

t.test("whoever leaves a stream leaves nothing behind, and the job goes on", async (t) => {
	const world = createWorld();
	const gate = gateIn(world);
	const shop = await startLongA2a(t, await openShop(world));
	const { at } = await buyer(shop);
	const client = await at(shop);
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
});

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

t.test("after a restart a working task goes on with its job, and is told of", async (t) => {
	const world = createWorld();
	const gate = gateIn(world);
	const before = await startLongA2a(t, await openShop(world));
	const { id, at } = await buyer(before);
	before.state.status = 500;
	const task = await launched(await at(before), { taskPushNotificationConfig: pushConfig() });
	await gate.arrived;
	const died = before.disk.copy();
	await before.stop();
	gateIn(world).open();
	const { received, state } = before;
	received.length = 0;
	state.status = 204;

	const held = gateIn(world);
	const after = await startLongA2a(t, await openShop(world, { disk: died }), before.receiver);
	const client = await at(after);
	await held.arrived;
	t.equal((await client.getTask({ tenant: "", id: task.id })).status?.state, WORKING);
	const resumed = collect(client.resubscribeTask({ tenant: "", id: task.id }));
	await pause(20);
	held.open();
	t.same((await resumed).map(stateOf), [WORKING, WORKING, "artifactUpdate", COMPLETED]);
	t.equal(await after.balance(`cust:${id}`), 30_000_000n, "charged once");
	while (received.length < 2) await pause();
	const last = received.at(-1)?.body.statusUpdate;
	t.match(last, { taskId: task.id, status: { state: "TASK_STATE_COMPLETED" } });
	await verifySignature(t, after, task.id);
	await t.rejects(collect(client.resubscribeTask({ tenant: "", id: task.id })), /finished/);
	t.same(await after.failures(), []);
	t.same(after.logged, []);
});

/** As a receiver would that knows no more of us than our address. */
async function verifySignature(t: Test, { baseUrl, received, clock }: Shop, taskId: string) {
	const { d: _, ...publicJwk } = signingJwk;
	const last = received.at(-1);
	const token = last?.headers["authorization"]?.replace("Bearer ", "") ?? "";
	const { payload, protectedHeader } = await jwtVerify(token, await importJWK(publicJwk, "ES256"), {
		issuer: baseUrl,
		audience: new URL(HOOK).origin,
		currentDate: new Date(clock.now()),
	});
	t.equal(protectedHeader.kid, signingJwk.kid);
	const request_body_sha256 = createHash("sha256")
		.update(last?.text ?? "")
		.digest("hex");
	t.match(payload, { taskId, request_body_sha256 });
}

t.test("an end that nobody took is told after the next start", async (t) => {
	const world = createWorld();
	const before = await startLongA2a(t, await openShop(world));
	const { at } = await buyer(before);
	before.state.status = 503;
	const task = await launched(await at(before), { taskPushNotificationConfig: pushConfig() });
	const isLast = ({ body }: { body: { statusUpdate: { status: { state: string } } } }) =>
		body.statusUpdate.status.state === "TASK_STATE_COMPLETED";
	while (!before.received.some(isLast)) await pause();
	const died = before.disk.copy();
	await before.stop();
	before.received.length = 0;
	before.state.status = 200;
	const after = await startLongA2a(t, await openShop(world, { disk: died }), before.receiver);
	while (!after.received.some(isLast)) await pause();
	const isPushed = async () =>
		(await after.store.read((reader) => reader.get("tasks", task.id)))?.isPushed;
	while (await isPushed()) await pause();
	t.equal(after.received.length, 1, "once it is taken that is all");
});

t.test(
	"who is to be told of a task is told in the words of the version, with the token",
	async (t) => {
		const world = createWorld();
		const gate = gateIn(world);
		const shop = await startLongA2a(t, await openShop(world));
		const { at } = await buyer(shop);
		const client = await at(shop);
		const authentication = { scheme: "Bearer", credentials: "for-my-receiver" };
		const task = await launched(client, {
			taskPushNotificationConfig: pushConfig({ id: "mine", authentication }),
		});
		await gate.arrived;
		const old = await at(shop, "0.3");
		await old.createTaskPushNotificationConfig(
			pushConfig({ taskId: task.id, url: `${HOOK}/old`, id: "old", token: "old knock" }),
		);
		const names = { tenant: "", taskId: task.id };
		const second = await client.createTaskPushNotificationConfig(
			pushConfig({ taskId: task.id, url: `${HOOK}/two`, id: "two" }),
		);
		t.match(second, { id: "two", url: `${HOOK}/two` });
		const listed = await client.listTaskPushNotificationConfig({
			...names,
			pageSize: 0,
			pageToken: "",
		});
		t.same(
			listed.configs.map(({ id, token, authentication: shown }) => [id, token, shown?.credentials]),
			[
				["mine", "", ""],
				["old", "", undefined],
				["two", "", undefined],
			],
			"secrets are not told again",
		);
		const one = await client.getTaskPushNotificationConfig({ ...names, id: "two" });
		t.equal(one.url, `${HOOK}/two`);
		await client.deleteTaskPushNotificationConfig({ ...names, id: "two" });
		await t.rejects(client.getTaskPushNotificationConfig({ ...names, id: "two" }), /told/);

		const stranger = await (await buyer(shop)).at(shop);
		const theirs = pushConfig({ taskId: task.id, url: "https://stranger.example.com/" });
		await t.rejects(stranger.createTaskPushNotificationConfig(theirs), /not found/i);
		for (const url of [
			"http://hooks.example.com/",
			"https://127.0.0.1/",
			"https://[::1]/x",
			"nonsense",
		]) {
			const bad = pushConfig({ taskId: task.id, url });
			await t.rejects(client.createTaskPushNotificationConfig(bad), /address|public/, url);
			await t.rejects(
				launched(client, { taskPushNotificationConfig: bad }),
				/address|public/,
				"nothing is launched",
			);
		}
		t.equal((await shop.store.read((reader) => reader.list("jobs"))).length, 1);
		gate.open();
		const toldAt = (path: string) => shop.received.filter((each) => each.path === path);
		const lastOf = (path: string) => toldAt(path).at(-1)?.body;
		while (lastOf("/in")?.statusUpdate.status.state !== "TASK_STATE_COMPLETED") await pause();
		while (lastOf("/in/old")?.status.state !== "completed") await pause();
		t.match(toldAt("/in")[0]?.headers, {
			"content-type": "application/a2a+json",
			"x-a2a-notification-token": "knock knock",
			authorization: "Bearer for-my-receiver",
		});
		t.match(toldAt("/in/old").at(-1), {
			headers: { "content-type": "application/json", "x-a2a-notification-token": "old knock" },
			body: { kind: "task", id: task.id },
		});
		t.same(toldAt("/in/two"), []);
		t.notMatch(JSON.stringify(shop.received.map(({ body }) => body)), /"report"/);
		await t.rejects(
			client.createTaskPushNotificationConfig(pushConfig({ taskId: task.id })),
			/nothing to be told/,
		);
		const sealed = await shop.store.documents.get(pushDocument(task.id));
		t.match(sealed, /^[\w-]+$/);
		t.notMatch(sealed, /hooks|knock|receiver/);
	},
);

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
