import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { unpackArchive } from "../../src/knowledge/bundle/archive.js";
import { ask, rpc } from "../a2a/raw-rpc.js";
import { startPaidMcp } from "../mcp/start-paid-mcp.js";

const NOTES: Readonly<Record<string, string>> = {
	"graph.md": `---
type: domain
id: tides
title: Tides
version: 1.0.0
updated: '2020-01-01'
price: 0.125
prices:
  search_graph: "0.30"
  research.deep_dive: 12
owners:
  ann: 33.33
  operator: 66.67
---
About tides.
`,
	"index.md":
		'---\nokf_version: "0.2"\n---\n# Tides\n\n* [Moon](moon.md) - the moon\n* [Sun](sun.md) - the sun\n',
	"moon.md":
		"---\ntype: Concept\ntitle: Moon\ndescription: The moon pulls the sea twice a day.\nsources:\n  - title: Moon\n    url: https://example.org/moon\n---\nThe moon pulls the sea twice a day. See [the sun](sun.md).\n",
	"sun.md":
		"---\ntype: Concept\ntitle: Sun\ndescription: The sun makes spring tides.\nprice_usd: 1.75\nsources:\n  - title: Sun\n    url: https://example.org/sun\n---\nThe sun makes spring tides with the moon.\n",
};

function writeNotes(folder: string, files: Readonly<Record<string, string>> = NOTES): string {
	mkdirSync(folder, { recursive: true });
	for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
	return folder;
}

const QUERY = "What pulls the sea twice a day?";

