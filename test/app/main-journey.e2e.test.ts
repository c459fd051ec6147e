import t from "tap";
import { SKILL_IDS } from "../../src/contract/operations.js";
import { KNOWN_QUERY, startApp } from "../support/start-app.js";

t.test("an agent finds the service, pays and gets a cited answer", async (t) => {
	const shop = await startApp(t);

	await t.test("the card leads to the catalog of skills and their prices", async (t) => {
		const { body: card } = await shop.send("/.well-known/agent-card.json");
		const ids = card.skills.map(({ id }: { id: string }) => id);
		t.same(
			ids,
			SKILL_IDS.filter((id) => id !== "rerank"),
			"but for the one that needs a judge",
		);
		t.ok(ids.includes("search_graph"));
		t.match(JSON.stringify(card), /"0\.50"/);
	});

	await t.test("a call without a credential is given the price and every way to pay", async (t) => {
		const { status, body, headers } = await shop.search();
		t.equal(status, 402);
		t.match(body, {
			error: { code: "PAYMENT_REQUIRED", request_id: String, retryable: false },
			x402Version: 1,
			accepts: [],
			price: { amount_usd: "0.50", billing_type: "per_call" },
		});
		t.same(
			body.continuations.map(({ type }: { type: string }) => type),
			["spt", "api_key"],
		);
		t.ok(
			body.continuations.every(
				({ instructions }: { instructions: string }) => instructions.length > 20,
			),
		);
		t.match(headers.get("WWW-Authenticate"), /Bearer/);
		t.equal(headers.get("Cache-Control"), "no-store");
	});

	await t.test("with a token it receives ranked rows with dated, linked evidence", async (t) => {
		const { token } = await shop.issueSpt("25");
		const { status, body } = await shop.search({ token });
		t.equal(status, 200);
		t.match(body, {
			ok: true,
			dataStatus: "TREND_MATCH",
			meta: { query: KNOWN_QUERY, graph_id: "agent-payments", decision: "ANSWER", mode: "hybrid" },
		});
		t.ok(Number.isInteger(body.meta.execution_time_ms));
		t.equal(body.rows[0].name, "HTTP 402 Payment Required");
		for (const row of body.rows) {
			t.match(row, { trend_id: /^agent-payments:[a-z0-9.-]+$/, name: String, summary: String });
			t.ok(row.evidence.length > 0, "no row without evidence");
			for (const source of row.evidence) {
				t.match(source, {
					article_id: String,
					title: String,
					source_url: /^https:\/\//,
					published_at: /^\d{4}-\d\d-\d\d$/,
				});
			}
		}
		const scores = body.rows.map(({ score }: { score: number }) => score);
		t.same(
			scores,
			[...scores].sort((a, b) => b - a),
			"best first",
		);
	});

	for (const [path, graphType, query] of [
		["domain", "domain", KNOWN_QUERY],
		["report", "industry report", "Which vulnerability in Git follows a link?"],
		["expert", "expert", "How should a server roll out HSTS?"],
	] as const) {
		await t.test(
			`a search over every graph of type ${graphType} says which graph a row is from`,
			async (t) => {
				const { token } = await shop.issueSpt("1");
				const { status, body } = await shop.send(`/v1/search/${path}`, {
					method: "POST",
					headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
					body: JSON.stringify({ query, limit: 5 }),
				});
				t.equal(status, 200);
				t.equal(body.meta.graph_id, null);
				t.ok(body.rows.length > 0);
				for (const { graph_id } of body.rows) {
					t.equal(shop.app.catalog.get(graph_id).record.type, graphType);
				}
			},
		);
	}

	await t.test("health reports that everything a sale needs is there", async (t) => {
		const { body } = await shop.send("/v1/health");
		t.match(body.data, { status: "ok", invariants: { status: "ok" }, rails: ["spt", "plan"] });
	});
});

t.test("the demo profile takes no forwarded request", async (t) => {
	const shop = await startApp(t, { settings: { model: "none", catalog: "none" } });
	const { status, body } = await shop.send("/v1/health", {
		headers: { "X-Forwarded-For": "203.0.113.9" },
	});
	t.equal(status, 400);
	t.match(body.error.message, /demo profile/);
});
