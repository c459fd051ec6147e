import t from "tap";
import { startApp } from "../support/start-app.js";

t.test("the admin API reports and changes the books, for the operator alone", async (t) => {
	const shop = await startApp(t, { settings: { model: "none" } });
	const { token } = await shop.issueSpt("5");
	const { body } = await shop.search({ token });
	const receipt_id: string = body.meta.cost.receipt_id;
	const headers = {
		Authorization: `Bearer ${shop.app.adminToken}`,
		"Content-Type": "application/json",
	};
	const get = (path: string) => shop.send(`/v1/admin/ledger${path}`, { headers });
	const post = (path: string, input: unknown) =>
		shop.send(`/v1/admin/ledger${path}`, {
			method: "POST",
			headers,
			body: JSON.stringify(input),
		});

	t.match((await get("/report?by=graph")).body, {
		rows: [{ key: "agent-payments", calls: 1, gross_usd: "0.50" }],
	});
	t.match((await post("/refunds", { receipt_id, reason: "r" })).body, { state: "paid" });
	t.match((await get("/refunds")).body.items, [{ ref: receipt_id, amount_usd: "0.50" }]);
	const { id: token_id } = await shop.issueSpt("2");
	const rest = { token_id, reason: "r", usd: "0.50" };
	t.match((await post("/refunds/tokens", rest)).body, { state: "pending", ref: token_id });
	t.match((await get("/verification")).body, { status: "ok", failures: [], pending_refunds: 1 });

	for (const [answer, status, message] of [
		[get("/report?by=moon"), 400, /adds up by day, skill/],
		[get("/report?by=day&from=2026-02-30"), 400, /is no day/],
		[get("/report?by=day&until=2026-02-03"), 400, /until/],
		[post("/refunds", { receipt_id, reason: "r" }), 400, /refunded in full/],
		[post("/refunds", { receipt_id: "rcpt_nobody", reason: "r" }), 404, /No receipt/],
		[post("/refunds/tokens", { token_id: "tok_nobody", reason: "r" }), 404, /No token/],
		[post("/refunds/payments", { id: "rfd_nobody" }), 404, /No refund/],
	] as const) {
		const { status: found, body: refusal } = await answer;
		t.equal(found, status);
		t.match(JSON.stringify(refusal.error), message);
	}
	// Reading a chain may take minutes: the answer is a stream of lines.
	const reconciling = await fetch(`${shop.baseUrl}/v1/admin/ledger/reconciliation`, {
		method: "POST",
		headers,
		body: "{}",
	});
	t.equal(reconciling.headers.get("content-type"), "application/x-ndjson");
	t.match(JSON.parse(await reconciling.text()), {
		error: { code: "UNAVAILABLE", message: /no chain/ },
	});
	t.equal((await shop.send("/v1/admin/ledger/report?by=day")).status, 401);
});
