import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { createApp } from "../../src/app/create-app.js";
import { parseUsd } from "../../src/kernel/money.js";
import { ask, rpc } from "../a2a/raw-rpc.js";
import { startPaidMcp } from "../mcp/start-paid-mcp.js";
import { startServerProcess } from "../support/server-process.js";
import { KNOWN_QUERY, startApp, testSettings } from "../support/start-app.js";

async function openShop(t: Parameters<typeof startApp>[0], settings = {}) {
	const shop = await startApp(t, { settings: { model: "none", ...settings } });
	const command = (method: string, path: string, body?: object, more: object = {}) =>
		shop.send(`/v1/admin${path}`, {
			method,
			headers: {
				Authorization: `Bearer ${shop.app.adminToken}`,
				"Content-Type": "application/json",
				...more,
			},
			...(body && { body: JSON.stringify(body) }),
		});
	return { ...shop, command, read: async (path: string) => (await command("GET", path)).body };
}

t.test("a frozen token says so over REST and A2A, and keeps its balance", async (t) => {
	const shop = await openShop(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "X-Pay-SPT": token };
	const input = { graph_id: "agent-payments", query: KNOWN_QUERY };
	const overA2a = () =>
		rpc(shop.baseUrl, { params: ask({ skill: "graph_search", input }), headers });
	t.match((await shop.command("POST", `/spts/${id}/freeze`)).body, { id, status: "frozen" });
	for (const reply of [await shop.search({ token }), await overA2a()]) {
		t.match(JSON.stringify(reply.body), /has frozen this Shared Payment Token/);
		t.notMatch(reply.status, 200);
	}
	t.equal((await shop.search({ token })).status, 403);
	t.match(await shop.read(`/spts/${id}`), { balance_usd: "5.00", held_usd: "0.00" });
	t.match((await shop.command("POST", `/spts/${id}/unfreeze`)).body, { status: "active" });
	t.equal((await shop.search({ token })).status, 200);
	t.equal((await overA2a()).status, 200);
	t.equal((await shop.command("POST", "/spts/tok_none/freeze")).status, 404);
	await shop.command("POST", "/spts/revoke", { id });
	t.equal((await shop.command("POST", `/spts/${id}/unfreeze`)).status, 400, "it was ended");
});

t.test("a frozen token says so over MCP, where it may pay", async (t) => {
	const shop = await startPaidMcp(t);
	const { token, id } = await shop.issueSpt("5");
	const call = async () => JSON.stringify(await shop.call({ headers: { "X-Pay-SPT": token } }));
	t.notMatch(await call(), /frozen/);
	await shop.app.operator.freezeSpt({ token_id: id });
	t.match(await call(), /has frozen this Shared Payment Token/);
});

t.test("tokens delegated from a frozen one are frozen with it", async (t) => {
	const shop = await openShop(t);
	const { token, id } = await shop.issueSpt("5");
	const delegated = await shop.send("/v1/spt/delegations", {
		method: "POST",
		headers: { "X-Pay-SPT": token, "Content-Type": "application/json" },
		body: JSON.stringify({ amount_usd: "2" }),
	});
	const child: string = (delegated.body.data ?? delegated.body).token;
	t.match(child, /^spt_test_/);
	await shop.command("POST", `/spts/${id}/freeze`);
	const refused = await shop.search({ token: child });
	t.equal(refused.status, 403);
	t.match(refused.body.error.message, /frozen/);
});

