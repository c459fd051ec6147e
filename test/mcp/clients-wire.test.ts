import t from "tap";
import { connectMcp } from "./mcp-clients.js";
import { startMcp } from "./start-mcp.js";

const shop = await startMcp(t);
const { token } = await shop.app.operator.createToken({ account_id: shop.accountId });
const ADDRESSES = ["/mcp", "/copilot", `/c/${token}`];
const JSON_TYPES = {
	"Content-Type": "application/json",
	Accept: "application/json, text/event-stream",
};
const MODERN = {
	"io.modelcontextprotocol/protocolVersion": "2026-07-28",
	"io.modelcontextprotocol/clientCapabilities": {},
};
const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

const send = (path: string, init: RequestInit) =>
	shop.send(path, {
		...init,
		headers: {
			...(!path.startsWith("/c/") && { "X-API-Key": shop.key }),
			...JSON_TYPES,
			...(init.headers as object),
		},
	});
const post = (path: string, body: unknown, headers: object = {}) =>
	send(path, { method: "POST", body: JSON.stringify(body), headers: { ...headers } });

t.test("one message, sent with POST, is all there is", async (t) => {
	for (const path of ADDRESSES) {
		for (const method of ["GET", "DELETE", "PUT"]) {
			const { status, headers, body } = await send(path, { method });
			t.equal(status, 405, `${method} ${path.slice(0, 4)}`);
			t.equal(headers.get("allow"), "POST");
			t.match(body, { jsonrpc: "2.0", error: { message: /POST/ } });
		}
	}
});

t.test("a body that is no JSON-RPC message is refused in words", async (t) => {
	for (const path of ADDRESSES) {
		const other = { method: "POST", body: "hello", headers: { "Content-Type": "text/plain" } };
		t.equal((await send(path, other)).status, 415);
		const broken = await send(path, { method: "POST", body: "{" });
		t.match(broken, { status: 400, body: { error: { code: -32700 } } });
		t.match(await post(path, [list, list]), {
			status: 400,
			body: { error: { code: -32600, message: /one JSON-RPC message/ } },
		});
		t.match(await post(path, "tools/list"), { status: 400, body: { error: { code: -32600 } } });
		t.equal((await post(path, { hello: 1 })).status, 400);
	}
});

t.test("no one holds a session: a header that names one changes nothing", async (t) => {
	for (const path of ADDRESSES) {
		const { status, headers } = await post(path, list, { "Mcp-Session-Id": "no-such-session" });
		t.equal(status, 200);
		t.equal(headers.get("mcp-session-id"), null);
		t.equal(headers.get("cache-control"), "private, no-store");
	}
});

t.test("words of both eras are understood in one address", async (t) => {
	const old = await post("/mcp", list, { "MCP-Protocol-Version": "2025-06-18" });
	t.equal(old.status, 200);
	const modern = { ...list, params: { _meta: MODERN } };
	const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" };
	const now = await post("/mcp", modern, headers);
	t.match(now, {
		status: 200,
		body: { result: { resultType: "complete", ttlMs: Number, cacheScope: "private" } },
	});
	t.equal(now.body.result.tools.length, 38);
	t.equal((await post("/mcp", list, { "MCP-Protocol-Version": "1999-01-01" })).status, 400);
	const other = await post("/mcp", modern, { ...headers, "Mcp-Method": "tools/call" });
	t.match(other, { status: 400, body: { error: { code: -32020 } } }, "header and body disagree");
});

t.test("a stranger is shown where access is given; the secret address shows nothing", async (t) => {
	for (const path of ["/mcp", "/copilot", "/chatgpt"]) {
		const { href } = new URL(`/.well-known/oauth-protected-resource${path}`, shop.baseUrl);
		for (const spelling of [path, `${path}/`]) {
			const { status, headers } = await post(spelling, list, { "X-API-Key": "" });
			t.equal(status, 401, spelling);
			t.match(headers.get("www-authenticate"), `resource_metadata="${href}"`);
		}
	}
	const wrong = await post(`/c/ct_${"x".repeat(36)}`, list);
	t.equal(wrong.status, 401);
	t.notMatch(wrong.headers.get("www-authenticate") ?? "", /resource_metadata/);
});

t.test("a cursor that was never issued is refused, in lists of resources too", async (t) => {
	const client = await connectMcp(t, "sdk 2, 2026", {
		url: `${shop.baseUrl}/mcp`,
		headers: { "X-API-Key": shop.key },
	});
	await t.rejects(client.listResources({ cursor: "garbage" }), { code: -32602 });
});
