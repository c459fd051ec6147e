import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { filesWith } from "../support/files-below.js";
import { times } from "../support/times.js";
import { openAccount } from "./open-account.js";

const REQUEST = "req_01kg9yz3v0f6x2m8q4t7w1ab2c";
const NOTE = "canary-note: the second row was a duplicate";

t.test("feedback is kept for its owner, page by page, and gone when deleted", async (t) => {
	const { ask, app, folder } = await openAccount(t);
	const given = [];
	for (const useful of [true, false, true]) {
		const order = { request_id: REQUEST, useful, note: `${NOTE} ${given.length}` };
		const { status, body } = await ask("POST", "/v1/feedback", order);
		t.equal(status, 201);
		t.match(body.data, { useful, note: order.note, expires_at: "2027-03-10T12:00:00.000Z" });
		given.push(body.data.id);
	}
	const first = await ask("GET", "/v1/feedback?limit=2");
	const { next_cursor: cursor } = first.body.meta;
	const second = await ask("GET", `/v1/feedback?limit=2&cursor=${cursor}`);
	const all = [...first.body.data.items, ...second.body.data.items];
	t.same(all.map(({ id }: { id: string }) => id).sort(), [...given].sort());
	t.equal(second.body.meta.next_cursor, null);

	const { key: stranger } = await app.operator.createKey({});
	t.same((await ask("GET", "/v1/feedback", undefined, stranger)).body.data.items, []);
	const path = `/v1/feedback/${given[0]}`;
	t.equal((await ask("DELETE", path, undefined, stranger)).status, 404);
	t.match((await ask("DELETE", path)).body.data, { id: given[0], status: "deleted" });
	t.equal((await ask("DELETE", path)).status, 404);
	t.same(filesWith(folder, `${NOTE} 0`), []);
	t.not(filesWith(folder, `${NOTE} 1`).length, 0);
});

t.test("feedback is about a call of one's own and a row that exists", async (t) => {
	const { ask, app } = await openAccount(t);
	const { key: other } = await app.operator.createKey({ usd: "5.00" });
	const paid = await ask("POST", "/v1/search/domain", { query: "EIP-712" }, other);
	const { receipt_id } = paid.body.meta.cost;
	const give = (order: object, key?: string) => ask("POST", "/v1/feedback", order, key);
	t.equal((await give({ receipt_id, useful: true }, other)).status, 201);
	t.equal((await give({ receipt_id, useful: true })).status, 404, "somebody else's receipt");
	const about = { request_id: REQUEST, useful: true };
	t.equal((await give({ ...about, trend_id: "agent-payments:no.such.node" })).status, 404);
	for (const bad of [
		{ useful: true },
		{ request_id: REQUEST },
		{ ...about, note: "" },
		{ ...about, note: "x".repeat(501) },
		{ ...about, useful: "yes" },
		{ ...about, color: "red" },
	]) {
		t.equal((await give(bad)).status, 400, JSON.stringify(bad).slice(0, 60));
	}
	const anonymous = await app.store.read((reader) => reader.list("feedback"));
	t.equal(anonymous.length, 1);
});

t.test("a key sees and deletes its own feedback, a managing key all of its account", async (t) => {
	const { ask } = await openAccount(t);
	const made = await ask("POST", "/v1/account/keys", { manages_account: false, label: "agent" });
	const { key: agent } = made.body.data;
	const give = async (note: string, key?: string): Promise<string> =>
		(await ask("POST", "/v1/feedback", { request_id: REQUEST, useful: true, note }, key)).body.data
			.id;
	const [ours, agents] = [await give("of the manager"), await give("of the agent", agent)];
	const seen = async (key?: string) =>
		(await ask("GET", "/v1/feedback", undefined, key)).body.data.items.map(
			({ id }: { id: string }) => id,
		);
	t.same(await seen(agent), [agents]);
	t.same((await seen()).sort(), [ours, agents].sort());
	const remove = async (id: string, key?: string) =>
		(await ask("DELETE", `/v1/feedback/${id}`, undefined, key)).status;
	t.same([await remove(ours, agent), await remove(agents, agent)], [404, 200]);
	t.same(await seen(), [ours]);
	t.equal(await remove(await give("another", agent)), 200, "a managing key deletes any");
});