t.test(
	"a frozen account pays for nothing over REST and MCP, and a limit a month is kept",
	async (t) => {
		const shop = await openShop(t);
		const { key, account_id } = (await shop.command("POST", "/keys", { usd: "5" })).body;
		const path = `/accounts/${account_id}`;
		const search = () => shop.search({ headers: { "X-API-Key": key } });
		const overMcp = () =>
			shop.send("/mcp", {
				method: "POST",
				headers: {
					"X-API-Key": key,
					"Content-Type": "application/json",
					Accept: "application/json, text/event-stream",
				},
				body: JSON.stringify({
					jsonrpc: "2.0",
					id: 1,
					method: "tools/call",
					params: {
						name: "search_graph",
						arguments: { graph_id: "agent-payments", query: KNOWN_QUERY },
					},
				}),
			});
		t.match((await shop.command("PATCH", path, { frozen: true })).body, { status: "frozen" });
		t.match(JSON.stringify((await overMcp()).body), /has frozen this account/);
		const refused = await search();
		t.equal(refused.status, 403);
		t.match(refused.body.error.message, /frozen this account/);
		t.match((await shop.command("PATCH", path, { frozen: false })).body, { status: "active" });
		t.equal((await search()).status, 200);
		t.match((await shop.command("PATCH", path, { max_per_month_usd: "2.50" })).body, {
			max_per_month_usd: "2.50",
			plan: "free",
		});
		t.match((await shop.command("PATCH", path, { max_per_month_usd: null })).body, {
			max_per_month_usd: null,
		});
		for (const wrong of [{ plan: "gold" }, { max_per_month_usd: "0" }, { frozen: "yes" }]) {
			t.equal((await shop.command("PATCH", path, wrong)).status, 400, JSON.stringify(wrong));
		}
	},
);

t.test(
	"prices are changed at once, in versions; a quote that was made keeps its price",
	async (t) => {
		const shop = await openShop(t, {
			prices: { "search.all": { amountMicros: 700_000n, billingType: "per_call" } },
		});
		const { token } = await shop.issueSpt("20");
		const input = { graph_id: "agent-payments", query: KNOWN_QUERY, limit: 3 };
		const quote = await shop.send("/v1/quotes", {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ operation: "graphs.search", input }),
		});
		const { quote_id } = quote.body.data ?? quote.body;
		const before = await shop.command("GET", "/prices");
		t.match(before.body, {
			version: 0,
			prices: { "graphs.search": { price_usd: "0.50" }, "search.all": { price_usd: "0.70" } },
		});
		const etag = { "If-Match": before.headers.get("etag") ?? "" };
		const rehearsed = await shop.command("PUT", "/prices", {
			prices: { "graphs.search": "9" },
			dry_run: true,
		});
		t.match(rehearsed.body, {
			dry_run: true,
			after: { prices: { "graphs.search": { price_usd: "9.00" } } },
		});
		t.equal((await shop.search()).body.price.amount_usd, "0.50", "a dry run changes no price");
		const set = { prices: { "graphs.search": "0.75" } };
		t.match((await shop.command("PUT", "/prices", set, etag)).body, {
			version: 1,
			versions: [{ version: 1, by: "admin token" }],
		});
		t.equal((await shop.command("PUT", "/prices", set, etag)).status, 412);
		t.equal((await shop.search()).body.price.amount_usd, "0.75");
		const costOf = async (headers: Record<string, string>) =>
			(await shop.search({ token, headers })).body.meta.cost.amount_usd;
		t.equal(await costOf({ "X-Quote-Id": quote_id }), "0.50");
		t.equal(await costOf({}), "0.75");
		const wrong = await shop.command("PUT", "/prices", { prices: { "no.such": "1" } });
		t.equal(wrong.status, 400);
		t.match(wrong.body.error.message, /no\.such/);
		await shop.close();
		const again = await startApp(t, {
			folder: shop.folder,
			settings: { model: "none" },
		});
		t.equal((await again.search()).body.price.amount_usd, "0.75", "also after a start");
	},
);

