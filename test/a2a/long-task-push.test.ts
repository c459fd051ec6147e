import { createHash } from "node:crypto";
import { TaskState } from "@a2a-js/sdk";
import { importJWK, jwtVerify } from "jose";
import t, { type Test } from "tap";
import { pushDocument } from "../../src/contract/artifacts.js";
import { createWorld, openShop, pause } from "../jobs/job-shop.js";
import {
	buyer,
	collect,
	gateIn,
	HOOK,
	launched,
	pushConfig,
	type Shop,
	stateOf,
} from "./long-task-scene.js";
import { signingJwk } from "./start-a2a.js";
import { startLongA2a } from "./start-long-a2a.js";

const { TASK_STATE_WORKING: WORKING, TASK_STATE_COMPLETED: COMPLETED } = TaskState;

t.test("after a restart a working task goes on with its job and notifies", async (t) => {
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

t.test("an end that no receiver took is sent again after the next start", async (t) => {
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
	"the targets of a task are notified in the terms of their version, with the token",
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
