import t from "tap";
import { startApp } from "../support/start-app.js";

t.test("the admin API makes, lists, turns and ends keys, tokens and accounts", async (t) => {
	const shop = await startApp(t, { settings: { model: "none" } });
	const headers = {
		Authorization: `Bearer ${shop.app.adminToken}`,
		"Content-Type": "application/json",
	};
	const get = (path: string) => shop.send(`/v1/admin${path}`, { headers });
	const post = (path: string, input: object) =>
		shop.send(`/v1/admin${path}`, { method: "POST", headers, body: JSON.stringify(input) });

	const first = (await post("/keys", { label: "crew", usd: "5", zero_retention: true })).body;
	const { account_id } = first;
	const order = { account_id, label: "night shift", max_total_usd: "1", skills: ["graph_search"] };
	const second = (await post("/keys", order)).body;
	t.equal(second.account_id, account_id);
	const { items } = (await get(`/keys?account_id=${account_id}`)).body;
	const listed = (id: string) => items.find((item: { id: string }) => item.id === id);
	t.match(listed(first.id), { manages_account: true, status: "active", account_id });
	t.match(listed(second.id), {
		manages_account: false,
		label: "night shift",
		max_total_usd: "1.00",
		skills: ["graph_search"],
	});
	t.notMatch(JSON.stringify(items), /sk_(?:live|test)_/);

	const turned = (await post("/keys/rotate", { id: second.id })).body;
	t.match(turned, { id: second.id, key: /^sk_test_/, account_id });
	t.equal((await shop.search({ headers: { "X-API-Key": turned.key } })).status, 200);
	t.equal((await shop.search({ headers: { "X-API-Key": second.key } })).status, 200, "overlap");

	const { token, url, id } = (await post("/connection-tokens", { account_id, label: "d" })).body;
	t.match(token, /^ct_/);
	t.equal(url, `${shop.baseUrl}/c/${token}`);
	t.match((await get("/connection-tokens")).body.items, [{ id, account_id, label: "d" }]);
	t.match((await post("/connection-tokens/revoke", { id })).body, { status: "revoked" });
	t.same((await get("/connection-tokens")).body.items, []);

	t.match((await get("/accounts")).body.items, [
		{ id: account_id, label: "crew", balance_usd: "5.00", zero_retention: true, status: "active" },
	]);
	const setting = { account_id, has_payment_method: true, zero_retention: false };
	t.match((await post("/accounts/set", setting)).body, {
		has_payment_method: true,
		zero_retention: false,
		retention: "standard",
	});

	for (const [answer, status] of [
		[post("/keys", { account_id: "acc_nobody" }), 404],
		[post("/keys", { max_total_usd: "1", manages_account: true }), 400],
		[post("/keys/rotate", { id: "key_nobody" }), 404],
		[post("/keys/rotate", { id: second.id, overlap_seconds: 1e9 }), 400],
		[post("/connection-tokens", { account_id: "acc_nobody" }), 404],
		[post("/connection-tokens/revoke", { id: "con_nobody" }), 404],
		[post("/accounts/set", { account_id: "acc_nobody" }), 404],
	] as const) {
		t.equal((await answer).status, status);
	}
});