t.test("revenue by each key comes to what the ledger's accounts of revenue have", async (t) => {
	const shop = await openShop(t);
	const { token, id } = await shop.issueSpt("20");
	const { key } = (await shop.command("POST", "/keys", { usd: "20", has_payment_method: true }))
		.body;
	await shop.search();
	let receipt = "";
	for (const graph of ["agent-payments", "web-payments", "agent-payments"]) {
		receipt = (await shop.search({ token, graph })).headers.get("x-receipt-id") ?? receipt;
		await shop.search({ headers: { "X-API-Key": key }, graph });
	}
	await shop.command("POST", "/ledger/refunds", {
		receipt_id: receipt,
		reason: "late",
		usd: "0.123456",
	});
	const balances = await shop.app.store.read((reader) => reader.balances());
	let inBooks = 0n;
	for (const [account, amount] of balances) if (account.startsWith("rev:")) inBooks += amount;
	const day = new Date().toISOString().slice(0, 10);
	for (const by of ["day", "op", "graph", "payer", "rail"]) {
		const { rows, total } = await shop.read(`/revenue?by=${by}&to=${day}`);
		const sum = (rows as { gross_usd: string; refunded_usd: string }[]).reduce(
			(net, row) => net + parseUsd(row.gross_usd) - parseUsd(row.refunded_usd),
			0n,
		);
		t.equal(sum, parseUsd(total.net_usd), by);
	}
	const { total } = await shop.read("/revenue");
	const promoted = -(balances.get("promo:free_tier") ?? 0n);
	t.equal(parseUsd(total.net_usd), inBooks - promoted, "free calls are revenue of no one");
	t.equal((await shop.command("GET", "/revenue?by=moon")).status, 400);

	const usage = await shop.read("/usage");
	t.match(usage, { challenged_calls: 1, failed_calls: 0, delivered_calls: 4 });
	t.ok(usage.repeat_payers >= 1 && usage.payers >= usage.repeat_payers);
	const overview = await shop.read("/overview");
	t.match(overview, { net_usd: total.net_usd, challenged_calls: 1, ledger: "ok" });
	t.type(overview.latency.p95_ms, "number");
	const { outstanding_usd, items } = await shop.read("/spts?limit=1");
	t.equal(items.length, 1);
	t.equal(outstanding_usd, (await shop.read("/spts")).outstanding_usd);

	const seen: string[] = [];
	let cursor = "";
	do {
		const page = await shop.read(`/ledger?account=${id}&limit=3${cursor && `&cursor=${cursor}`}`);
		seen.push(...page.items.map((item: { id: string }) => item.id));
		cursor = page.next ?? "";
	} while (cursor);
	const whole = (await shop.read(`/ledger?account=${id}&limit=500`)).items;
	t.same(
		seen,
		whole.map((item: { id: string }) => item.id),
	);
	t.ok(seen.length > 3);
	t.same((await shop.read("/ledger?kind=refund")).items.length, 1);
	t.match((await shop.read("/payouts")).owners, []);
	t.match(await shop.read("/reconciliation"), { at: null });
});

t.test("a failed job begins again, and its payer is not charged for it", async (t) => {
	const shop = await openShop(t);
	const { token, id } = await shop.issueSpt("25");
	const headers = { "Content-Type": "application/json", "X-Pay-SPT": token };
	const begun = await shop.send("/v1/research/deep-dive", {
		method: "POST",
		headers,
		body: JSON.stringify({ query: "How do agents pay for HTTP calls?" }),
	});
	const job: string = begun.body.data.job_id;
	const ended = async () => {
		for (;;) {
			const state = await shop.read(`/jobs/${job}`);
			if (!["queued", "running"].includes(state.state)) return state;
			await sleep(20);
		}
	};
	await ended();
	t.equal((await shop.command("POST", `/jobs/${job}/retry`)).status, 400, "it did not fail");
	t.equal((await shop.command("POST", "/jobs/job_none/retry")).status, 404);
	await shop.app.store.transaction(async (tx) => {
		const row = await tx.get("jobs", job);
		if (row) await tx.put("jobs", { ...row, state: "failed", holdId: undefined });
	});
	t.match(await shop.read("/jobs?state=failed"), {
		items: [{ id: job, state: "failed" }],
		next: null,
	});
	const { balance_usd } = await shop.read(`/spts/${id}`);
	t.match((await shop.command("POST", `/jobs/${job}/retry`)).body, {
		state: "queued",
		price_usd: "0.00",
	});
	t.match(await ended(), { state: "completed", charged_usd: "0.00" });
	t.equal((await shop.read(`/spts/${id}`)).balance_usd, balance_usd);
});

