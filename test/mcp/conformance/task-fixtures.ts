/** Tools that begin tasks: those of the shop are jobs that ask for nothing, so the suite's own are kept here. */
import { setTimeout } from "node:timers/promises";
import { acceptedContent, inputRequired, type ServerContext } from "@modelcontextprotocol/server";
import { notFound } from "../../../src/kernel/errors.js";
import {
	declaresTasks,
	missingExtension,
	type TaskState,
	type Tasks,
} from "../../../src/mcp/tasks.js";
import type { FixtureAnswer } from "./content-fixtures.js";

const DAY_MS = 86_400_000;
const say = (words: string) => ({ content: [{ type: "text", text: words }] });
const elicit = (message: string, field: string) =>
	inputRequired.elicit({
		message,
		requestedSchema: { type: "object", properties: { [field]: { type: "string" } } } as never,
	});

interface Task extends TaskState {
	readonly inputRequests?: Readonly<Record<string, object>>;
	readonly result?: object;
	readonly error?: object;
}

const tasks = new Map<string, Task>();
const waiting = new Map<string, (responses: Record<string, unknown>) => void>();

function change(id: string, changes: Partial<Task>): void {
	const task = tasks.get(id);
	if (task?.status !== "working" && task?.status !== "input_required") return;
	tasks.set(id, { ...task, ...changes, lastUpdatedAt: new Date().toISOString() });
}

/** Begins a task whose work is told its id, to be asked by; what the work throws is an error of the protocol. */
function begin(work: (id: string) => Promise<object>): object {
	const taskId = crypto.randomUUID();
	const now = new Date().toISOString();
	const times = { createdAt: now, lastUpdatedAt: now, ttlMs: DAY_MS, pollIntervalMs: 100 };
	const created: Task = { taskId, status: "working", ...times };
	tasks.set(taskId, created);
	void work(taskId).then(
		(result) => change(taskId, { status: "completed", result }),
		(error) =>
			change(taskId, { status: "failed", error: { code: -32603, message: String(error) } }),
	);
	return { resultType: "task", ...created };
}

/** Waits until every question of a task is answered. */
async function askWithin(id: string, questions: Record<string, object>) {
	let open = questions;
	let given = {};
	while (Object.keys(open).length > 0) {
		const answered = new Promise<Record<string, unknown>>((done) => waiting.set(id, done));
		change(id, { status: "input_required", inputRequests: open });
		const responses = await answered;
		const known = Object.entries(responses).filter(([key]) => key in open);
		given = { ...given, ...Object.fromEntries(known) };
		open = Object.fromEntries(Object.entries(open).filter(([key]) => !(key in given)));
	}
	const { inputRequests: _, ...task } = tasks.get(id) as Task;
	tasks.set(id, { ...task, status: "working" });
	return given;
}

/** Where the suite's tasks are, behind the extension as this server speaks it. */
export const FIXTURE_TASKS: Tasks = {
	async get(_exchange, taskId) {
		const task = tasks.get(taskId);
		if (task) return task;
		throw notFound("There is no such task.");
	},
	async update(exchange, taskId, responses) {
		await FIXTURE_TASKS.get(exchange, taskId);
		waiting.get(taskId)?.({ ...responses });
	},
	async cancel(exchange, taskId) {
		await FIXTURE_TASKS.get(exchange, taskId);
		change(taskId, { status: "cancelled" });
	},
};

const compute: FixtureAnswer = async (context, { seconds = 0, label }) => {
	const done = say(`Computed ${label}.`);
	if (!declaresTasks(context) || seconds === 0) return done;
	return begin(() => setTimeout(Number(seconds) * 1_000, done, { ref: false }));
};

/** Of a tool that is nothing but a task. */
const needsTasks =
	(work: (id: string, context: ServerContext) => Promise<object>): FixtureAnswer =>
	(context) => {
		if (!declaresTasks(context)) throw missingExtension();
		return begin((id) => work(id, context));
	};

const asksFirst: FixtureAnswer = (context) => {
	const given = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, "user_name");
	if (given) return begin(async () => say(`Hello, ${given.name}!`));
	const inputRequests = { user_name: elicit("What is your name?", "name") };
	return inputRequired({ inputRequests });
};

export const TASK_TOOLS: Readonly<Record<string, FixtureAnswer>> = {
	greet: (_context, { name }) => say(`Hello, ${name}!`),
	slow_compute: compute,
	failing_job: needsTasks(async () => ({ ...say("It failed."), isError: true })),
	protocol_error_job: needsTasks(() => Promise.reject(new Error("It broke."))),
	confirm_delete: needsTasks(async (id) => {
		await askWithin(id, { confirm: elicit("Delete it?", "confirm") });
		return say("It is deleted.");
	}),
	multi_input: needsTasks(async (id) => {
		const questions = { first: elicit("First?", "first"), second: elicit("Second?", "second") };
		return say(JSON.stringify(await askWithin(id, questions)));
	}),
	test_tool_with_task: asksFirst,
};
