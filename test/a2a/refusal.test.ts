import t from "tap";
import { ask, askGraph, post, rpc } from "./raw-rpc.js";
import { startA2a } from "./start-a2a.js";

t.test("an unpaid message is answered with HTTP 402 and the ways to pay", async (t) => {
	const { baseUrl, searched } = await startA2a(t);
	for (const method of ["SendMessage", "SendStreamingMessage"]) {
		const { status, headers, body } = await rpc(baseUrl, { method, params: askGraph("a") });
		t.equal(status, 402);
		t.match(headers.get("WWW-Authenticate"), "Bearer");
		t.equal(headers.get("Cache-Control"), "no-store");
		t.match(body, { jsonrpc: "2.0", id: 7, error: { code: -32042 } });
		t.match(body.error.data, {
			error: { code: "PAYMENT_REQUIRED", retryable: false },
			price: { amount_usd: "0.50", billing_type: "per_call" },
			accepts: [],
		});
		t.ok(body.error.data.continuations.length > 0);
		t.equal(body.error.data.error.request_id, headers.get("X-Request-Id"));
	}

	const legacyMessage = {
		kind: "message",
		messageId: "m",
		role: "user",
		parts: [{ kind: "text", text: "a" }],
	};
	for (const method of ["message/send", "message/stream"]) {
		const text = JSON.stringify({
			jsonrpc: "2.0",
			id: "x",
			method,
			params: { message: legacyMessage },
		});
		const { status, body } = await post(`${baseUrl}/a2a/jsonrpc`, { text });
		t.match({ status, id: body.id, code: body.error.code }, { status: 402, id: "x", code: -32042 });
	}

	const restMessage = {
		message: {
			messageId: "m",
			role: "ROLE_USER",
			parts: [{ text: "a" }],
			content: [{ text: "a" }],
		},
	};
	for (const path of ["message:send", "message:stream", "v1/message:send", "v1/message:stream"]) {
		const headers: Record<string, string> = path.startsWith("v1") ? {} : { "A2A-Version": "1.0" };
		const answer = await post(`${baseUrl}/a2a/rest/${path}`, {
			text: JSON.stringify(restMessage),
			headers,
		});
		t.equal(answer.status, 402, path);
		t.match(answer.headers.get("Content-Type"), "application/json");
		t.match(answer.body, { error: { code: "PAYMENT_REQUIRED" }, price: { amount_usd: "0.50" } });
	}
	t.same(searched, [], "nothing ran");
});

t.test("a credential no one issued is 401, a spent one 402 with its balance", async (t) => {
	const shop = await startA2a(t);
	const unknown = await rpc(shop.baseUrl, {
		params: askGraph("a"),
		headers: { Authorization: "Bearer spt_test_000000000000000000000000000000000000" },
	});
	t.equal(unknown.status, 401);
	t.equal(unknown.body.error.code, -32041);
	t.match(unknown.headers.get("WWW-Authenticate"), "Bearer");

	const { token } = await shop.issueSpt("0.30");
	const spent = await rpc(shop.baseUrl, { params: askGraph("a"), headers: { "X-Pay-SPT": token } });
	t.equal(spent.status, 402);
	t.equal(spent.body.error.data.error.code, "INSUFFICIENT_BALANCE");
	t.match(JSON.stringify(spent.body), /0\.30/);

	const both = { "X-Pay-SPT": token, "X-API-Key": "sk_live_other" };
	t.equal((await rpc(shop.baseUrl, { params: askGraph("a"), headers: both })).status, 400);
	t.same(shop.searched, []);
});

