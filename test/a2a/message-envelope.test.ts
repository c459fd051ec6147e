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

t.test("a file is content that is not read here, in each version and binding", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const info = {
		"@type": "type.googleapis.com/google.rpc.ErrorInfo",
		reason: "CONTENT_TYPE_NOT_SUPPORTED",
		domain: "a2a-protocol.org",
	};
	const url = { url: "https://example.org/a.pdf", mediaType: "application/pdf" };
	const raw = { raw: "aGVsbG8=", mediaType: "application/pdf" };
	for (const parts of [[url], [raw], [{ text: "a" }, raw]]) {
		const params = { message: { ...GOOD, parts } };
		const called = await rpc(shop.baseUrl, { params, headers });
		t.match(called.body, { id: 7, error: { code: -32005, message: /is a file/, data: [info] } });
		const sent = await post(`${shop.baseUrl}/a2a/rest/message:send`, {
			text: JSON.stringify(params),
			headers: { ...headers, "A2A-Version": "1.0" },
		});
		t.equal(sent.status, 400);
		t.match(sent.body.error, { code: 400, details: [info] });
	}
	const file = { uri: "https://example.org/a.pdf", mimeType: "application/pdf" };
	const legacy = { message: { ...LEGACY, parts: [{ kind: "file", file }] } };
	const { body } = await rpc(shop.baseUrl, {
		method: "message/send",
		params: legacy,
		headers: { ...headers, "A2A-Version": "0.3" },
	});
	t.match(body.error, { code: -32005, data: [info] });
	t.equal(await shop.balance(id), 5_000_000n);
	t.same(shop.searched, []);
});

t.test("a slash at the end of an address changes nothing", async (t) => {
	const shop = await startA2a(t);
	const { token } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token, "A2A-Version": "1.0" };
	const text = JSON.stringify({
		jsonrpc: "2.0",
		id: 7,
		method: "SendMessage",
		params: askGraph("a"),
	});
	const called = await post(`${shop.baseUrl}/a2a/jsonrpc/`, { text, headers });
	t.match(called, { status: 200, body: { id: 7, result: { task: Object } } });
	const sent = await post(`${shop.baseUrl}/a2a/rest/message:send/`, {
		text: JSON.stringify(askGraph("a")),
		headers,
	});
	t.match(sent, { status: 200, body: { task: Object } });
	const read = await fetch(`${shop.baseUrl}/a2a/jsonrpc/`);
	t.equal(read.status, 405);
	const refused = await post(`${shop.baseUrl}/a2a/jsonrpc/`, { text: "{", headers });
	t.match(refused, { status: 400, body: { error: { code: -32700 } } });
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
