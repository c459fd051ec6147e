import { createHash } from "node:crypto";
import t from "tap";
import { OPERATION_ADDRESSES, PAID_OPERATION_IDS } from "../../src/contract/operations.js";
import { startApp } from "../support/start-app.js";

const settings = { model: "none", contact: "mailto:security@example.org" } as const;

async function start(t: Parameters<typeof startApp>[0], changes: { contact?: undefined } = {}) {
	const { baseUrl } = await startApp(t, { settings: { ...settings, ...changes } });
	const get = async (path: string, accept?: string) => {
		const reply = await fetch(`${baseUrl}${path}`, accept ? { headers: { accept } } : {});
		return { reply, type: reply.headers.get("content-type") ?? "", text: await reply.text() };
	};
	return { baseUrl, get };
}

t.test("every address of llms.txt answers, and every paid operation is on it", async (t) => {
	const { baseUrl, get } = await start(t);
	const { type, text } = await get("/llms.txt");
	t.match(type, /^text\/markdown/);
	const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, url]) => String(url));
	t.ok(links.length > 15);
	for (const link of links) {
		t.ok(link.startsWith(baseUrl), link);
		const reply = await fetch(link);
		t.equal(reply.status, 200, link);
		await reply.arrayBuffer();
	}
	for (const id of PAID_OPERATION_IDS) {
		const { method, path } = OPERATION_ADDRESSES[id];
		t.ok(text.includes(`\`${method} ${path}\`: `), id);
	}
	t.match(text, "`POST /v1/search/batch`: 0.50 USD per query\n");
	t.match(text, /\/export`: 0\.50 USD per \d+ nodes\n/);
});

t.test("llms-full.txt holds the readme of every graph", async (t) => {
	const { baseUrl, get } = await start(t);
	const { text } = await get("/llms-full.txt");
	const catalog = (await (await fetch(`${baseUrl}/v1/graphs/catalog`)).json()) as {
		data: { items: { id: string }[] };
	};
	t.ok(catalog.data.items.length > 10);
	for (const { id } of catalog.data.items)
		t.ok(text.includes((await get(`/v1/graphs/${id}/readme`)).text), id);
});

t.test("an MCP client and the MCP registry find the server by its domain", async (t) => {
	const { baseUrl, get } = await start(t);
	const expected = {
		name: "1.0.0.127/tollgraph",
		version: /^\d+\.\d+\.\d+$/,
		remotes: [{ type: "streamable-http", url: `${baseUrl}/mcp` }],
	};
	const places = ["/mcp/server-card", "/.well-known/mcp/server-card"];
	for (const path of [...places, "/.well-known/mcp/server-card.json", "/server.json"]) {
		const { type, text, reply } = await get(path);
		t.equal(reply.status, 200, path);
		t.match(type, /^application\/json/, path);
		const card = JSON.parse(text);
		t.match(card, expected, path);
		t.match(card.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
		t.ok(card.description.length <= 100, "as long as the registry takes");
		const isRegistry = path === "/server.json";
		t.match(card.$schema, isRegistry ? /\/server\.schema\.json$/ : /\/server-card\.schema\.json$/);
	}
});

t.test("crawlers are sent to the retrieval endpoints and find every graph", async (t) => {
	const { baseUrl, get } = await start(t);
	const robots = await get("/robots.txt");
	t.match(robots.type, /^text\/plain/);
	t.match(robots.text, `# For language models: ${baseUrl}/llms.txt`);
	t.match(robots.text, /^User-agent: \*$/m);
	t.match(robots.text, `Sitemap: ${baseUrl}/sitemap.xml`);
	const sitemap = await get("/sitemap.xml");
	t.match(sitemap.type, /xml/);
	const urls = [...sitemap.text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => String(url));
	t.ok(urls.includes(`${baseUrl}/v1/graphs/agent-payments/readme`));
	t.match(sitemap.text, /<lastmod>\d{4}-\d{2}-\d{2}<\/lastmod>/);
});

t.test("the api-catalog is a linkset of addresses that answer", async (t) => {
	const { get } = await start(t);
	const { type, text } = await get("/.well-known/api-catalog");
	t.match(type, /^application\/linkset\+json/);
	const hrefs = [...text.matchAll(/"href":"([^"]+)"/g)].map(([, href]) => String(href));
	t.ok(hrefs.length >= 6);
	for (const href of hrefs) {
		const reply = await fetch(href);
		t.equal(reply.status, 200, href);
		await reply.arrayBuffer();
	}
});

t.test("security.txt names the contact and a day of expiry within a year", async (t) => {
	const { baseUrl, get } = await start(t);
	const { text } = await get("/.well-known/security.txt");
	t.match(text, /^Contact: mailto:security@example\.org$/m);
	t.match(text, `Canonical: ${baseUrl}/.well-known/security.txt`);
	const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? "");
	t.ok(expires > Date.now() && expires < Date.now() + 365 * 86_400_000);
	const none = await start(t, { contact: undefined });
	t.equal((await none.get("/.well-known/security.txt")).reply.status, 404);
});

