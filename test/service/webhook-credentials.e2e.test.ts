import t, { type Test } from "tap";
import { recordPause } from "../../src/service/webhook-events.js";
import { manualClock } from "../support/manual-clock.js";
import { startApp } from "../support/start-app.js";
import { startHookReceiver } from "./hook-receiver.js";

const HOOKS = "/v1/webhooks";
const KEYS = "/v1/account/keys";
const TARGET = "https://hooks.example.com/in";
const DAY_MS = 86_400_000;

/** A shop, an account with a manager's key, and a receiver. */
async function startShop(t: Test) {
	const receiver = await startHookReceiver(t);
	const clock = manualClock("2026-03-10T12:00:00Z");
	const { egress: callerEgress } = receiver;
	const app = await startApp(t, {
		clock,
		callerEgress,
		settings: { model: "none", catalog: "none" },
	});
	const { key, account_id: accountId } = await app.app.operator.createKey({ usd: "5" });
	const ask = (method: string, path: string, body?: object, secret: string = key) =>
		app.send(path, {
			method,
			headers: {
				[secret.startsWith("spt_") ? "X-Pay-SPT" : "X-API-Key"]: secret,
				"Content-Type": "application/json",
			},
			...(body && { body: JSON.stringify(body) }),
		});
	const make = async (secret?: string) =>
		(await ask("POST", HOOKS, { url: TARGET }, secret)).body.data.id as string;
	const newKey = async (terms: object) =>
		(await ask("POST", KEYS, { label: "agent", ...terms })).body.data;
	let events = 0;
	const happen = (owner: string, grantId?: string) =>
		app.app.store.transaction((tx) => {
			events += 1;
			return recordPause(tx, { id: `sch_${events}`, owner, grantId } as never, clock.now());
		});
	const hookRow = (id: string) => app.app.store.read((reader) => reader.get("webhooks", id));
	const deliveries = (id: string) =>
		app.app.store.read((reader) => reader.findBy("webhook_deliveries", "webhookId", id));
	const tick = () => app.app.webhooks.dispatch.tick();
	return {
		...app,
		...receiver,
		clock,
		accountId,
		ask,
		make,
		newKey,
		happen,
		hookRow,
		deliveries,
		tick,
	};
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

t.test("an expired or revoked token is told nothing", async (t) => {
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
