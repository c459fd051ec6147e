import { type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { createLiveTasks, createTaskArchive } from "../../src/a2a/task-archive.js";
import { createUnpaidTasks } from "../../src/a2a/task-memory.js";
import { LIMITS } from "../../src/contract/limits.js";
import { manualClock } from "../support/manual-clock.js";
import { createMemoryStore } from "./memory-store.js";
import { askGraph, rpc } from "./raw-rpc.js";
import { NOTHING, startA2a } from "./start-a2a.js";
import { textMessage } from "./stock-client.js";

t.test(
	"a completed task that cost nothing is read, listed and finished like any other",
	async (t) => {
		const clock = manualClock("2026-01-01T00:00:00Z");
		const shop = await startA2a(t, { clock });
		const [mine, theirs] = [await shop.issueSpt("5"), await shop.issueSpt("5")];
		const as = ({ token }: { token: string }) => ({ headers: { "X-Pay-SPT": token } });
		const params = askGraph(NOTHING);
		Object.assign(params.message, { contextId: "free-context" });
		const { task } = (await rpc(shop.baseUrl, { params, ...as(mine) })).body.result;
		t.same(task.status.state, "TASK_STATE_COMPLETED");
		const { id } = task;

		const get = (who = mine) =>
			rpc(shop.baseUrl, { method: "GetTask", params: { id }, ...as(who) });
		t.same((await get()).body.result, task);
		t.equal((await get(theirs)).body.error.code, -32001, "of a stranger");
		t.equal((await rpc(shop.baseUrl, { method: "GetTask", params: { id } })).status, 401);
		const read = await fetch(`${shop.baseUrl}/a2a/rest/tasks/${id}`, {
			headers: { ...as(mine).headers, "A2A-Version": "1.0" },
		});
		t.same(await read.json(), task);

		clock.advance(1000);
		const paid = await rpc(shop.baseUrl, { params: askGraph("paid"), ...as(mine) });
		const list = async (query: object, who = mine) => {
			const listed = await rpc(shop.baseUrl, { method: "ListTasks", params: query, ...as(who) });
			return listed.body.result.tasks.map((each: { id: string }) => each.id);
		};
		t.same(await list({}), [paid.body.result.task.id, id]);
		t.same(await list({ contextId: "free-context" }), [id]);
		t.same(await list({}, theirs), []);

		const followUp = askGraph("more");
		Object.assign(followUp.message, { taskId: id });
		const calls: readonly [string, object, number][] = [
			["SendMessage", followUp, -32004],
			["SubscribeToTask", { id }, -32004],
			["CancelTask", { id }, -32002],
		];
		for (const [method, asked, code] of calls) {
			const refused = await rpc(shop.baseUrl, { method, params: asked, ...as(mine) });
			t.equal(refused.body.error.code, code, method);
		}
		t.equal(await shop.balance(mine.id), 4_500_000n);

		clock.advance(LIMITS.waitingTaskTtlMs);
		t.equal((await get()).body.error.code, -32001, "its time is over before that of a paid one");
	},
);

t.test("a task that failed on our side can be read, until its message is answered", async (t) => {
	let isBroken = true;
	const shop = await startA2a(t, {
		beforeSearch: () => {
			if (isBroken) throw new Error("broken");
		},
	});
	const { token, id: tokenId } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const params = askGraph("broken", "broken");
	const failed = (await rpc(shop.baseUrl, { params, headers })).body.result.task;
	t.equal(failed.status.state, "TASK_STATE_FAILED");
	const get = async () =>
		(await rpc(shop.baseUrl, { method: "GetTask", params: { id: failed.id }, headers })).body
			.result;
	t.same(await get(), failed);

	isBroken = false;
	const { task } = (await rpc(shop.baseUrl, { params, headers })).body.result;
	t.equal(task.status.state, "TASK_STATE_COMPLETED");
	t.same(await get(), task);
	const listed = await rpc(shop.baseUrl, { method: "ListTasks", params: {}, headers });
	t.equal(listed.body.result.totalSize, 1, "under one id there is one task");
	t.equal(await shop.balance(tokenId), 4_500_000n);
});

t.test("an account with zero retention reads where such a task stands, not its text", async (t) => {
	const tasks = createTaskArchive({
		store: createMemoryStore(),
		clock: manualClock("2026-01-01T00:00:00Z"),
		live: createLiveTasks(undefined),
	});
	const caller = { owner: "acc_1", rail: "plan", keepsNoText: true };
	tasks.remember(caller, completedTask("task_a", "canary"));
	const kept = await tasks.find(caller, "task_a");
	t.match(kept, { id: "task_a", status: { state: TaskState.TASK_STATE_COMPLETED } });
	t.notMatch(JSON.stringify(kept), /canary/);
});

t.test("where room is short, the caller who holds most loses the oldest", (t) => {
	const tasks = createUnpaidTasks(manualClock("2026-01-01T00:00:00Z"));
	const keep = (id: string, owner: string) =>
		tasks.keep({ ...ROW, id, owner }, completedTask(id, "x".repeat(100)));
	keep("one", "acc_1");
	for (let index = 0; index < LIMITS.waitingTasksMax; index++) keep(`t${index}`, "acc_2");
	t.ok(tasks.findTask("one"));
	t.notOk(tasks.findRow("t0"));
	t.equal(tasks.findRow("t1")?.owner, "acc_2");
	t.equal(tasks.rowsOf("acc_2").length, LIMITS.waitingTasksMax - 1);
	t.end();
});

const ROW = {
	contextId: "",
	messageId: "",
	state: "TASK_STATE_COMPLETED",
	documentId: "",
	updatedAt: 0,
	expiresAt: 0,
};

function completedTask(id: string, text: string): Task {
	const state = TaskState.TASK_STATE_COMPLETED;
	return {
		id,
		contextId: "ctx",
		status: { state, message: undefined, timestamp: undefined },
		artifacts: [],
		history: [textMessage(text, { taskId: id })],
		metadata: undefined,
	};
}
