import t from "tap";
import { filesBelow, readableText } from "../support/files-below.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { times } from "../support/times.js";
import { overSocket } from "./over-socket.js";
import { type McpShop, type RpcReply, startMcp } from "./start-mcp.js";

const SEARCH = { graph_id: "agent-payments", query: KNOWN_QUERY };
const DAY_MS = 24 * 3_600_000;

t.test("an address with a secret in it", async (t) => {
	const shop = await startMcp(t);
	const { app, accountId } = shop;
	const create = (scope: object = {}) =>
		app.operator.createToken({ account_id: accountId, ...scope });
	const { token } = await create();

	await t.test("serves clients that send no headers, with and without a slash", async (t) => {
		for (const path of [`/c/${token}`, `/c/${token}/`, `/c/${token}?x=1`]) {
			const listed = await shop.rpc(path, "tools/list");
			t.equal(listed.status, 200, path.replace(token, ""));
			t.same(listed.result.tools, (await shop.rpc("/mcp", "tools/list")).result.tools);
			t.equal(listed.headers.get("cache-control"), "private, no-store");
			t.equal(listed.headers.get("referrer-policy"), "no-referrer");
		}
		const found = await shop.callTool("search_graph", SEARCH, `/c/${token}`);
		t.match(found.result.structuredContent, { ok: true, meta: { cost: { rail: "plan" } } });
		const chosen = `/c/${token}?graph=agent-payments`;
		const again = await shop.callTool("search_graph", { query: KNOWN_QUERY }, chosen);
		t.equal(again.result.structuredContent.meta.graph_id, "agent-payments");
		const both = await shop.rpc(`${chosen}&graph=other`, "tools/list");
		t.same([both.status, both.message.error.code], [400, -32600], "one graph at most");
	});

	await t.test("fails alike whether it was never one, was revoked or has expired", async (t) => {
		const revoked = await create();
		await app.operator.revokeToken({ id: revoked.id });
		const expired = await create({ expires_in_days: 1 });
		shop.clock.advance(DAY_MS);
		const { token: spt } = await shop.issueSpt("5.00");
		const wrong = {
			unknown: `ct_${"x".repeat(36)}`,
			revoked: revoked.token,
			expired: expired.token,
			"API key": shop.key,
			"payment token": spt,
			"cut short": token.slice(0, -1),
			longer: `${token}a`,
			"in capitals": token.toUpperCase(),
			encoded: token.replace("ct_", "%63t_"),
			"with a suffix": `${token}/mcp`,
			"after two slashes": `/${token}`,
			nothing: "",
		};
		const told = new Set<string>();
		for (const [name, secret] of Object.entries(wrong)) {
			const refused = await shop.rpc(`/c/${secret}`, "tools/list");
			t.equal(refused.status, 401, name);
			t.equal(refused.headers.get("www-authenticate"), 'Bearer realm="tollgraph"', name);
			t.equal(refused.headers.get("referrer-policy"), "no-referrer", name);
			t.match(refused.headers.get("cache-control"), /no-store/, name);
			told.add(refused.message.error.message);
		}
		t.match([...told], [/connection token in this address is not known here/]);
	});

	await t.test("opens what it was made for, and nothing else", async (t) => {
		const bySkill = `/c/${(await create({ skills: ["graph_search"] })).token}`;
		const byGraph = `/c/${(await create({ graphs: ["agent-payments"] })).token}`;
		const before = await shop.balance();
		const other = app.catalog.list().find(({ record }) => record.id !== "agent-payments");
		const forbidden = [
			await shop.callTool("verify_claim", { claim: "Water is wet." }, bySkill),
			await shop.callTool("search_graph", { ...SEARCH, graph_id: other?.record.id }, byGraph),
		];
		for (const { result } of forbidden) {
			t.equal(result.isError, true);
			t.equal(JSON.parse(result.content[0].text).error.code, "SCOPE_FORBIDDEN");
		}
		t.equal(await shop.balance(), before);
		for (const path of [bySkill, byGraph]) {
			t.equal((await shop.callTool("search_graph", SEARCH, path)).result.isError, undefined);
		}
	});

	await t.test("manages nothing, and opens nothing in a header", async (t) => {
		const { tools } = (await shop.rpc(`/c/${token}`, "tools/list")).result;
		t.notMatch(JSON.stringify(tools), /rotate|revoke|api.key/i);
		for (const headers of [{ "X-API-Key": token }, { Authorization: `Bearer ${token}` }]) {
			for (const path of ["/mcp", "/chatgpt", "/copilot"]) {
				t.equal((await shop.rpc(path, "tools/list", {}, headers)).status, 401, path);
			}
			t.equal((await shop.send("/v1/account/keys", { headers })).status, 401);
		}
	});

	await t.test("is not for pages of other origins", async (t) => {
		const page = { Origin: "https://evil.example" };
		const refused = await shop.rpc(`/c/${token}`, "tools/list", {}, page);
		t.same([refused.status, refused.message.error.code], [403, -32000]);
		t.equal(refused.headers.get("access-control-allow-credentials"), null);
		const asked = { ...page, "Access-Control-Request-Method": "POST" };
		const replies = await Promise.all(
			[token, `ct_${"x".repeat(36)}`].map(async (secret) => {
				const reply = await send(shop, `/c/${secret}`, { method: "OPTIONS", headers: asked });
				const told = [...reply.headers].filter(([name]) => name.startsWith("access-control"));
				return [reply.status, reply.text, told];
			}),
		);
		t.same(replies[0], replies[1], "what a browser asks beforehand tells no token from another");
		const rebound = await overSocket(
			shop,
			`POST /c/${token} HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 99`,
		);
		t.match(rebound, /^HTTP\/1\.1 403 /);
	});
});