t.test("a reader who asks for Markdown gets Markdown, everybody else JSON", async (t) => {
	const { get } = await start(t);
	for (const [path, start] of [
		["/", /^# tollgraph/],
		["/v1/graphs/catalog", /Graph readmes/],
		["/v1/graphs/agent-payments", /## What This Is/],
	] as const) {
		const markdown = await get(path, "text/markdown");
		t.match(markdown.type, /^text\/markdown/, path);
		t.match(markdown.text, start);
		t.match(markdown.reply.headers.get("vary"), /Accept/i);
		t.match((await get(path, "text/markdown;q=0.5, application/json")).type, /^application\/json/);
		t.match((await get(path, "*/*")).type, /^application\/json/, path);
		t.match((await get(path)).type, /^application\/json/, path);
	}
	t.equal((await get("/v1/graphs/no-such-graph", "text/markdown")).reply.status, 404);
});

t.test("the list of paid routes stands at both of its addresses", async (t) => {
	const { get } = await start(t);
	const { reply, text } = await get("/.well-known/x402.json");
	t.equal(reply.status, 200);
	t.equal(text, (await get("/.well-known/x402")).text);
});

t.test("browsers find an icon, and keep it", async (t) => {
	const { baseUrl, get } = await start(t);
	for (const path of ["/favicon.ico", "/favicon.svg"]) {
		const { reply, type, text } = await get(path);
		t.equal(reply.status, 200, path);
		t.equal(type, "image/svg+xml");
		t.match(text, /^<svg /);
		t.match(reply.headers.get("cache-control"), /max-age/);
		const etag = reply.headers.get("etag") ?? "";
		const again = await fetch(`${baseUrl}${path}`, { headers: { "if-none-match": etag } });
		t.equal(again.status, 304);
	}
});

t.test("a browser at a paid address is shown a page, and programs JSON", async (t) => {
	const { get } = await start(t);
	const path = "/v1/graphs/agent-payments/nodes?limit=5";
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
	const page = await get(path, browser);
	t.equal(page.reply.status, 402);
	t.match(page.type, /^text\/html/);
	t.match(page.text, /0\.50 USD/);
	t.match(page.text, /How an agent pays/);
	t.match(page.text, /X-Pay-SPT/);
	t.match(page.reply.headers.get("www-authenticate"), /Bearer/);
	t.equal(page.reply.headers.get("cache-control"), "no-store");
	t.match(page.reply.headers.get("vary"), /Accept/);
	t.notMatch(page.text, /<script|req_/);
	for (const accept of ["*/*", "application/json", "application/json, text/html"]) {
		const { reply, type } = await get(path, accept);
		t.equal(reply.status, 402, accept);
		t.match(type, /^application\/json/, accept);
	}
	const missing = await get("/v1/graphs/no-such-graph/nodes", browser);
	t.match(missing, { type: /^text\/html/, text: /Nothing was charged/, reply: { status: 404 } });
	t.match((await get("/v1/graphs/no-such-graph/nodes")).type, /^application\/json/);
	t.match(await get("/no/such/page", browser), {
		text: /This is not here/,
		reply: { status: 404 },
	});
});

t.test("pages load styles and scripts of this server alone", async (t) => {
	const { get } = await start(t);
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
	for (const path of ["/", "/docs", "/docs/graphs.search", "/graphs/agent-protocols"]) {
		const { reply, type, text } = await get(path, browser);
		t.match(type, /^text\/html/, path);
		const policy = reply.headers.get("content-security-policy") ?? "";
		t.match(policy, /script-src 'self' 'sha256-[^']+'(;|$)/);
		t.match(policy, /default-src 'none'/);
		t.notMatch(policy, /unsafe/);
		t.notMatch(text, / style=/, "no style of an element");
		const inline = [...text.matchAll(/<script(?![^>]*(?:src|ld\+json))[^>]*>([^<]*)</g)];
		for (const [, script = ""] of inline) {
			const hash = createHash("sha256").update(script).digest("base64");
			t.ok(
				policy.includes(`'sha256-${hash}'`),
				"the one script in the page is allowed by its hash",
			);
		}
		const files = [
			...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)" integrity="sha256-([^"]+)"/g),
		];
		t.ok(files.length >= 2, path);
		for (const [, file = "", integrity] of files) {
			const asset = await get(file);
			t.equal(createHash("sha256").update(asset.text).digest("base64"), integrity, file);
			t.match(asset.reply.headers.get("cache-control"), /immutable/);
		}
	}
	t.equal(
		(await get("/graphs/agent-payments", browser)).reply.redirected,
		true,
		"one address each",
	);
	t.equal((await get("/graphs/no-such-graph", browser)).reply.status, 404);
	t.equal((await get("/assets/../package.json")).reply.status, 404);
});

t.test("the documents are not sent twice to who has them", async (t) => {
	const { baseUrl } = await start(t);
	for (const path of ["/llms.txt", "/sitemap.xml", "/docs", "/.well-known/api-catalog"]) {
		const first = await fetch(`${baseUrl}${path}`);
		await first.arrayBuffer();
		const etag = first.headers.get("etag") ?? "";
		t.ok(etag, path);
		const again = await fetch(`${baseUrl}${path}`, { headers: { "if-none-match": etag } });
		t.equal(again.status, 304, path);
	}
});
