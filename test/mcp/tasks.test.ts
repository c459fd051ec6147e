import { setTimeout } from "node:timers/promises";
import t from "tap";
import { rpc2026, TASKS } from "./requests-2026.js";
import { startMcp } from "./start-mcp.js";
import { startPaidMcp } from "./start-paid-mcp.js";

const QUERY = { query: "How do agents pay for what they call?" };
/** Of a mere reply: nothing but its kind, and which server sent it. */
const EMPTY = ["resultType", "_meta"];
const START = { name: "start_deep_dive", arguments: QUERY };

t.test("a deep dive is a task to a client that declares the extension", async (t) => {
	const shop = await startMcp(t);
	const ask = rpc2026(shop.baseUrl, { headers: { "X-API-Key": shop.key }, capabilities: TASKS });
	const before = await shop.balance();

	const { capabilities } = (await ask("server/discover")).result;
	t.same(capabilities.extensions, { "io.modelcontextprotocol/tasks": {} });

	const created = (await ask("tools/call", START)).result;
	t.match(created, {
		resultType: "task",
		taskId: /^job_/,
		status: /working|completed/,
		createdAt: /Z$/,
		lastUpdatedAt: /Z$/,
		ttlMs: 48 * 3_600_000,
		pollIntervalMs: 2_000,
		_meta: { "tollgraph/cost": { amount_usd: "10.00", held: true } },
	});
	const { taskId } = created;
	let task = (await ask("tasks/get", { taskId })).result;
	t.equal(task.resultType, "complete");
	while (task.status === "working") {
		t.notOk("result" in task);
		await setTimeout(20);
		task = (await ask("tasks/get", { taskId })).result;
	}
	t.equal(task.status, "completed");
	const { structuredContent, content, isError } = task.result;
	t.notOk(isError);
	t.match(structuredContent, {
		ok: true,
		data: { job_id: taskId, status: "completed", report: {} },
		meta: { cost: { amount_usd: "10.00", charged: true } },
	});
	t.ok(content[0].text.length > 100);
	t.equal(before - (await shop.balance()), 10_000_000n, "charged once, as without tasks");

	// Ends are final, and an answer to a question that no one asked changes nothing.
	t.same(Object.keys((await ask("tasks/cancel", { taskId })).result), EMPTY);
	const update = await ask("tasks/update", { taskId, inputResponses: { x: { action: "accept" } } });
	t.same(Object.keys(update.result), EMPTY);
	t.equal((await ask("tasks/get", { taskId })).result.status, "completed");

	shop.clock.advance(25 * 3_600_000);
	t.match((await ask("tasks/get", { taskId })).message.error, { code: -32602, message: /over/ });
});

t.test("a task that is cancelled gives back what was not begun", async (t) => {
	const shop = await startMcp(t);
	const ask = rpc2026(shop.baseUrl, { headers: { "X-API-Key": shop.key }, capabilities: TASKS });
	const before = await shop.balance();
	const { taskId } = (await ask("tools/call", START)).result;
	t.same(Object.keys((await ask("tasks/cancel", { taskId })).result), EMPTY);
	let task = (await ask("tasks/get", { taskId })).result;
	while (task.status === "working") {
		await setTimeout(20);
		task = (await ask("tasks/get", { taskId })).result;
	}
	t.match(task.status, /cancelled|completed/);
	const { cost } = (await shop.callTool("get_deep_dive", { job_id: taskId })).result
		.structuredContent;
	t.equal((before - (await shop.balance())) / 10_000n, BigInt(cost.amount_usd.replace(".", "")));
});

t.test("a client that does not declare it gets the job, and no task", async (t) => {
	const shop = await startMcp(t);
	const headers = { "X-API-Key": shop.key };
	const ask = rpc2026(shop.baseUrl, { headers, capabilities: {} });
	const started = (await ask("tools/call", START)).result;
	t.match(started, { resultType: "complete", structuredContent: { data: { job_id: /^job_/ } } });
	const { job_id: taskId } = started.structuredContent.data;
	for (const [method, more] of [
		["tasks/get", {}],
		["tasks/cancel", {}],
		["tasks/update", { inputResponses: {} }],
	] as const) {
		const refused = await ask(method, { taskId, ...more });
		t.equal(refused.status, 400, method);
		t.match(refused.message.error, {
			code: -32021,
			data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
		});
	}
	const legacy = await shop.rpc("/mcp", "tasks/get", { taskId });
	t.ok(legacy.message.error.code, "and no client of 2025 does");
});

t.test("tasks of others are not found, nor are unknown ones", async (t) => {
	const shop = await startMcp(t);
	const mine = rpc2026(shop.baseUrl, { headers: { "X-API-Key": shop.key }, capabilities: TASKS });
	const { key } = await shop.app.operator.createKey({ usd: "1.00" });
	const theirs = rpc2026(shop.baseUrl, { headers: { "X-API-Key": key }, capabilities: TASKS });
	const { taskId } = (await mine("tools/call", START)).result;
	for (const [ask, id] of [
		[theirs, taskId],
		[mine, "job_unknown"],
	] as const) {
		for (const method of ["tasks/get", "tasks/cancel"]) {
			const { error } = (await ask(method, { taskId: id })).message;
			t.match(error, { code: -32602, message: /No job of yours/ }, method);
		}
	}
});

t.test("a job that failed is a completed task whose result is an error", async (t) => {
	const shop = await startMcp(t);
	const ask = rpc2026(shop.baseUrl, { headers: { "X-API-Key": shop.key }, capabilities: TASKS });
	const { taskId } = (await ask("tools/call", START)).result;
	await shop.app.store.transaction(async (tx) => {
		const row = await tx.get("jobs", taskId);
		if (row) await tx.put("jobs", { ...row, state: "failed", stopReason: "lost" });
	});
	t.match((await ask("tasks/get", { taskId })).result, {
		status: "completed",
		result: { isError: true, structuredContent: { ok: false, data: { status: "failed" } } },
	});
});

t.test("a wallet without an account opens its task by the id", async (t) => {
	const shop = await startPaidMcp(t);
	const { name, arguments: args } = START;
	const { required } = await shop.call({ name, args });
	const ask = rpc2026(shop.baseUrl, { capabilities: TASKS });
	const paid = await ask("tools/call", { ...START, _meta: { "x402/payment": shop.pay(required) } });
	t.match(paid.result, {
		resultType: "task",
		_meta: { "x402/payment-response": { success: true } },
	});
	const { taskId } = paid.result;
	t.equal((await ask("tasks/get", { taskId })).result.taskId, taskId);
});