t.test("the secret in an address is repeated nowhere", async (t) => {
	const shop = await startMcp(t);
	const { token } = await shop.app.operator.createToken({ account_id: shop.accountId });
	const canary = token.slice(3, 20);
	const seen: string[] = [];
	const note = async (at: string, reply: Promise<RpcReply>) => {
		const { status, text, headers } = await reply;
		seen.push(`${at}: ${status} ${text} ${JSON.stringify([...headers])}`);
	};
	const paths = [
		`/c/${token}`,
		`/c/${token}/`,
		`/c/${token}/x`,
		`/c/${token}?graph=a&graph=b`,
		`/c/${token}?graph=${token}`,
		`/c/x?token=${token}`,
		`/c//${token}`,
		`//c/${token}`,
		`/C/${token}`,
		`/%63/${token}`,
		`/c/${token}%zz`,
		`/c/%E0%A4%A${token}`,
		`/v1/c/${token}`,
		`/mcp/c/${token}`,
		`/mcp/${token}`,
		`/mcp?graph=${token}`,
		`/copilot/${token}`,
		`/.well-known/oauth-protected-resource/c/${token}`,
		`/v1/graphs/${token}`,
	];
	for (const path of paths) {
		const at = path.replaceAll(token, "…");
		await note(`list ${at}`, shop.rpc(path, "tools/list"));
		await note(`call ${at}`, shop.rpc(path, "tools/call", { name: "search_graph", arguments: {} }));
		await note(`none ${at}`, shop.rpc(path, token));
		for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]) {
			const origin = { Origin: "https://page.example", "Access-Control-Request-Method": "POST" };
			await note(`${method} ${at}`, send(shop, path, { method, headers: origin }));
		}
		const headers = { "Content-Type": "application/json" };
		for (const body of ["{", "[]", '"x"', "x".repeat(1_000_000), ""]) {
			await note(`post ${at}`, send(shop, path, { method: "POST", headers, body }));
		}
	}
	await t.test("in replies and their headers", async (t) => {
		t.ok(seen.length > 200);
		// Anyone who writes a secret where a tool's arguments belong is shown "sk_…" of it at most.
		t.same(
			seen.filter((reply) => reply.includes(canary)).map((reply) => reply.slice(0, 200)),
			[],
		);
		t.same(
			seen.filter((reply) => /: 5\d\d /.test(reply)).map((reply) => reply.slice(0, 200)),
			[],
		);
	});
	await t.test("when the connection breaks, or speaks no HTTP", async (t) => {
		const head = "Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99";
		for (const request of [
			`POST http://[/c/${token} HTTP/1.1\r\n${head}`,
			`POST http://127.0.0.1/c/${token} HTTP/1.1\r\n${head}`,
			`POST /c/${token} HTTP/1.1\r\n${head}`,
			`POST /c/${token} HTTP/1.1\r\n${head}\r\nHost: b`,
			`POST /c/${token} HTTP/9.9\r\n${head}`,
			`POST /c/${token}\u0001 HTTP/1.1\r\n${head}`,
		]) {
			t.notMatch(await overSocket(shop, request), canary);
		}
	});
	await t.test("in the log, with the fields of its lines, also when the house fails", async (t) => {
		t.same(
			shop.logged.filter((line) => line.startsWith("unexpected failure")),
			[],
		);
		await shop.app.store.close();
		const failed = await shop.callTool("search_graph", SEARCH, `/c/${token}`);
		t.equal(failed.result.isError, true);
		t.notMatch(failed.text, canary);
		t.same(
			shop.logged.filter((line) => line.includes(canary)),
			[],
		);
	});
	await t.test("in the files of the data folder", async (t) => {
		await shop.close();
		const files = filesBelow(shop.folder);
		t.ok(files.length > 3);
		t.same(
			files.filter((file) => readableText(shop.folder, file).includes(canary)),
			[],
		);
	});
});

t.test("guessed tokens", async (t) => {
	const shop = await startMcp(t);
	const { token } = await shop.app.operator.createToken({ account_id: shop.accountId });
	const path = `/c/${token}`;
	t.equal((await shop.rpc(path, "tools/list")).status, 200);
	shop.clock.hold();
	await t.test("are refused after some, whatever way they are written", async (t) => {
		const guesses = await Promise.all(
			times(90, (index) =>
				shop.rpc(`/c/ct_${String(index).padStart(36, "x")}${"/".repeat(index % 2)}`, "tools/list"),
			),
		);
		const statuses = guesses.map(({ status }) => status);
		t.same([...new Set(statuses)].sort(), [401, 429]);
		t.equal(statuses[0], 401);
		const last = await shop.rpc(`/c/ct_${"y".repeat(36)}`, "tools/list");
		t.equal(last.status, 429);
		t.match(last.message.error.message, /credentials that are not valid/);
		t.ok(Number(last.headers.get("retry-after")) >= 1);
	});
	await t.test("do not hold up a token that is known, from the same address", async (t) => {
		t.equal((await shop.rpc(path, "tools/list")).status, 200);
		const found = await shop.callTool("search_graph", SEARCH, path);
		t.equal(found.result.structuredContent.ok, true);
	});
});

async function send(shop: McpShop, path: string, init: RequestInit): Promise<RpcReply> {
	const response = await fetch(`${shop.baseUrl}${path}`, init);
	const { status, headers } = response;
	return { status, headers, text: await response.text(), message: undefined, result: undefined };
}
