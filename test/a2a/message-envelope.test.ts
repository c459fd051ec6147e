import t from "tap";
import { ask, askGraph, post, rpc } from "./raw-rpc.js";
import { startA2a } from "./start-a2a.js";

const ROLE = "ROLE_USER";
const GOOD = { messageId: "m", role: ROLE, parts: [{ text: "a" }] };
const LEGACY = {
	kind: "message",
	messageId: "m",
	role: "user",
	parts: [{ kind: "text", text: "a" }],
};

t.test("a body that is not one object is no request, however it is wrapped", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const request = JSON.stringify({
		jsonrpc: "2.0",
		id: 1,
		method: "SendMessage",
		params: askGraph("a"),
	});
	for (const text of [JSON.stringify(request), `[${request}]`, "[]", "null", "5"]) {
		const { status, body } = await rpc(shop.baseUrl, { text, headers });
		t.same([status, body.error.code, body.id], [400, -32600, null], text);
	}
	for (const path of ["message:send", "some-tenant/message:send"]) {
		const text = JSON.stringify(JSON.stringify(askGraph("a")));
		const url = `${shop.baseUrl}/a2a/rest/${path}`;
		const { status } = await post(url, { text, headers: { ...headers, "A2A-Version": "1.0" } });
		t.equal(status, 400, path);
	}
	t.equal(await shop.balance(id), 5_000_000n);
});

t.test("what is no message is refused as such, with its path, in version 1.0", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const cases: readonly (readonly [object, string])[] = [
		[{ role: "X" }, "message.role"],
		[{ role: "ROLE_AGENT" }, "message.role"],
		[{ messageId: {} }, "message.messageId"],
		[{ messageId: "x".repeat(129) }, "message.messageId"],
		[{ messageId: "two words" }, "message.messageId"],
		[{ contextId: { a: 1 } }, "message.contextId"],
		[{ contextId: "x".repeat(129) }, "message.contextId"],
		[{ context_id: "x".repeat(129) }, "message.contextId"],
		[{ parts: [null] }, "message.parts.0"],
		[{ parts: [{ text: { a: 1 } }] }, "message.parts.0.text"],
		[{ parts: [{ text: "a", data: {} }] }, "message.parts.0"],
		[{ extensions: 5 }, "message.extensions"],
		[{ referenceTaskIds: 5 }, "message.referenceTaskIds"],
	];
	const rest = { ...headers, "A2A-Version": "1.0" };
	for (const [change, path] of cases) {
		const params = { message: { ...GOOD, ...change } };
		const { status, body } = await rpc(shop.baseUrl, { params, headers });
		t.same([status, body.error.code], [400, -32602], path);
		t.equal(body.error.data.error.details[0].path, path);
		for (const spelling of ["message:send", "Message:Stream/", "v1/message:send"]) {
			const url = `${shop.baseUrl}/a2a/rest/${spelling}`;
			const answer = await post(url, { text: JSON.stringify(params), headers: rest });
			t.same([answer.status, answer.body.error.details[0].path], [400, path], spelling);
		}
	}
	const configured = { ...ask({}), configuration: { acceptedOutputModes: 5 } };
	const { status, body } = await rpc(shop.baseUrl, { params: configured, headers });
	t.same([status, body.error.code], [400, -32602]);
	t.equal(body.error.data.error.details[0].path, "configuration.acceptedOutputModes");
	t.equal(await shop.balance(id), 5_000_000n);
	t.same(shop.searched, []);
});

t.test("what is no message is refused as such, with its path, in version 0.3", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const cases: readonly (readonly [object, string])[] = [
		[{ parts: [null] }, "message.parts.0"],
		[{ parts: [{ kind: "file" }] }, "message.parts.0.kind"],
		[{ parts: [{ kind: "text", text: { a: 1 } }] }, "message.parts.0.text"],
		[{ role: "agent" }, "message.role"],
		[{ extensions: 5 }, "message.extensions"],
		[{ referenceTaskIds: 5 }, "message.referenceTaskIds"],
		[{ contextId: { a: 1 } }, "message.contextId"],
	];
	for (const [change, path] of cases) {
		const params = { message: { ...LEGACY, ...change } };
		const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params });
		const { status, body } = await post(`${shop.baseUrl}/a2a/jsonrpc`, { text, headers });
		t.same([status, body.error.code], [400, -32602], path);
		t.equal(body.error.data.error.details[0].path, path);
	}
	const reads: readonly (readonly [string, object, string])[] = [
		["tasks/get", { id: 5 }, "id"],
		["tasks/cancel", { id: {} }, "id"],
		["tasks/pushNotificationConfig/set", { taskId: "x" }, "pushNotificationConfig"],
	];
	for (const [method, params, path] of reads) {
		const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
		const { status, body } = await post(`${shop.baseUrl}/a2a/jsonrpc`, { text, headers });
		t.same([status, body.error.data?.error.details[0].path], [400, path], method);
	}
	const restCases: readonly (readonly [object, string])[] = [
		[{ content: [null] }, "message.content.0"],
		[{ content: [{ file: {} }] }, "message.content.0"],
		[{ content: [{ data: 5 }] }, "message.content.0.data"],
		[{ content: [{ text: "a" }], role: "X" }, "message.role"],
	];
	for (const [change, path] of restCases) {
		const text = JSON.stringify({ request: { messageId: "m", role: ROLE, ...change } });
		const url = `${shop.baseUrl}/a2a/rest/v1/message:send`;
		const { status, body } = await post(url, { text, headers });
		t.same([status, body.error.details?.[0].path], [400, path]);
	}
	t.equal(await shop.balance(id), 5_000_000n);
	t.same(shop.searched, []);
});