t.test("a note that is refused is nowhere kept", async (t) => {
	const { ask, app, folder, clock, accountId: owner } = await openAccount(t);
	const at = clock.now();
	const row = { owner, at, expiresAt: at + 1e9, isUseful: true, hasNote: false };
	await app.store.transaction(async (tx) => {
		for (const place of times(LIMITS.feedbackMax, (index) => index)) {
			await tx.put("feedback", { ...row, id: `fbk_${place}`, requestId: REQUEST });
		}
	});
	const refused = await ask("POST", "/v1/feedback", {
		request_id: REQUEST,
		useful: true,
		note: NOTE,
	});
	t.same([refused.status, refused.body.error.code], [429, "RATE_LIMITED"]);
	t.same(filesWith(folder, NOTE), []);
	await ask("DELETE", "/v1/account");
	t.same(filesWith(folder, NOTE), []);
});

t.test("a token gives feedback too", async (t) => {
	const shop = await openAccount(t);
	const { token } = await shop.issueSpt("1.00");
	const headers = { "X-Pay-SPT": token, "Content-Type": "application/json" };
	const body = JSON.stringify({ request_id: REQUEST, useful: false });
	t.equal((await shop.send("/v1/feedback", { method: "POST", headers, body })).status, 201);
	const { body: listed } = await shop.send("/v1/feedback", { headers });
	t.match(listed.data.items, [{ useful: false, note: null }]);
	const json = { "Content-Type": "application/json" };
	const noOne = await shop.send("/v1/feedback", { method: "POST", headers: json, body });
	t.equal(noOne.status, 401);
});

t.test("it goes with its account, is exported with it, and is over after a year", async (t) => {
	const { ask, app, folder, clock, accountId, key } = await openAccount(t);
	const order = { request_id: REQUEST, useful: true, note: NOTE };
	await ask("POST", "/v1/feedback", order);
	const exported = await ask("GET", "/v1/account/export");
	t.match(exported.body.data.feedback, [{ note: NOTE, useful: true }]);

	const { key: other, account_id } = await app.operator.createKey({});
	await ask("POST", "/v1/feedback", { ...order, note: "canary-old" }, other);
	clock.set("2027-03-10T11:59:00Z");
	await app.operator.purge();
	t.equal((await ask("GET", "/v1/feedback", undefined, other)).body.data.items.length, 1);
	clock.set("2027-03-10T12:00:01Z");
	t.same((await ask("GET", "/v1/feedback", undefined, other)).body.data.items, []);
	await app.operator.purge();
	const rows = await app.store.read((reader) => reader.list("feedback"));
	t.same(rows, [], `nothing is left of ${account_id}`);
	t.same(filesWith(folder, "canary-old"), []);

	await ask("POST", "/v1/feedback", order, key);
	t.match((await ask("DELETE", "/v1/account")).body.data, { status: "erased" });
	t.same(filesWith(folder, NOTE), []);
	const left = await app.store.read((reader) => reader.findBy("feedback", "owner", accountId));
	t.same(left, []);
});

t.test("an account that keeps no text has its notes forgotten at once", async (t) => {
	const { app, ask, folder } = await openAccount(t);
	const { key } = await app.operator.createKey({ zero_retention: true });
	const chosen = await ask("PATCH", "/v1/account", { retention: "zero" }, key);
	t.equal(chosen.status, 200);
	const given = await ask(
		"POST",
		"/v1/feedback",
		{ request_id: REQUEST, useful: true, note: NOTE },
		key,
	);
	t.match(given.body.data, { useful: true, note: null });
	t.same(filesWith(folder, "canary-note"), []);
});
