import { type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { createLiveTasks, createTaskArchive } from "../../src/a2a/task-archive.js";
import { LIMITS } from "../../src/contract/limits.js";
import { manualClock } from "../support/manual-clock.js";
import { createMemoryStore } from "./memory-store.js";
import { askGraph, rpc } from "./raw-rpc.js";
import { NOTHING, startA2a } from "./start-a2a.js";

t.test("a task is shown to its owner only", async (t) => {
	const shop = await startA2a(t);
	const [mine, theirs] = [await shop.issueSpt("5"), await shop.issueSpt("5")];
	const as = (token: string) => ({ headers: { "X-Pay-SPT": token } });
	const bought = await rpc(shop.baseUrl, { params: askGraph("mine"), ...as(mine.token) });
	const { id } = bought.body.result.task;

	const own = await rpc(shop.baseUrl, { method: "GetTask", params: { id }, ...as(mine.token) });
	t.same(own.body.result.artifacts, bought.body.result.task.artifacts);
	for (const method of ["GetTask", "CancelTask", "SubscribeToTask"]) {
		const foreign = await rpc(shop.baseUrl, { method, params: { id }, ...as(theirs.token) });
		t.equal(foreign.body.error.code, -32001, `${method} of a stranger`);
		const anonymous = await rpc(shop.baseUrl, { method, params: { id } });
		t.same([anonymous.status, anonymous.body.error.code], [401, -32041], `${method} of nobody`);
	}
	t.equal((await rpc(shop.baseUrl, { method: "ListTasks", params: {} })).status, 401);
	const listed = await rpc(shop.baseUrl, { method: "ListTasks", params: {}, ...as(theirs.token) });
	t.same(listed.body.result.tasks, []);

	const followUp = askGraph("more");
	Object.assign(followUp.message, { taskId: id });
	const refused = await rpc(shop.baseUrl, { params: followUp, ...as(mine.token) });
	t.equal(refused.body.error.code, -32004, "a finished task takes no further message");
	const foreign = await rpc(shop.baseUrl, { params: followUp, ...as(theirs.token) });
	t.equal(foreign.body.error.code, -32001);
	t.equal(await shop.balance(mine.id), 4_500_000n);
});

t.test("whatever carries paid text may be stored by its buyer only", async (t) => {
	const shop = await startA2a(t);
	const { token } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const rest = { ...headers, "A2A-Version": "1.0", "Content-Type": "application/json" };
	const { body } = await rpc(shop.baseUrl, { params: askGraph("private"), headers });
	const { id } = body.result.task;
	for (const method of ["GetTask", "ListTasks", "SubscribeToTask"]) {
		const params = method === "ListTasks" ? {} : { id };
		const read = await rpc(shop.baseUrl, { method, params, headers });
		t.match(read.headers.get("Cache-Control"), /^private, no-store/, method);
	}
	for (const path of [`tasks/${id}`, "tasks", `v1/tasks/${id}`]) {
		const version = path.startsWith("v1/") ? "0.3" : "1.0";
		const read = await fetch(`${shop.baseUrl}/a2a/rest/${path}`, {
			headers: { ...rest, "A2A-Version": version },
		});
		t.same([read.status, read.headers.get("Cache-Control")], [200, "private, no-store"], path);
	}
	const streamed = "private, no-store, no-transform";
	const params = askGraph("streamed");
	const stream = await rpc(shop.baseUrl, { method: "SendStreamingMessage", params, headers });
	t.equal(stream.headers.get("Cache-Control"), streamed);
	for (const path of ["message:stream", "v1/message:stream"]) {
		const { message } = askGraph("streamed");
		const content = [{ data: message.parts[0] }];
		const answer = await fetch(`${shop.baseUrl}/a2a/rest/${path}`, {
			method: "POST",
			headers: { ...rest, "A2A-Version": path.startsWith("v1/") ? "0.3" : "1.0" },
			body: JSON.stringify({ message: { ...message, content } }),
		});
		t.same([answer.status, answer.headers.get("Cache-Control")], [200, streamed], path);
		await answer.text();
	}
});

t.test("a list comes in pages, last change first", async (t) => {
	const clock = manualClock("2026-01-01T00:00:00Z");
	const shop = await startA2a(t, { clock });
	const { token } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const ids: string[] = [];
	for (let index = 0; index < 5; index++) {
		clock.advance(1000);
		const { body } = await rpc(shop.baseUrl, { params: askGraph(`q${index}`), headers });
		ids.unshift(body.result.task.id);
	}
	const pages: string[][] = [];
	let pageToken = "";
	do {
		const params = { pageSize: 2, pageToken };
		const { body } = await rpc(shop.baseUrl, { method: "ListTasks", params, headers });
		t.equal(body.result.totalSize, 5);
		pages.push(body.result.tasks.map((task: { id: string }) => task.id));
		pageToken = body.result.nextPageToken;
	} while (pageToken);
	t.same(pages, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
	const failed = { status: "TASK_STATE_FAILED" };
	const none = await rpc(shop.baseUrl, { method: "ListTasks", params: failed, headers });
	t.equal(none.body.result.totalSize, 0);
	const bad = { pageToken: "%%%" };
	t.equal((await rpc(shop.baseUrl, { method: "ListTasks", params: bad, headers })).status, 400);
});

t.test("a restart keeps completed tasks and fails unfinished ones", async (t) => {
	const { disk, ...store } = createMemoryStore();
	const before = await startA2a(t, { store });
	const { token } = await before.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const params = askGraph("before the restart");
	const bought = await rpc(before.baseUrl, { params, headers });
	const { id: owner } = (await store.read((reader) => reader.list("tokens")))[0] ?? { id: "" };
	const archive = createTaskArchive({
		store,
		clock: manualClock("2026-01-01T00:00:00Z"),
		live: createLiveTasks(undefined),
	});
	const row = (await store.read((reader) => reader.list("tasks")))[0];
	const caller = { owner: row?.owner ?? owner, rail: "spt" };
	await archive.keep(caller, workingTask("task_unfinished"));

	const after = await startA2a(t, { store: createMemoryStore(disk) });
	const { id } = bought.body.result.task;
	const kept = await rpc(after.baseUrl, { method: "GetTask", params: { id }, headers });
	t.same(kept.body.result, bought.body.result.task);
	const again = await rpc(after.baseUrl, { params, headers });
	t.equal(again.headers.get("Idempotent-Replayed"), "true");
	t.equal(again.body.result.task.id, id, "the same message is still paid for");
	t.same(after.searched, []);

	const params2 = { id: "task_unfinished" };
	const failed = await rpc(after.baseUrl, { method: "GetTask", params: params2, headers });
	t.equal(failed.body.result.status.state, "TASK_STATE_FAILED");
	t.match(failed.body.result.status.message.parts[0].text, /restarted/);
});

t.test("a task and its text are forgotten when their time is over", async (t) => {
	const clock = manualClock("2026-01-01T00:00:00Z");
	const shop = await startA2a(t, { clock });
	const { token } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const { body } = await rpc(shop.baseUrl, { params: askGraph("short lived"), headers });
	const { id } = body.result.task;
	clock.advance(LIMITS.artifactTtlMs + 1);
	const get = () => rpc(shop.baseUrl, { method: "GetTask", params: { id }, headers });
	t.equal((await get()).body.error.code, -32001, "even before the sweep");
	await shop.sweep(clock.now());
	t.same(await shop.store.read((reader) => reader.list("tasks")), []);
	t.equal(await shop.store.documents.sweep(clock.now()), 1);
});

t.test("no text of a task is in its row, nor an id its sender chose", async (t) => {
	const shop = await startA2a(t);
	const { token } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const params = askGraph("canary-of-the-query", "canary-message");
	Object.assign(params.message, { contextId: "canary-context" });
	await rpc(shop.baseUrl, { params, headers });
	for (const [contextId, size] of [
		["canary-context", 1],
		["other-context", 0],
	]) {
		const listed = await rpc(shop.baseUrl, {
			method: "ListTasks",
			params: { contextId },
			headers,
		});
		t.equal(listed.body.result.totalSize, size, "tasks are still found by their context");
	}
	const rows = await shop.store.read((reader) => reader.list("tasks"));
	t.equal(rows.length, 1);
	t.notMatch(JSON.stringify(rows), /canary|HTTP 402/);
});

t.test("an answer without rows is a completed task that says so and costs nothing", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const { body } = await rpc(shop.baseUrl, { params: askGraph(NOTHING), headers });
	const [data, text] = body.result.task.artifacts[0].parts;
	t.equal(body.result.task.status.state, "TASK_STATE_COMPLETED");
	t.match(data.data, { dataStatus: "NO_MATCH", meta: { cost: { charged: false } }, rows: [] });
	t.match(text.text, /no answer/);
	t.equal(await shop.balance(id), 5_000_000n);
});

function workingTask(id: string): Task {
	const status = { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: undefined };
	return { id, contextId: "ctx", status, artifacts: [], history: [], metadata: undefined };
}
