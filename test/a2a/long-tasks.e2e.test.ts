import { type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import t, { type Test } from "tap";
import { startApp, sumOfAllEntries, type TestApp } from "../support/start-app.js";
import { bodyOf, connect, dataMessage, send, sendParams } from "./stock-client.js";
import { EVERY_WAY, ON_LOOPBACK } from "./x402-agent.js";

const DIVE = {
	skill: "deep_dive",
	input: { query: "How do agents pay for what they call?", mode: "fast" },
};
const AT = "/v1/research/deep-dive";

/** The first state, how the passes went, and what came at the end. */
function lifeOf(events: readonly StreamResponse[]) {
	const [first, ...later] = events.map(({ payload }) => payload);
	const updates = later.flatMap((each) => (each?.$case === "statusUpdate" ? [each.value] : []));
	const artifacts = later.flatMap((each) =>
		each?.$case === "artifactUpdate" && each.value.artifact ? [each.value.artifact] : [],
	);
	const passes = new Set(updates.slice(0, -1).map(({ metadata }) => metadata?.["pass"]));
	const task = first?.$case === "task" ? first.value : undefined;
	return { task, passes: [...passes], artifacts, last: updates.at(-1) };
}

function textOf({ artifacts }: Pick<Task, "artifacts">): unknown {
	const contents = artifacts[0]?.parts.map(({ content }) => content) ?? [];
	return contents.find((content) => content?.$case === "text")?.value;
}

t.test("a deep dive is a task that is streamed to its report, in both versions", async (t) => {
	const shop = await startApp(t, { settings: { model: "none", grpc: ON_LOOPBACK } });
	const { baseUrl, app } = shop;
	const { token } = await shop.issueSpt("45.00");
	const headers = { "X-Pay-SPT": token };
	const balance = async () =>
		(await shop.send("/v1/spt/balance", { headers })).body.data.balance_usd;
	let expected = 45;
	for (const way of [EVERY_WAY[0], EVERY_WAY[3], EVERY_WAY[4]]) {
		if (!way) continue;
		const name = `${way.binding} ${way.version}`;
		const client = await connect({ baseUrl, ...way, headers });
		t.match((await client.getAgentCard()).capabilities, { pushNotifications: true });
		const message = dataMessage(DIVE);
		const events: StreamResponse[] = [];
		for await (const event of client.sendMessageStream(sendParams(message))) events.push(event);
		const { task, passes, artifacts, last } = lifeOf(events);
		t.equal(task?.status?.state, TaskState.TASK_STATE_SUBMITTED, name);
		t.same(passes, ["plan", "round_1", "round_2", "write"], name);
		t.equal(last?.status?.state, TaskState.TASK_STATE_COMPLETED);

		const { report, job_id: jobId } = bodyOf({ artifacts }).data;
		const { body } = await shop.send(`${AT}/status/${jobId}`, { headers });
		t.same(body.data.report, report, "one job is behind the task and its status over REST");
		t.match(body.data, { status: "completed", cost: { charged: true, amount_usd: "10.00" } });
		const markdown = await shop.send(`${AT}/${jobId}/export?format=md`, { headers });
		t.equal(textOf({ artifacts }), markdown.body);
		const { body: told } = await shop.send(`${AT}/${jobId}/events`, { headers });
		t.match(told, /event: research.completed/);

		const again = await send(client, message);
		t.equal(again.id, task?.id, "the same message is the same task");
		t.same(bodyOf(again).data.report, report);
		expected -= 10;
		t.equal(Number(await balance()), expected, "and one charge");
	}
	t.equal(await sumOfAllEntries(app), 0n);
	await goWithJob(t, shop, headers);
});

/** The task of a job that its owner deletes goes with it, question and all. */
async function goWithJob(t: Test, shop: TestApp, headers: Readonly<Record<string, string>>) {
	const { app, baseUrl } = shop;
	const client = await connect({ baseUrl, binding: "JSONRPC", version: "1.0", headers });
	const [row] = await app.store.read((reader) => reader.list("tasks"));
	const { id = "", jobId, documentId = "" } = row ?? {};
	t.match(await app.store.documents.get(documentId), DIVE.input.query);
	const path = `${AT}/${jobId}`;
	const other = { headers: { "X-Pay-SPT": (await shop.issueSpt("1.00")).token } };
	t.equal((await shop.send(`${path}/events`, other)).status, 404);
	t.equal((await shop.send(path, { method: "DELETE", headers })).status, 200);
	await t.rejects(client.getTask({ tenant: "", id }), /not found/i);
	await app.operator.purge();
	t.equal(await app.store.read((reader) => reader.get("tasks", id)), undefined);
	t.equal(await app.store.documents.get(documentId), undefined);
}