t.test("a feed that is switched off shows nothing, and a dry run switches none off", async (t) => {
	const shop = await openShop(t);
	const { items } = (await shop.send("/v1/supplemental/feeds?limit=1")).body.data;
	const id: string = items[0].feed_id;
	const reasonOf = async () =>
		(await shop.send(`/v1/supplemental/feeds/${id}`)).body.data.status.reason ?? "";
	const off = { enabled: false };
	const rehearsed = await shop.command("PATCH", `/feeds/${id}`, { ...off, dry_run: true });
	t.match(rehearsed.body, { before: { enabled: true }, after: { enabled: false } });
	t.notMatch(await reasonOf(), /switched/);
	t.match((await shop.command("PATCH", `/feeds/${id}`, { ...off, interval_s: 60 })).body, {
		id,
		enabled: false,
		interval_s: 60,
	});
	t.match(await reasonOf(), /switched the feed off/);
	t.equal((await shop.command("PATCH", "/feeds/no-such-feed", off)).status, 404);
	t.equal((await shop.command("PATCH", `/feeds/${id}`, { interval_s: 0 })).status, 400);
	await shop.close();
	const again = await startApp(t, { folder: shop.folder, settings: { model: "none" } });
	const { status } = (await again.send(`/v1/supplemental/feeds/${id}`)).body.data;
	t.match(status.reason, /switched the feed off/, "also after a start");
});

t.test(
	"however a server is killed, no token is issued that the audit log does not know of",
	async (t) => {
		const folder = join(t.testdir({}), "data");
		const args = ["--data", folder, "--model", "none", "--catalog", "none"];
		for (let round = 0; round < 3; round++) {
			const server = await startServerProcess(args);
			const { base_url, admin_token } = server.ready;
			let issued = 0;
			const issue = async () => {
				for (;;) {
					const reply = await fetch(`${base_url}/v1/admin/spts`, {
						method: "POST",
						headers: { Authorization: `Bearer ${admin_token}`, "Content-Type": "application/json" },
						body: '{"usd":"1"}',
					});
					await reply.text();
					issued += 1;
				}
			};
			const issuing = [1, 2, 3, 4].map(() => issue().catch(() => undefined));
			while (issued < 8 + round) await sleep(2);
			server.child.kill("SIGKILL");
			await once(server.child, "exit");
			await Promise.all(issuing);
		}
		const silent = { info: () => undefined, error: () => undefined };
		const settings = testSettings(folder, { model: "none", catalog: "none" });
		const app = await createApp({ settings, logger: silent });
		t.teardown(() => app.close());
		t.match(await app.operator.verifyAudit(), { status: "ok" });
		const [tokens, lines] = await app.store.read(async (reader) => [
			(await reader.list("tokens")).filter(({ label }) => label !== "demo"),
			(await reader.list("audit")).filter(({ command }) => command === "issueSpt"),
		]);
		const done = new Set(
			lines.filter(({ outcome }) => outcome === "done").map(({ target }) => target),
		);
		const unnamed = tokens.filter(({ id }) => !done.has(`spt/${id}`));
		const interrupted = lines.filter(({ outcome }) => outcome === "interrupted");
		t.ok(unnamed.length <= interrupted.length, `${unnamed.length} of ${interrupted.length}`);
		const begun = lines.filter(({ outcome }) => outcome === "begun");
		t.equal(begun.length, done.size + interrupted.length, "each that was begun has an end");
	},
);
