import { TaskState } from "@a2a-js/sdk";
import t from "tap";
import { startA2a } from "./start-a2a.js";
import {
	type Binding,
	bodyOf,
	connect,
	searchMessage,
	send,
	sendParams,
	textMessage,
	type Version,
} from "./stock-client.js";

/** Binding, version, and what its first two paid calls look like on the wire. */
const WAYS: readonly (readonly [Binding, Version, readonly string[]])[] = [
	["JSONRPC", "1.0", ["/a2a/jsonrpc SendMessage", "/a2a/jsonrpc GetTask"]],
	["HTTP+JSON", "1.0", ["/a2a/rest/message:send", "/a2a/rest/tasks/"]],
	["JSONRPC", "0.3", ["/a2a/jsonrpc message/send", "/a2a/jsonrpc tasks/get"]],
	["HTTP+JSON", "0.3", ["/a2a/rest/v1/message:send", "/a2a/rest/v1/tasks/"]],
	["GRPC", "1.0", ["/lf.a2a.v1.A2AService/SendMessage", "/lf.a2a.v1.A2AService/GetTask"]],
	["GRPC", "0.3", ["/a2a.v1.A2AService/SendMessage", "/a2a.v1.A2AService/GetTask"]],
];

for (const [binding, version, firstCalls] of WAYS) {
	t.test(`a stock client of A2A ${version} buys rows over ${binding}`, async (t) => {
		const shop = await startA2a(t);
		const { token, id } = await shop.issueSpt("5");
		const { baseUrl } = shop;
		const wire: string[] = [];
		const headers = { "X-Pay-SPT": token };
		const paying = await connect({ baseUrl, binding, version, headers, wire });
		const poor = await connect({ baseUrl, binding, version });

		await t.test("without a credential it is given the price, unary and streaming", async (t) => {
			const unpaid = searchMessage("who asks for payment");
			await t.rejects(send(poor, unpaid), /costs 0\.50 USD/);
			await t.rejects(poor.sendMessageStream(sendParams(unpaid)).next(), /costs 0\.50 USD/);
			t.same(shop.searched, []);
		});

		await t.test("with a token it gets a completed task with the rows", async (t) => {
			const task = await send(paying, searchMessage("who asks for payment"));
			t.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED);
			t.equal(bodyOf(task).rows[0].trend_id, "web-payments:concepts.http-402");
			t.equal(bodyOf(task).meta.cost.amount_usd, "0.50");
			t.equal(task.metadata?.["receipt_id"], bodyOf(task).meta.cost.receipt_id);
			t.equal(await shop.balance(id), 4_500_000n);
			const again = await paying.getTask({ tenant: "", id: task.id });
			t.same(bodyOf(again).rows, bodyOf(task).rows);
			t.same(
				wire.map((call) => call.replace(/task_.*/, "")),
				firstCalls,
			);
		});

		await t.test("streaming shows the task's life and ends", async (t) => {
			const kinds: string[] = [];
			let rows: unknown[] = [];
			for await (const { payload } of paying.sendMessageStream(
				sendParams(searchMessage("again")),
			)) {
				if (!payload) throw new Error("An event without a payload.");
				kinds.push(payload.$case);
				if (payload.$case === "artifactUpdate" && payload.value.artifact) {
					rows = bodyOf({ artifacts: [payload.value.artifact] }).rows;
				}
			}
			t.same(kinds, ["task", "statusUpdate", "artifactUpdate", "statusUpdate"]);
			t.equal(rows.length, 1);
			t.equal(await shop.balance(id), 4_000_000n);
		});

		await t.test("text alone is answered as a question", async (t) => {
			const task = await send(paying, textMessage("which status asks for money"));
			t.equal(bodyOf(task).meta.query, "which status asks for money");
			t.equal(task.metadata?.["skill"], "answer_question");
			t.equal(bodyOf(task).data.passages[0].about.trend_id, "web-payments:concepts.http-402");
		});

		await t.test("it can list what it bought, where the version knows lists", async (t) => {
			const list = paying.listTasks({
				tenant: "",
				contextId: "",
				status: TaskState.TASK_STATE_COMPLETED,
				pageToken: "",
				statusTimestampAfter: undefined,
				includeArtifacts: true,
			});
			if (version === "0.3") {
				await t.rejects(list);
				return;
			}
			const { tasks, totalSize } = await list;
			t.same([totalSize, tasks.length], [3, 3]);
			t.same(tasks.map((task) => bodyOf(task).rows?.length ?? "an answer").sort(), [
				1,
				1,
				"an answer",
			]);
		});

		await t.test("a finished task cannot be cancelled or watched", async (t) => {
			const task = await send(paying, searchMessage("done"));
			await t.rejects(paying.cancelTask({ tenant: "", id: task.id, metadata: undefined }));
			await t.rejects(paying.resubscribeTask({ tenant: "", id: task.id }).next());
		});
	});
}
