import t from "tap";
import { startApp, type TestApp } from "../support/start-app.js";

const GRAPH = "/v1/graphs/agent-payments";
const NODE = "authorizations.eip-3009-transfer-with-authorization";

async function openShop(t: Parameters<typeof startApp>[0]) {
	const app = await startApp(t, { settings: { model: "none" } });
	const { token } = await app.issueSpt("25.00");
	const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
	const get = (path: string) => app.send(`${GRAPH}${path}`, { headers });
	const post = (path: string, body: object) =>
		app.send(`${GRAPH}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
	const balance = async () =>
		(await app.send("/v1/spt/balance", { headers })).body.data.balance_usd;
	return { app, get, post, balance };
}

async function readPages(get: (path: string) => ReturnType<TestApp["send"]>, path: string) {
	const items: Record<string, unknown>[] = [];
	for (let cursor = ""; ; ) {
		const { body } = await get(`${path}${cursor === "" ? "" : `&cursor=${cursor}`}`);
		items.push(...body.data.items);
		cursor = body.meta.next_cursor;
		if (cursor === null) return items;
	}
}

t.test("a whole graph is read page by page for the price of its pages", async (t) => {
	const { app, get, balance } = await openShop(t);
	const { nodes, edges } = (await app.send(`${GRAPH}/stats`)).body.data;
	const all = await readPages(get, "/nodes?limit=20");
	t.equal(new Set(all.map(({ node_id }) => node_id)).size, nodes);
	t.equal((await readPages(get, "/edges?limit=50")).length, edges);
	const pages = Math.ceil(nodes / 20) + Math.ceil(edges / 50);
	t.equal(await balance(), (25 - 0.5 * pages).toFixed(2));
});

t.test("what does not exist and what is empty cost nothing", async (t) => {
	const { get, post, balance } = await openShop(t);
	const notFound = [
		await get("/nodes/moon"),
		await get("/nodes/moon/neighbors"),
		await get("/edges?source=moon"),
		await get("/timeline?node_id=moon"),
		await post("/paths", { from: NODE, to: "moon" }),
		await post("/subgraph", { seeds: [NODE, "moon"] }),
		await post("/similar", { node_id: "moon" }),
	];
	for (const { status, body } of notFound) {
		t.equal(status, 404);
		t.equal(body.error.code, "NOT_FOUND");
	}
	const empty = [
		await get("/nodes?type=Nothing"),
		await get("/edges?edge_types=nothing"),
		await get("/timeline?from=1990-01-01&to=1990-01-02"),
		await get("/changes"),
		await post("/paths", { from: NODE, to: NODE }),
		await post("/context", { query: "sourdough starter hydration" }),
	];
	for (const { status, body } of empty) {
		t.equal(status, 200);
		t.equal(body.meta.cost.charged, false);
	}
	t.equal(await balance(), "25.00");
});

t.test("a request that makes no sense is refused before it costs anything", async (t) => {
	const { get, post, balance } = await openShop(t);
	const refused = [
		await get("/nodes?cursor=WyJ4Il0"),
		await get("/nodes?type=A,,B"),
		await get("/nodes?limit=51"),
		await get("/nodes?color=red"),
		await get(`/nodes/${NODE}/neighbors?depth=4`),
		await get("/timeline?from=2020-13-01"),
		await get("/export?format=exe"),
		await post("/paths", { from: NODE }),
		await post("/subgraph", { seeds: [] }),
		await post("/similar", {}),
		await post("/similar", { text: "x", node_id: NODE }),
		await post("/context", { query: "x", max_tokens: 5 }),
	];
	for (const { status, body } of refused) {
		t.equal(status, 400);
		t.equal(body.error.code, "INVALID_ARGUMENT");
	}
	t.equal(await balance(), "25.00");
});

t.test("a context pack keeps its budget and cites what it says", async (t) => {
	const { post } = await openShop(t);
	const query = "Which standard lets a token holder sign a transfer that somebody else submits?";
	const { body } = await post("/context", { query, max_tokens: 300 });
	t.ok(body.data.tokens <= 300);
	t.match(body.data.context, /^## /);
	t.match(body.data.nodes, [{ passages: Number }]);
	for (const { number } of body.data.citations) t.ok(body.data.context.includes(`[${number}]`));
});

t.test("similar nodes do not hold the node itself", async (t) => {
	const { post } = await openShop(t);
	const { body } = await post("/similar", { node_id: NODE, limit: 5 });
	t.ok(body.data.items.length > 0);
	t.notOk(body.data.items.some(({ node_id }: { node_id: string }) => node_id === NODE));
});

t.test("a text that speaks of something else is like nothing", async (t) => {
	const { post, balance } = await openShop(t);
	const before = await balance();
	const other = await post("/similar", { text: "sourdough starter hydration" });
	t.equal(other.status, 200);
	t.same(other.body.data.items, []);
	t.match(other.body.meta, { decision: "ABSTAIN", missing: /.+/, cost: { charged: false } });
	t.equal(await balance(), before);
	const { body } = await post("/similar", { text: "authorizing a token transfer by a signature" });
	t.ok(body.data.items.length > 0);
	t.match(body.meta, { decision: /ANSWER|PARTIAL/, cost: { charged: true } });
});

t.test("what is returned for free is the same until the graph changes", async (t) => {
	const { app } = await openShop(t);
	for (const name of ["preview", "stats", "schema", "versions"]) {
		const first = await app.send(`${GRAPH}/${name}`);
		t.equal(first.status, 200);
		const etag = first.headers.get("etag") ?? "";
		const again = await app.send(`${GRAPH}/${name}`, { headers: { "If-None-Match": etag } });
		t.equal(again.status, 304, name);
		t.equal((await app.send(`/v1/graphs/nowhere/${name}`)).status, 404);
	}
	const { body } = await app.send(`${GRAPH}/preview`);
	t.equal(body.data.rows.length, 2);
});