t.test("what is malformed is refused as such, with its path, and costs nothing", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const cases: readonly (readonly [unknown, string])[] = [
		[ask({ skill: "unknown_skill", input: {} }), "message.parts.0.data.skill"],
		[ask({ skill: "graph_search", input: { graph_id: "web-payments" } }), "query"],
		[ask({ skill: "graph_search", inputs: {} }), "message.parts.0.data.inputs"],
		[ask(["graph_search"]), "message.parts.0.data"],
		[ask({ skill: "domain_search", input: { query: "a", color: "red" } }), "color"],
		[
			ask({ skill: "domain_search", input: { query: "a", filters: { color: "red" } } }),
			"filters.color",
		],
		[
			{ message: { messageId: "", role: "ROLE_USER", parts: [{ text: "a" }] } },
			"message.messageId",
		],
		[{ message: { messageId: "m", role: "ROLE_USER", parts: [{ url: 5 }] } }, "message.parts.0"],
		[{ message: { messageId: "m", role: "ROLE_USER", parts: [] } }, "message.parts"],
	];
	for (const [params, path] of cases) {
		const { status, body } = await rpc(shop.baseUrl, { params, headers });
		t.same([status, body.error.code], [400, -32602], path);
		t.equal(body.error.data.error.details[0].path, path);
	}
	const absent = ask({ skill: "graph_search", input: { graph_id: "no-such-graph", query: "a" } });
	t.equal((await rpc(shop.baseUrl, { params: absent, headers })).status, 404);
	t.equal(await shop.balance(id), 5_000_000n);
	t.same(shop.searched, []);
});

t.test("bodies that are no request are refused before anything else", async (t) => {
	const { baseUrl } = await startA2a(t);
	const broken = await rpc(baseUrl, { text: '{"jsonrpc":' });
	t.same([broken.status, broken.body.error.code, broken.body.id], [400, -32700, null]);

	const large = await rpc(baseUrl, { text: JSON.stringify({ a: "x".repeat(70_000) }) });
	t.same([large.status, large.body.error.code], [400, -32602]);

	const deep = await rpc(baseUrl, { text: `${"[".repeat(20_000)}${"]".repeat(20_000)}` });
	t.equal(deep.status, 400);
	t.notMatch(JSON.stringify(deep.body), /stack|RangeError/);

	const noVersion = await rpc(baseUrl, {
		params: askGraph("a"),
		headers: { "A2A-Version": "9.0" },
	});
	t.same([noVersion.status, noVersion.body.error.code], [400, -32009]);

	const method = await rpc(baseUrl, { method: "Nonsense", params: {} });
	t.equal(method.body.error.code, -32601);

	const text = await rpc(baseUrl, { text: "hello", headers: { "Content-Type": "text/plain" } });
	t.same([text.status, text.body.error.code], [415, -32005]);

	for (const path of ["A2A/jsonrpc", "a2a/jsonrpc//", ".well-known/agent-card.json/"]) {
		const { status } = await post(`${baseUrl}/${path}`, { text: "{}" });
		t.equal(status, 404, path);
	}

	const get = await fetch(`${baseUrl}/a2a/jsonrpc`);
	t.same([get.status, get.headers.get("Allow")], [405, "POST"]);

	const badRest = await post(`${baseUrl}/a2a/rest/message:send`, {
		text: "{",
		headers: { "A2A-Version": "1.0" },
	});
	t.match(badRest, { status: 400, body: { error: { code: "INVALID_ARGUMENT" } } });
});

t.test("the text of an exception never reaches a caller", async (t) => {
	const secret = "secret detail of our house";
	const shop = await startA2a(t, {
		beforeSearch: () => {
			throw new Error(secret);
		},
	});
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const { status, body } = await rpc(shop.baseUrl, { params: askGraph("a"), headers });
	t.equal(status, 200);
	t.equal(body.result.task.status.state, "TASK_STATE_FAILED");
	t.match(body.result.task.metadata.error, { code: "INTERNAL", retryable: true });
	t.notMatch(JSON.stringify(body), new RegExp(secret));
	t.match(JSON.stringify(shop.logged), new RegExp(secret));
	t.equal(await shop.balance(id), 5_000_000n, "the hold was released");

	const mangled = {
		message: { kind: "message", messageId: "m", role: "user", parts: [], extensions: 5 },
	};
	const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: mangled });
	const answer = await post(`${shop.baseUrl}/a2a/jsonrpc`, { text, headers });
	t.notMatch(JSON.stringify(answer.body), /iterable|TypeError/);
});

t.test("a request over HTTP+JSON that is written in another type is refused as such", async (t) => {
	const { baseUrl } = await startA2a(t);
	const { status, body } = await post(`${baseUrl}/a2a/rest/message:send`, {
		text: JSON.stringify(askGraph("a")),
		headers: { "A2A-Version": "1.0", "Content-Type": "text/plain" },
	});
	t.equal(status, 415);
	t.match(body.error, {
		code: 415,
		details: [{ reason: "CONTENT_TYPE_NOT_SUPPORTED", domain: "a2a-protocol.org" }],
	});
});
