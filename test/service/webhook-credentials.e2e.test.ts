import t, { type Test } from "tap";
import { recordPause } from "../../src/webhooks/webhook-events.js";
import { endJob } from "./ended-job.js";
import { HOOKS, startWebhookShop } from "./webhook-shop.js";

const KEYS = "/v1/account/keys";
const TARGET = "https://hooks.example.com/in";
const DAY_MS = 86_400_000;

/** A shop, and an account with a manager's key. */
async function startShop(t: Test) {
	const shop = await startWebhookShop(t);
	const { app, clock, askAs } = shop;
	const { key, account_id: accountId } = await app.operator.createKey({ usd: "5" });
	const ask = (method: string, path: string, body?: object, secret: string = key) =>
		askAs(secret)(method, path, body);
	const make = async (secret?: string) =>
		(await ask("POST", HOOKS, { url: TARGET }, secret)).body.data.id as string;
	const newKey = async (terms: object) =>
		(await ask("POST", KEYS, { label: "agent", ...terms })).body.data;
	let events = 0;
	const happen = (owner: string, grantId?: string) =>
		app.store.transaction((tx) => {
			events += 1;
			return recordPause(tx, { id: `sch_${events}`, owner, grantId } as never, clock.now());
		});
	const hookRow = (id: string) => app.store.read((reader) => reader.get("webhooks", id));
	const deliveries = (id: string) =>
		app.store.read((reader) => reader.findBy("webhook_deliveries", "webhookId", id));
	return { ...shop, accountId, ask, make, newKey, happen, hookRow, deliveries };
}

t.test("a secret that was replaced neither sees nor changes webhooks", async (t) => {
	const { ask, make, newKey, happen, accountId, deliveries, received } = await startShop(t);
	const agent = await newKey({});
	const id = await make(agent.key);
	await happen(accountId, agent.id);
	const [delivery] = await deliveries(id);
	await ask("POST", `${KEYS}/${agent.id}/rotate`, { overlap_seconds: 600 });
	for (const [method, path, body] of [
		["GET", HOOKS, undefined],
		["POST", HOOKS, { url: TARGET }],
		["PATCH", `${HOOKS}/${id}`, { status: "paused" }],
		["POST", `${HOOKS}/${id}/test`, undefined],
		["POST", `${HOOKS}/${id}/rotate-secret`, {}],
		["GET", `${HOOKS}/${id}/deliveries`, undefined],
		["POST", `${HOOKS}/${id}/deliveries/${delivery?.id}/redeliver`, undefined],
		["DELETE", `${HOOKS}/${id}`, undefined],
	] as const) {
		const { status, body: reply } = await ask(method, path, body, agent.key);
		t.match(
			{ status, reply },
			{ status: 403, reply: { error: { code: "SCOPE_FORBIDDEN" } } },
			path,
		);
	}
	t.equal(received.length, 0);
	t.match((await ask("GET", HOOKS)).body.data.items, [{ id, status: "active" }]);
});

t.test("what waits is not sent once the key that it was made with has ended", async (t) => {
	const shop = await startShop(t);
	const { ask, make, newKey, happen, accountId, clock, tick, received, state } = shop;
	const revoked = await newKey({});
	const expiring = await newKey({ expires_in_days: 1 });
	const lasting = await newKey({});
	const hooks = [];
	for (const { key, id: grantId } of [revoked, expiring, lasting]) {
		hooks.push({ id: await make(key), grantId });
		await happen(accountId, grantId);
	}
	state.status = 500;
	t.equal(await tick(), 3);
	await ask("DELETE", `${KEYS}/${revoked.id}`);
	clock.advance(DAY_MS);
	state.status = 204;
	received.length = 0;
	await tick();
	t.equal(received.length, 1);
	for (const { id, grantId } of hooks) {
		await happen(accountId, grantId);
		await tick();
		const isEnded = grantId !== lasting.id;
		const [row, told] = [await shop.hookRow(id), await shop.deliveries(id)];
		t.match(row, isEnded ? { status: "paused", reason: "credential_ended" } : { status: "active" });
		t.same(
			told.map(({ state }) => state),
			isEnded ? ["skipped", "skipped"] : ["delivered", "delivered"],
		);
	}
	t.equal(received.length, 2);

	const [{ id = "" } = {}] = hooks;
	await ask("PATCH", `${HOOKS}/${id}`, { status: "active" });
	const [delivery] = await shop.deliveries(id);
	await ask("POST", `${HOOKS}/${id}/deliveries/${delivery?.id}/redeliver`);
	t.equal(await tick(), 1);
	t.equal(received.length, 2, "resuming it gives no ended key its ears back");
});

