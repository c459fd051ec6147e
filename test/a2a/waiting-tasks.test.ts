import { type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import { createWaitingTasks, type WaitingTask } from "../../src/a2a/waiting-tasks.js";
import { LIMITS } from "../../src/core/limits.js";
import { manualClock } from "../support/manual-clock.js";
import { textMessage } from "./stock-client.js";

function waitingTask(taskId: string, text = "a question"): WaitingTask {
	const message = textMessage(text, { taskId });
	const told: Task = {
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
	const request = { skillId: "domain_search", rawInput: { query: text } } as const;
	const rest = { resourceUrl: "", required: undefined, receipts: [], unsettled: undefined };
	return { taskId, message, request, told, ...rest };
}

t.test(
	"an unpaid task is forgotten when its time is over, and each change starts it anew",
	async (t) => {
		const clock = manualClock("2026-01-01T00:00:00Z");
		const waiting = createWaitingTasks(clock);
		waiting.keep(waitingTask("a"));
		clock.advance(LIMITS.waitingTaskTtlMs - 1);
		t.ok(waiting.find("a"));
		waiting.keep(waitingTask("a"));
		clock.advance(LIMITS.waitingTaskTtlMs - 1);
		t.ok(waiting.find("a"));
		clock.advance(1);
		t.notOk(waiting.find("a"));
	},
);

t.test("no more unpaid tasks are kept than the limit; the oldest makes room", async (t) => {
	const waiting = createWaitingTasks(manualClock("2026-01-01T00:00:00Z"));
	for (let index = 0; index <= LIMITS.waitingTasksMax; index++)
		waiting.keep(waitingTask(`t${index}`));
	t.notOk(waiting.find("t0"));
	t.ok(waiting.find("t1"));
	t.ok(waiting.find(`t${LIMITS.waitingTasksMax}`));
});

t.test("large messages do not add up to more than the limit of characters", async (t) => {
	const waiting = createWaitingTasks(manualClock("2026-01-01T00:00:00Z"));
	const text = "x".repeat(60_000);
	const count = Math.ceil(LIMITS.waitingTasksChars / text.length) + 10;
	for (let index = 0; index < count; index++) waiting.keep(waitingTask(`t${index}`, text));
	const kept = Array.from({ length: count }, (_, index) => waiting.find(`t${index}`)).filter(
		Boolean,
	);
	t.ok(kept.length * text.length <= LIMITS.waitingTasksChars);
	t.ok(kept.length > count / 2);
	waiting.forget(`t${count - 1}`);
	t.notOk(waiting.find(`t${count - 1}`));
});