t.test("a graph with prices of its own", async (t) => {
	const shop = await startPaidMcp(t, { model: "none" });
	const { app, baseUrl, send, issueSpt } = shop;
	const source = writeNotes(join(shop.folder, "..", "tides"));
	await app.operator.importGraph({ source, as: "tides" });
	const { token } = await issueSpt("50.00");
	const get = (path: string, paid = true) =>
		send(path, { headers: paid ? { "X-Pay-SPT": token } : {} });
	const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
		send(path, {
			method: "POST",
			headers: { "Content-Type": "application/json", ...headers },
			body: JSON.stringify(body),
		});
	const paying = { "X-Pay-SPT": token };
	const costOf = ({ body }: Awaited<ReturnType<typeof send>>) => body.meta.cost.amount_usd;

	await t.test("is quoted, asked for, charged and receipted at them", async (t) => {
		const path = "/v1/graphs/tides/search";
		const quote = await post("/v1/quotes", {
			operation: "graphs.search",
			input: { graph_id: "tides", query: QUERY },
		});
		t.match(quote.body.data ?? quote.body, { amount_usd: "0.30", billing_type: "per_call" });
		const unpaid = await post(path, { query: QUERY });
		t.equal(unpaid.status, 402);
		t.equal(unpaid.body.price.amount_usd, "0.30");
		t.same(
			unpaid.body.accepts.map(({ maxAmountRequired }: Record<string, string>) => maxAmountRequired),
			["300000"],
		);
		const header = unpaid.headers.get("payment-required") ?? "";
		const required = JSON.parse(Buffer.from(header, "base64").toString());
		t.same(
			required.accepts.map(({ amount }: { amount: string }) => amount),
			["300000"],
		);
		const paid = await post(path, { query: QUERY }, paying);
		t.equal(paid.status, 200);
		t.equal(costOf(paid), "0.30");
		const receipt = await get(`/v1/receipts/${paid.body.meta.cost.receipt_id}`);
		t.match(receipt.body.data.receipt, { amount_usd: "0.30", graph_ids: ["tides"] });
	});

	await t.test(
		"the concept's price goes before the operation's, and that before the graph's",
		async (t) => {
			t.equal(costOf(await get("/v1/graphs/tides/nodes/sun")), "1.75");
			t.equal(costOf(await get("/v1/graphs/tides/nodes/moon")), "0.125");
			t.equal(costOf(await get("/v1/trends/tides%3Asun")), "1.75");
			const neighbors = await get("/v1/graphs/tides/nodes/sun/neighbors");
			t.equal(costOf(neighbors), "0.125", "its neighbors are not the concept");
			const other = await shop.search({ token });
			t.equal(costOf(other), "0.50", "another graph costs what the list says");
		},
	);

	await t.test(
		"several graphs cost what the list says, a batch what its dearest question costs",
		async (t) => {
			t.equal(costOf(await post("/v1/search", { query: QUERY }, paying)), "0.50");
			const batch = async (...graphs: (string | undefined)[]) => {
				const queries = graphs.map((graph_id) => ({ query: QUERY, ...(graph_id && { graph_id }) }));
				const { body } = await post("/v1/search/batch", { queries });
				return body.price.amount_usd;
			};
			t.equal(await batch("tides", "tides"), "0.60");
			t.equal(await batch("tides", undefined), "1.00");
			const plan = async (graphs: string[]) =>
				(await post("/v1/research/deep-dive/plan", { query: QUERY, graphs, mode: "fast" })).body
					.data.price_usd;
			t.equal(await plan(["tides"]), "12.00");
			t.equal(await plan(["tides", "agent-payments"]), "10.00");
			const dive = await post("/v1/research/deep-dive", {
				query: QUERY,
				graphs: ["tides"],
				mode: "comprehensive",
			});
			t.equal(dive.body.price.amount_usd, "15.00", "a price per call is not that of research");
			const free = await get("/v1/graphs/tides/stats", false);
			t.equal(free.status, 200, "what is free stays free");
		},
	);

	await t.test(
		"says so in the catalog, the price list, the card and the OpenAPI document",
		async (t) => {
			const prices = {
				price_usd: "0.125",
				operations: { "graphs.search": "0.30", "research.deep_dive": "12.00" },
				nodes: { sun: "1.75" },
				priced_nodes: 1,
			};
			const detail = await get("/v1/graphs/tides", false);
			t.match(detail.body.data, { price_usd: "0.30", prices });
			const pricing = await get("/v1/research/pricing", false);
			t.same(pricing.body.data.graphs, { tides: prices });
			const document = await get("/openapi.json", false);
			const searched = document.body.paths["/v1/graphs/{graph_id}/search"].post;
			t.equal(searched["x-svc-price-usd"], 0.5);
			t.same(searched["x-svc-graph-prices"], { tides: "0.30" });
			t.notOk("x-svc-graph-prices" in document.body.paths["/v1/search"].post);
			const card = await get("/.well-known/agent-card.json", false);
			const [{ params }] = card.body.capabilities.extensions;
			const offers = new Map(
				params.offers.map((offer: { id: string; graph_prices?: object }) => [
					offer.id,
					offer.graph_prices,
				]),
			);
			t.same(offers.get("search_graph"), { tides: "0.30" });
			t.same(offers.get("get_node"), { tides: "0.125" });
			t.equal(offers.get("search"), undefined);
			const exported = await get("/v1/graphs/tides/export?format=okf");
			const archive = Buffer.from(exported.body.data.content, "base64");
			const files = unpackArchive(archive, () => true);
			const record = new TextDecoder().decode(files.get("graph.md"));
			t.match(record, /price: "?0\.125/);
			t.notMatch(record, /ann/, "who shares in the revenue is not sold");
			const readme = await get("/v1/graphs/tides/readme", false);
			t.match(readme.body, /0\.30/);
		},
	);

	await t.test("costs the same over A2A and MCP", async (t) => {
		const sent = await rpc(baseUrl, {
			params: ask({ skill: "get_node", input: { graph_id: "tides", node_id: "sun" } }),
			headers: { "X-Pay-SPT": token },
		});
		t.match(JSON.stringify(sent.body), /"amount_usd":"1\.75"/);
		const demanded = await shop.call({
			name: "search_graph",
			args: { graph_id: "tides", query: QUERY },
		});
		t.same(
			demanded.required.accepts.map(({ amount }) => amount),
			["300000"],
		);
		const listed = await fetch(`${baseUrl}/mcp`, {
			method: "POST",
			headers: {
				...paying,
				"Content-Type": "application/json",
				Accept: "application/json, text/event-stream",
			},
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
		});
		t.match(
			await listed.text(),
			/Costs 0\.50 USD; free without an answer\. Some graphs have a price/,
		);
		const funds = await shop.funds();
		const called = await shop.call({
			name: "search_graph",
			args: { graph_id: "tides", query: QUERY },
			meta: { "x402/payment": shop.pay(demanded.required) },
		});
		t.equal(called.result.structuredContent.meta.cost.amount_usd, "0.30");
		t.equal(funds - (await shop.funds()), 300_000n);
	});

	await t.test("its owners have their shares, those of a wallet's payment too", async (t) => {
		const { owners } = await app.operator.listPayouts();
		t.same(
			owners.map(({ owner }) => owner),
			["ann"],
		);
		const { rows, total } = await app.operator.reportLedger({ by: "owner" });
		const ann = rows.find(({ key }) => key === "ann");
		t.equal(ann?.net_usd, owners[0]?.owed_usd);
		const nets = rows.map(({ net_usd }) => Math.round(Number(net_usd) * 1e6));
		t.equal(
			nets.reduce((sum, net) => sum + net, 0),
			Math.round(Number(total.net_usd) * 1e6),
		);
		t.match(await app.operator.payOwner({ owner: "ann" }), { state: "paid", owner: "ann" });
		t.match(await app.operator.listPayouts(), { owners: [{ owed_usd: "0.00" }] });
		t.same((await app.operator.listRefunds()).items, [], "a payout is no refund");
		t.match(await app.operator.verifyLedger(), { status: "ok", sum_usd: "0.00" });
	});

	await t.test(
		"the owner sets, shows and clears them; an update keeps what its source does not name",
		async (t) => {
			const graph_id = "tides";
			const set = await app.operator.priceGraph({
				graph_id,
				price: "",
				prices: { get_node: "0.07", search_graph: "" },
				owners: { bob: "100" },
			});
			t.match(set, {
				changed: true,
				price_usd: null,
				operations: { "graphs.node": "0.07", "research.deep_dive": "12.00" },
				owners: { bob: "100" },
			});
			t.notOk("graphs.search" in set.operations);
			t.equal(
				(await post("/v1/graphs/tides/search", { query: QUERY })).body.price.amount_usd,
				"0.50",
			);
			const document = await get("/openapi.json", false);
			t.notOk("x-svc-graph-prices" in document.body.paths["/v1/graphs/{graph_id}/search"].post);
			t.same(await app.operator.priceGraph({ graph_id }), { ...set, changed: false });

			const { "graph.md": record = "", ...rest } = NOTES;
			const plain = record.replace(/price:[\s\S]*66\.67\n/, "");
			const bare = writeNotes(join(shop.folder, "..", "bare"), { ...rest, "graph.md": plain });
			await app.operator.importGraph({ source: bare, as: "tides", update: true });
			t.match(await app.operator.priceGraph({ graph_id }), { operations: set.operations });
			await app.operator.importGraph({ source, as: "tides", update: true });
			t.match(await app.operator.priceGraph({ graph_id }), { price_usd: "0.125" });

			const cleared = await app.operator.priceGraph({ graph_id, clear: true });
			t.match(cleared, { price_usd: null, operations: {}, owners: {}, nodes: { sun: "1.75" } });
			await t.rejects(app.operator.priceGraph({ graph_id, prices: { "graphs.stats": "1" } }), {
				code: "INVALID_ARGUMENT",
				message: /"graphs\.stats", which is free, and stays so/,
			});
			await t.rejects(app.operator.priceGraph({ graph_id: "agent-payments", price: "1" }), {
				message: /not ours to change/,
			});
		},
	);
});
