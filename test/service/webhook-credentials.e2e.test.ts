import t, { type Test } from "tap";
import { recordPause } from "../../src/service/webhook-events.js";
import { manualClock } from "../support/manual-clock.js";
import { startApp } from "../support/start-app.js";
import { startHookReceiver } from "./hook-receiver.js";

const HOOKS = "/v1/webhooks";
const KEYS = "/v1/account/keys";
const TARGET = "https://hooks.example.com/in";

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
