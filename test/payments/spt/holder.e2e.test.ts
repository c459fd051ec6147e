import t from "tap";
import { custAccount } from "../../../payments/ledger.js";
import { manualClock } from "../../support/manual-clock.js";
import { sumOfAllEntries } from "../../support/start-app.js";
import { times } from "../../support/times.js";
import { type ShopRequest, startSptShop } from "./start-spt-shop.js";

const DELEGATIONS = "/v1/spt/delegations";
const shop = await startSptShop(t);

t.test("a token is delegated, never wider than itself", async (t) => {
	const wallet = shop.walletOf("boss");
	const delegate = (token: string, body: object) => shop.ask({ path: DELEGATIONS, token, body });
	const parent = await shop.buy(wallet, {
		amount_usd: "10.00",
		max_per_call_usd: "1.00",
		graphs: ["agent-payments", "ethereum-standards"],
		expires_in_days: 30,
	});

	await t.test(
		"the child has the money, and the parent's terms where none are named",
		async (t) => {
			const made = await delegate(parent.token, { amount_usd: "2.00", label: "reader" });
			t.match(made, {
				status: 201,
				body: {
					data: {
						token: /^spt_test_/,
						balance_usd: "2.00",
						parent_id: parent.id,
						parent_balance_usd: "8.00",
						max_per_call_usd: "1.00",
						graphs: ["agent-payments", "ethereum-standards"],
					},
				},
			});
			const child = made.body.data;
			t.equal((await shop.search({ token: child.token })).status, 200);
			const balance = await shop.ask({
				method: "GET",
				path: "/v1/spt/balance",
				token: child.token,
			});
			t.match(balance.body.data, { id: child.id, balance_usd: "1.50", parent_id: parent.id });
			const listed = await shop.ask({ method: "GET", path: DELEGATIONS, token: parent.token });
			t.match(listed.body, {
				data: { items: [{ id: child.id, balance_usd: "1.50" }] },
				meta: { next_cursor: null },
			});
			t.notOk(JSON.stringify(listed.body).includes("spt_test_"), "no secret is listed");

			const revoked = await shop.ask({
				method: "DELETE",
				path: `${DELEGATIONS}/${child.id}`,
				token: parent.token,
			});
			t.match(revoked.body.data, { returned_usd: "1.50", parent_balance_usd: "9.50" });
			t.equal((await shop.search({ token: child.token })).status, 401);
		},
	);

	await t.test("what is wider, dearer, longer or more than there is, is refused", async (t) => {
		const refusals: [status: number, code: string, body: object][] = [
			[403, "SCOPE_FORBIDDEN", { amount_usd: "1.00", max_per_call_usd: "1.01" }],
			[403, "SCOPE_FORBIDDEN", { amount_usd: "1.00", graphs: ["oauth-standards"] }],
			[403, "SCOPE_FORBIDDEN", { amount_usd: "1.00", expires_in_days: 31 }],
			[402, "INSUFFICIENT_BALANCE", { amount_usd: "9.51" }],
			[400, "INVALID_ARGUMENT", { amount_usd: "0" }],
			[400, "INVALID_ARGUMENT", {}],
		];
		const known = shop.app.catalog.list().map(({ record }) => record.id);
		const foreign = known.find((id) => !/agent-payments|ethereum-standards/.test(id)) ?? "";
		for (const [status, code, body] of refusals) {
			const asked = "graphs" in body ? { ...body, graphs: [foreign] } : body;
			const reply = await delegate(parent.token, asked);
			t.same([reply.status, reply.body.error.code], [status, code], JSON.stringify(asked));
		}
		t.equal(await shop.balanceOf(parent.id), 9_500_000n);
	});

	await t.test("a scoped child pays for its skill and graphs alone", async (t) => {
		const made = await delegate(parent.token, {
			amount_usd: "2.00",
			skills: ["graph_search"],
			graphs: ["agent-payments"],
		});
		const { token } = made.body.data;
		t.equal((await shop.search({ token })).status, 200);
		t.equal((await shop.search({ token, graph: "ethereum-standards" })).status, 403);
		const wide = await shop.ask({ path: "/v1/search/domain", token, body: { query: "payment" } });
		t.match(wide, { status: 403, body: { error: { code: "SCOPE_FORBIDDEN" } } });
		const renamed = await delegate(token, { amount_usd: "0.50", skills: ["search_graph"] });
		t.equal(renamed.status, 201, "the same skill by its current name");
		const other = await delegate(token, { amount_usd: "0.50", skills: ["search_domain"] });
		t.match(other, { status: 403, body: { error: { code: "SCOPE_FORBIDDEN" } } });
	});

	await t.test("three levels deep, and the money of all comes back at once", async (t) => {
		const before = await shop.balanceOf(parent.id);
		let token = parent.token;
		const ids: string[] = [];
		for (const amount_usd of ["3.00", "2.00", "1.00"]) {
			const { body } = await delegate(token, { amount_usd });
			token = body.data.token;
			ids.push(body.data.id);
		}
		const fourth = await delegate(token, { amount_usd: "0.50" });
		t.match(fourth, { status: 403, body: { error: { code: "SCOPE_FORBIDDEN" } } });
		t.equal((await shop.search({ token })).status, 200);
		const path = `${DELEGATIONS}/${ids[0]}`;
		const foreign = await shop.buy(wallet);
		const stolen = { method: "DELETE", path, token: foreign.token } as const;
		t.equal((await shop.ask(stolen)).status, 404, "nobody else can");
		await shop.ask({ method: "DELETE", path, token: parent.token });
		t.equal(await shop.balanceOf(parent.id), before - 500_000n);
		for (const id of ids) t.equal(await shop.balanceOf(id), 0n);
		t.equal((await shop.search({ token })).status, 401);
	});

	await t.test("an operator who revokes the parent stops its children", async (t) => {
		const other = await shop.buy(wallet);
		const { body } = await delegate(other.token, { amount_usd: "2.00" });
		await shop.app.operator.revokeSpt({ id: other.id });
		t.equal((await shop.search({ token: body.data.token })).status, 401);
		t.equal(await shop.balanceOf(other.id), 5_000_000n, "the rest stays on the books");
	});

	t.match(await shop.app.operator.verifyLedger(), { status: "ok", failures: [] });
});

