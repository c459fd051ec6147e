import { join } from "node:path";
import t, { type Test } from "tap";
import { createApp } from "../../src/app/create-app.js";
import { testSettings } from "../support/start-app.js";
import { overSocket } from "./over-socket.js";
import { type McpShop, startMcp } from "./start-mcp.js";

const PAY_PER_CALL = { payPerCall: true, allowedOrigins: [] };

t.test("no one is let in to pay call by call where nothing settles on a chain", async (t) => {
	const shop = await startMcp(t, { settings: { mcp: PAY_PER_CALL } });
	const { status, headers } = await shop.rpc("/mcp", "tools/list", {}, {});
	t.equal(status, 401);
	t.match(headers.get("www-authenticate"), /resource_metadata=/, "but told where to sign in");

	const logged: string[] = [];
	const log = (message: string) => void logged.push(message);
	const app = await createApp({
		settings: testSettings(join(t.testdir({}), "data"), { model: "none", mcp: PAY_PER_CALL }),
		logger: { info: log, error: log },
		isServing: true,
	});
	await app.close();
	t.equal(logged.filter((line) => line.startsWith("mcp_pay_per_call is on")).length, 1);
});

t.test("the name a server is called by", async (t) => {
	const sent = async (shop: McpShop, lines: readonly string[]) => {
		const always = [
			`X-API-Key: ${shop.key}`,
			"Content-Type: application/json",
			"Content-Length: 1",
		];
		const head = ["POST /mcp HTTP/1.1", ...lines, ...always];
		return Number((await overSocket(shop, head.join("\r\n"))).split(" ")[1]);
	};
	/** What is sent is no message, which no one finds out who was refused before. */
	const HEARD = 400;

	await t.test("is its machine's where no one else knows it", async (t) => {
		const shop = await startMcp(t);
		for (const name of ["localhost", "127.0.0.1:1", "[::1]"]) {
			t.equal(await sent(shop, [`Host: ${name}`]), HEARD, name);
		}
		for (const name of ["evil.example", "tollgraph:8402", "127.0.0.1.evil.example"]) {
			t.equal(await sent(shop, [`Host: ${name}`]), 403, name);
		}
	});
	await t.test("is whatever a proxy says where it is public, but for pages", async (t) => {
		const publicUrl = "https://shop.example";
		const shop = await startMcp(t, {
			settings: { publicUrl, mcp: { payPerCall: false, allowedOrigins: ["inspector.example"] } },
		});
		const upstream = "Host: tollgraph:8402";
		t.equal(await sent(shop, [upstream]), HEARD);
		t.equal(await sent(shop, [upstream, "Origin: https://inspector.example"]), HEARD);
		t.equal(await sent(shop, [upstream, `Origin: ${publicUrl}`]), HEARD);
		for (const origin of ["http://tollgraph:8402", "https://evil.example", "null"]) {
			t.equal(await sent(shop, [upstream, `Origin: ${origin}`]), 403, origin);
		}
	});
});

t.test("a failure of ours is logged, and what callers do wrong is not", async (t) => {
	const shop = await startMcp(t);
	const before = shop.logged.length;
	await doWrong(shop, t);
	t.equal(shop.logged.length, before);

	const { info } = shop.app.service as { info: { version: string } };
	const { version } = info;
	Object.defineProperty(info, "version", {
		configurable: true,
		get() {
			throw new Error("out of order");
		},
	});
	const { status, text } = await shop.callTool("list_analysts");
	Object.defineProperty(info, "version", { value: version });
	t.equal(status, 500);
	t.notMatch(text, /out of order/);
	const lines = shop.logged.slice(before);
	t.match(lines, [/^unexpected failure .*out of order/]);
	t.equal(lines.length, 1);
});

async function doWrong(shop: McpShop, t: Test) {
	const call = { "X-API-Key": shop.key };
	const refused = [
		await shop.rpc("/mcp", "tools/list", {}, { ...call, "Content-Type": "text/plain" }),
		await shop.rpc("/mcp", "tools/list", {}, { ...call, Accept: "text/html" }),
		await shop.rpc("/mcp", "tools/list", {}, { ...call, "Mcp-Protocol-Version": "2026-07-28" }),
		await shop.rpc("/mcp", "tools/list", {}, { ...call, "Mcp-Protocol-Version": "1999-01-01" }),
		await shop.rpc("/mcp", "no/such/method"),
		await shop.callTool("no_such_tool"),
	];
	for (const { status, message } of refused) {
		t.ok(status < 500, String(status));
		t.ok(message.error, JSON.stringify(message));
	}
	for (let delayMs = 0; delayMs < 10; delayMs++) {
		const leaving = fetch(`${shop.baseUrl}/mcp`, {
			method: "POST",
			headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...call },
			body: JSON.stringify({
				jsonrpc: "2.0",
				id: 1,
				method: "tools/call",
				params: { name: "route_query", arguments: { query: `payments ${delayMs}` } },
			}),
			signal: AbortSignal.timeout(delayMs),
		});
		await leaving.then((response) => response.text()).catch(() => undefined);
	}
	await shop.callTool("list_analysts");
}