t.test("an expired or revoked token is sent nothing", async (t) => {
	const shop = await startShop(t);
	const { app, make, happen, clock, tick, received, issueSpt, hookRow } = shop;
	const { token: lost, id: revoked } = await issueSpt("1");
	const { token, id: expiring } = await app.operator.issueSpt({ usd: "1", expires_in_days: 1 });
	const hooks = [await make(lost), await make(token)];
	await happen(revoked);
	await happen(expiring);
	await app.operator.revokeSpt({ id: revoked });
	await happen(revoked);
	t.same(
		(await shop.deliveries(hooks[0] ?? "")).map(({ state }) => state),
		["skipped", "skipped"],
	);
	clock.advance(DAY_MS);
	await tick();
	await happen(revoked);
	await happen(expiring);
	await tick();
	t.equal(received.length, 0);
	for (const id of hooks) t.match(await hookRow(id), { reason: "credential_ended" });
});

t.test("a key that no longer manages its account hears of its own doings alone", async (t) => {
	const { ask, make, newKey, happen, accountId, tick, received } = await startShop(t);
	const manager = await newKey({ manages_account: true });
	await make(manager.key);
	await happen(accountId);
	t.equal(await tick(), 1);
	const demoted = await ask("PATCH", `${KEYS}/${manager.id}`, { manages_account: false });
	t.equal(demoted.status, 200);
	await happen(accountId);
	t.equal(await tick(), 0);
	await happen(accountId, manager.id);
	t.equal(await tick(), 1);
	t.equal(received.length, 2);
});

t.test("webhooks of others are not distinguished from unknown ones", async (t) => {
	const shop = await startWebhookShop(t);
	const { token, id: owner } = await shop.issueSpt("5");
	const ask = shop.askAs(token);
	const make = async () => (await ask("POST", HOOKS, { url: TARGET })).body.data.id;
	const id = await make();
	await endJob({ ...shop, owner }, "job_1");
	const [delivery] = (await ask("GET", `${HOOKS}/${id}/deliveries`)).body.data.items;
	const other = shop.askAs((await shop.issueSpt("1")).token);
	t.same((await other("GET", HOOKS)).body.data.items, []);
	const unknown = "whk_01kg9yz3v0f6x2m8q4t7w1ab2c";
	for (const [method, rest, body] of [
		["PATCH", "", { status: "paused" }],
		["DELETE", "", undefined],
		["POST", "/test", undefined],
		["POST", "/rotate-secret", {}],
		["GET", "/deliveries", undefined],
		["POST", `/deliveries/${delivery.id}/redeliver`, undefined],
	] as const) {
		const answers = [];
		for (const name of [id, unknown]) {
			const { status, body: reply } = await other(method, `${HOOKS}/${name}${rest}`, body);
			answers.push({ status, code: reply.error.code, message: reply.error.message });
		}
		t.match(answers[0], { status: 404, code: "NOT_FOUND" }, `${method} ${rest}`);
		t.same(answers[0], answers[1]);
	}
	t.equal(shop.received.length, 0);
	const second = await make();
	const strange = `${HOOKS}/${second}/deliveries/${delivery.id}/redeliver`;
	t.equal((await ask("POST", strange)).status, 404, "a delivery belongs to its webhook");
});