t.test("fifty delegations at once take no more than there is", async (t) => {
	const shop = await startSptShop(t);
	const parent = await shop.buy(shop.walletOf("crowd"), { amount_usd: "7.50" });
	const request = { path: DELEGATIONS, token: parent.token, body: { amount_usd: "0.50" } };
	const replies = await Promise.all(times(50, () => shop.ask(request)));
	t.equal(replies.filter(({ status }) => status === 201).length, 15);
	t.equal(await shop.balanceOf(parent.id), 0n);
	t.equal(await sumOfAllEntries(shop.app), 0n);
});

t.test("a rotated secret is dead at once, and of two rotations one wins", async (t) => {
	const { token, id } = await shop.buy(shop.walletOf("rotator"));
	const rotate = (secret: string) => shop.ask({ path: "/v1/spt/rotate", token: secret });
	const replies = await Promise.all(times(8, () => rotate(token)));
	const won = replies.filter(({ status }) => status === 200);
	t.equal(won.length, 1);
	t.ok(replies.every(({ status }) => status === 200 || status === 401));
	t.match(won[0]?.body.data, { id, balance_usd: "5.00" });
	t.equal((await shop.search({ token })).status, 401);
	t.equal((await shop.search({ token: won[0]?.body.data.token })).status, 200);
	const check = await shop.ask({ method: "GET", path: "/v1/spt/validate", token });
	t.match(check.body.data, { active: false, balance_usd: null });
});

