import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Message, type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { createWaitingMemory } from "../../src/a2a/task-memory.js";
import { createWaitingTasks, type WaitingTask } from "../../src/a2a/waiting-tasks.js";
import { LIMITS } from "../../src/contract/limits.js";
import { manualClock } from "../support/manual-clock.js";
import { textMessage } from "./stock-client.js";

function waitingTask(
	taskId: string,
	text = "a question",
	{ metadata, ...changes }: Partial<WaitingTask> & { metadata?: Message["metadata"] } = {},
): WaitingTask {
	const message = textMessage(text, { taskId, metadata });
	const reported: Task = {
		id: taskId,
		contextId: "ctx",
		status: {
			state: TaskState.TASK_STATE_INPUT_REQUIRED,
			message: undefined,
			timestamp: undefined,
		},
		artifacts: [],
		history: [message],
		metadata: undefined,
	};
	const request = { skillId: "search_domain", rawInput: { query: text } } as const;
	const rest = { resourceUrl: "", required: undefined, receipts: [], unsettled: undefined };
	return { taskId, address: "192.0.2.1", message, request, reported, ...rest, ...changes };
}

function createMemory({ clock = manualClock("2026-01-01T00:00:00Z"), busy = "" } = {}) {
	return createWaitingTasks(createWaitingMemory({ clock, isBusy: (taskId) => taskId === busy }));
}

/** Metadata of 57,000 characters that is far larger once it is read. */
function swollen(key: string) {
	return JSON.parse(`{"${key}":[${Array(19_000).fill("[]").join()}]}`);
}

function heapBytes(): number {
	setFlagsFromString("--expose-gc");
	runInNewContext("gc")();
	return process.memoryUsage().heapUsed;
}

t.test(
	"an unpaid task is forgotten when its time is over, and each change starts it again",
	async (t) => {
		const clock = manualClock("2026-01-01T00:00:00Z");
		const waiting = createMemory({ clock });
		await waiting.keep(waitingTask("a"));
		clock.advance(LIMITS.waitingTaskTtlMs - 1);
		t.ok(await waiting.find("a"));
		await waiting.keep(waitingTask("a"));
		clock.advance(LIMITS.waitingTaskTtlMs - 1);
		t.ok(await waiting.find("a"));
		clock.advance(1);
		t.notOk(await waiting.find("a"));
	},
);

t.test("no more unpaid tasks are kept than the limit; the oldest makes room", async (t) => {
	const waiting = createMemory();
	for (let index = 0; index <= LIMITS.waitingTasksMax; index++)
		await waiting.keep(waitingTask(`t${index}`));
	t.notOk(await waiting.find("t0"));
	t.ok(await waiting.find("t1"));
	t.ok(await waiting.find(`t${LIMITS.waitingTasksMax}`));
});

t.test("large messages do not add up to more than the limit of characters", async (t) => {
	const waiting = createMemory();
	const text = "x".repeat(60_000);
	const count = Math.ceil(LIMITS.waitingTasksChars / text.length) + 10;
	for (let index = 0; index < count; index++) await waiting.keep(waitingTask(`t${index}`, text));
	const found = await Promise.all(
		Array.from({ length: count }, (_, index) => waiting.find(`t${index}`)),
	);
	const kept = found.filter(Boolean);
	t.ok(kept.length * text.length <= LIMITS.waitingTasksChars);
	t.ok(kept.length > count / 2);
	await waiting.forget(`t${count - 1}`);
	t.notOk(await waiting.find(`t${count - 1}`));
});

t.test("signed payloads are not held, and what is held is what is counted", async (t) => {
	const waiting = createMemory();
	const before = heapBytes();
	const count = 250;
	for (let index = 0; index < count; index++) {
		const metadata = swollen("x402.payment.payload");
		await waiting.keep(waitingTask(`paid ${index}`, "a question", { metadata }));
	}
	t.ok(await waiting.has("paid 0"), "payloads take no room");
	t.notMatch(await waiting.find("paid 0"), {
		message: { metadata: { "x402.payment.payload": [] } },
	});
	for (let index = 0; index < 150; index++) {
		await waiting.keep(waitingTask(`odd ${index}`, "a question", { metadata: swollen("other") }));
	}
	const grown = heapBytes() - before;
	t.ok(grown < 4 * LIMITS.waitingTasksChars, `${grown} bytes`);
});

t.test("who asks too much loses their own tasks, and no one loses one in payment", async (t) => {
	const waiting = createMemory({ busy: "busy" });
	const flood = { address: "192.0.2.66" };
	await waiting.keep(waitingTask("busy", "q", flood));
	await waiting.keep(waitingTask("unsettled", "q", { ...flood, unsettled: "hash" }));
	await waiting.keep(waitingTask("payer"));
	for (let index = 0; index < 2 * LIMITS.waitingTasksMax; index++) {
		await waiting.keep(waitingTask(`t${index}`, "q", flood));
	}
	for (const kept of ["busy", "unsettled", "payer"]) t.ok(await waiting.has(kept), kept);
	t.notOk(await waiting.has("t0"));
	t.equal((await waiting.find("unsettled"))?.unsettled, "hash");
});