t.test("the rest goes back to the wallet that bought the token, once", async (t) => {
	const wallet = shop.walletOf("leaver");
	const { token, id } = await shop.buy(wallet);
	await shop.search({ token });
	const refund = (request: Partial<ShopRequest> = {}) =>
		shop.ask({ path: "/v1/spt/refund", token, body: { reason: "done" }, ...request });
	const replies = await Promise.all(times(5, () => refund()));
	t.ok(replies.every(({ status }) => status === 200));
	const ids = new Set(replies.map(({ body }) => body.data.refund_id));
	t.equal(ids.size, 1, "asked again, it tells of the same refund");
	t.match(replies[0]?.body.data, {
		amount_usd: "4.50",
		state: "pending",
		destination: wallet.owner,
	});
	const balance = (account: string) => shop.app.store.read((reader) => reader.balance(account));
	t.equal(await balance("refunds"), 4_500_000n);
	t.equal(await shop.balanceOf(id), 0n);

	const issued = await shop.issueSpt("5.00");
	const granted = await refund({ token: issued.token });
	t.match(granted, { status: 403, body: { error: { code: "SCOPE_FORBIDDEN" } } });
	t.equal(await shop.balanceOf(issued.id), 5_000_000n, "what an operator gave is no refund");

	const bought = await shop.buy(wallet);
	const path = "/v1/spt/delegations";
	const { body } = await shop.ask({ path, token: bought.token, body: { amount_usd: "2.00" } });
	t.equal((await refund({ token: body.data.token })).status, 403);
	const ended = await shop.ask({ method: "DELETE", path: "/v1/spt", token: body.data.token });
	t.match(ended.body.data, { returned_usd: "2.00", refund: null });
	const end = await shop.ask({ method: "DELETE", path: "/v1/spt", token: bought.token });
	t.match(end.body.data, { refund: { amount_usd: "5.00", destination: wallet.owner } });
	t.equal((await shop.search({ token: bought.token })).status, 401);
	t.match(await shop.app.operator.verifyLedger(), { status: "ok", failures: [] });
});

t.test("a limit per day counts what was charged, and starts again at midnight UTC", async (t) => {
	const clock = manualClock("2026-11-21T23:50:00Z");
	const shop = await startSptShop(t, clock);
	const { token, id } = await shop.buy(shop.walletOf("daily"), { max_per_day_usd: "1.20" });
	const spentToday = async () =>
		(await shop.ask({ method: "GET", path: "/v1/spt/balance", token })).body.data.spent_today_usd;
	const noAnswer = { token, body: { query: "zorblax quuxification of the frobnicator" } };
	for (const _ of times(3, () => 0)) t.equal((await shop.search(noAnswer)).status, 200);
	t.equal(await spentToday(), "0.00", "no answer, nothing spent");
	const answers = await Promise.all(times(6, () => shop.search({ token })));
	t.equal(answers.filter(({ status }) => status === 200).length, 2);
	const refused = answers.find(({ status }) => status === 402);
	t.match(refused?.body, {
		error: { code: "SPENDING_LIMIT" },
		continuations: [{ type: "wait", retry_after_seconds: 600, max_per_day_usd: "1.20" }],
	});
	t.equal(await spentToday(), "1.00");
	const delegation = { path: DELEGATIONS, token, body: { amount_usd: "0.50" } };
	t.equal((await shop.ask(delegation)).status, 402, "delegating spends, too");
	clock.set("2026-11-22T00:00:01Z");
	t.equal(await spentToday(), "0.00");
	t.equal((await shop.search({ token })).status, 200);
	const made = await shop.ask(delegation);
	t.match(made.body.data, { max_per_day_usd: "1.20" });
	t.equal(await shop.balanceOf(id), 3_000_000n);
});

t.test("what an expired child did not spend comes back when it is needed", async (t) => {
	const clock = manualClock("2026-11-21T12:00:00Z");
	const shop = await startSptShop(t, clock);
	const { token, id } = await shop.buy(shop.walletOf("timely"), { amount_usd: "1.00" });
	const made = await shop.ask({
		path: DELEGATIONS,
		token,
		body: { amount_usd: "1.00", expires_in_days: 1 },
	});
	t.equal((await shop.search({ token })).status, 402);
	clock.advance(25 * 3_600_000);
	t.equal((await shop.search({ token: made.body.data.token })).status, 401);
	t.equal((await shop.search({ token })).status, 200);
	t.equal(await shop.balanceOf(id), 500_000n);
	const zero = await shop.app.store.read((reader) =>
		reader.balance(custAccount(made.body.data.id)),
	);
	t.equal(zero, 0n);
});
