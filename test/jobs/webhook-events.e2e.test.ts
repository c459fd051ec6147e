import t, { type Test } from "tap";
import { HOOKS, startWebhookShop } from "../service/webhook-shop.js";
import { filesWith } from "../support/files-below.js";
import { SCHEDULES, startTracker } from "./start-tracker.js";

const TARGET = "https://hooks.example.com/in/secret-path";
const TOPIC = "How do agents pay for what they call?";
const DAY_MS = 86_400_000;

/** A shop over the sample graphs, and an account with money. */
async function startShop(t: Test, catalog = "sample") {
	const shop = await startWebhookShop(t, { catalog });
	const { key, account_id: accountId } = await shop.app.operator.createKey({ usd: "50" });
	const ask = (method: string, path: string, body?: object, secret = key) =>
		shop.askAs(secret)(method, path, body);
	return { ...shop, ask, accountId };
}

t.test(
	"the ends of deep dives and briefings are sent, without a word of what was asked",
	async (t) => {
		const shop = await startShop(t);
		const { ask, tick, received, clock, app } = shop;
		await ask("POST", HOOKS, { url: TARGET });
		await ask("POST", HOOKS, { url: `${TARGET}/2`, events: ["job.failed", "schedule.paused"] });
		const { job_id: jobId } = (await ask("POST", "/v1/research/deep-dive", { query: TOPIC })).body
			.data;
		t.match(
			(await ask("GET", `/v1/research/deep-dive/${jobId}/events`)).body,
			"research.completed",
		);
		t.equal(await tick(), 1, "only those who asked for it receive it");
		t.match(received, [{ body: { type: "job.completed", data: { job_id: jobId } } }]);
		const status = received[0]?.body.data.links.status ?? "";
		t.equal((await ask("GET", status.slice(shop.baseUrl.length))).body.data.job_id, jobId);

		const schedules = "/v1/research/schedules";
		const made = await ask("POST", schedules, { topic: TOPIC, frequency: "daily" });
		const { schedule_id: id } = made.body.data;
		const manual = await ask("POST", `${schedules}/${id}/run`, {});
		t.equal(await tick(), 1);
		t.match(received[1]?.body.data, { run_id: manual.body.data.run_id, kind: "manual" });
		clock.advance(DAY_MS);
		t.equal(await app.schedules.worker.tick(), 1);
		t.equal(await tick(), 1);
		const { type, data } = received[2]?.body ?? {};
		t.match(
			{ type, data },
			{ type: "briefing.delivered", data: { schedule_id: id, slot: "2026-03-11" } },
		);
		const run = await ask("GET", data.links.run.slice(shop.baseUrl.length));
		t.equal(run.body.data.run_id, data.run_id);
		const idle = await ask("POST", `${schedules}/${id}/run`, {});
		t.equal(idle.body.data.status, "nothing_new");
		t.equal(await tick(), 0, "what was not paid for leaves nothing behind");

		await ask("PATCH", `${schedules}/${id}`, { status: "paused" });
		t.equal(await tick(), 2);
		t.match(received.slice(3), [
			{ body: { type: "schedule.paused", data: { schedule_id: id, reason: "asked" } } },
			{ body: { type: "schedule.paused" } },
		]);
		t.equal(new Set(received.slice(3).map(({ path }) => path)).size, 2);
		for (const { text } of received) t.notMatch(text, /pay for what/);
	},
);

t.test("a schedule that is no longer paid for reports that it is paused", async (t) => {
	const shop = await startShop(t, "none");
	const { token, id: owner } = await shop.issueSpt("10");
	const headers = { "X-Pay-SPT": token, "Content-Type": "application/json" };
	const post = (path: string, body: object) =>
		shop.send(path, { method: "POST", headers, body: JSON.stringify(body) });
	await post(HOOKS, { url: TARGET });
	const order = { topic: TOPIC, frequency: "weekly" };
	const made = await post("/v1/research/schedules", order);
	t.equal(made.status, 200, JSON.stringify(made.body.error));
	const row = await shop.app.store.read((reader) => reader.findBy("schedules", "owner", owner));
	t.equal(row[0]?.prepaidWeeks, 1);
	// Its prepaid week is over.
	await shop.app.store.transaction(async (tx) => {
		const schedule = await tx.get("schedules", row[0]?.id ?? "");
		if (schedule) await tx.put("schedules", { ...schedule, prepaidWeeks: 0 });
	});
	shop.clock.advance(7 * DAY_MS);
	t.equal(await shop.app.schedules.worker.tick(), 1);
	t.equal(await shop.tick(), 2);
	const sent = shop.received.map(({ body }) => [body.type, body.data.status ?? body.data.reason]);
	t.same(sent.sort(), [
		["briefing.failed", "unpaid"],
		["schedule.paused", "balance_too_low"],
	]);
});

t.test("a scoped key hears of its own doings, and of nothing once it is revoked", async (t) => {
	const shop = await startShop(t, "none");
	const { ask, tick, received, app, accountId, clock } = shop;
	const agentKey = (await ask("POST", "/v1/account/keys", { label: "agent" })).body.data;
	const hook = (await ask("POST", HOOKS, { url: TARGET }, agentKey.key)).body.data;
	const ours = (await ask("POST", HOOKS, { url: `${TARGET}/ours` })).body.data;
	const seen = async (key?: string) =>
		(await ask("GET", HOOKS, undefined, key)).body.data.items.map(({ id }: { id: string }) => id);
	t.same(await seen(agentKey.key), [hook.id]);
	t.same((await seen()).sort(), [hook.id, ours.id].sort());
	const path = `${HOOKS}/${ours.id}`;
	t.equal((await ask("PATCH", path, { status: "paused" }, agentKey.key)).status, 404);

	const { recordPause } = await import("../../src/webhooks/webhook-events.js");
	const happen = (grantId?: string) =>
		app.store.transaction((tx) =>
			recordPause(tx, { id: "sch_1", owner: accountId, grantId } as never, clock.now()),
		);
	await happen("key_of_the_manager");
	await tick();
	t.same(
		received.map(({ path }) => path),
		["/in/secret-path/ours"],
	);
	clock.advance(1_000);
	await happen(agentKey.id);
	t.equal(await tick(), 2);

	clock.advance(1_000);
	await ask("DELETE", `/v1/account/keys/${agentKey.id}`);
	await happen(agentKey.id);
	t.equal(await tick(), 1);
	const items = (await ask("GET", HOOKS)).body.data.items;
	const revoked = items.find(({ id }: { id: string }) => id === hook.id);
	t.match(revoked, { status: "paused", reason: "credential_ended" });
});

t.test(
	"no file reveals an address or a secret; exports name webhooks, erasure forgets them",
	async (t) => {
		const shop = await startShop(t, "none");
		const { ask, app, folder, accountId, clock } = shop;
		const made = await ask("POST", HOOKS, { url: TARGET, description: "canary description" });
		const { id, secret } = made.body.data;
		const { recordPause } = await import("../../src/webhooks/webhook-events.js");
		await app.store.transaction((tx) =>
			recordPause(tx, { id: "sch_1", owner: accountId } as never, clock.now()),
		);
		const exported = (await ask("GET", "/v1/account/export")).body.data ?? {};
		t.match(exported.webhooks, [{ id, target_masked: "https://hooks.example.com/…" }]);
		t.match(exported.webhook_deliveries, [{ webhook_id: id, type: "schedule.paused" }]);
		t.notMatch(JSON.stringify(exported), secret);
		for (const text of ["secret-path", secret.slice(6, 30), "canary description"]) {
			t.same(filesWith(folder, text), [], text);
		}
		const documents = () => filesWith(folder, "").filter((path) => path.includes(`${id}-`));
		t.equal(documents().length, 1);
		await ask("DELETE", "/v1/account?confirm=50.00");
		t.same(documents(), []);
		t.equal(await shop.tick(), 0);
		const left = await app.store.read((reader) => reader.list("webhooks"));
		t.same(left, []);
	},
);

t.test(
	"a reader who stops the last target pauses the schedule, and its owner hears of it",
	async (t) => {
		const shop = await startTracker(t);
		const hook = await shop.ask("POST", HOOKS, { url: TARGET });
		const order = { topic: "tidal power", frequency: "daily", email: "reader@example.com" };
		const made = await shop.ask("POST", SCHEDULES, order);
		await shop.tick();
		const linkIn = (text: string | undefined) =>
			/https?:\/\/[^\s>]+token=[^\s>]+/.exec(text ?? "")?.[0].slice(shop.baseUrl.length) ?? "";
		await shop.send(linkIn(shop.mail.mails[0]?.parts.get("text/plain")), { method: "POST" });
		shop.clock.advance(DAY_MS);
		await shop.tick();
		const stop = linkIn(shop.mail.mails[1]?.headers.get("list-unsubscribe"));
		t.equal((await shop.send(stop, { method: "POST" })).status, 200);
		const { body } = await shop.ask("GET", `${HOOKS}/${hook.body.data.id}/deliveries`);
		const { schedule_id } = made.body.data;
		t.match(
			body.data.items.find(({ type }: { type: string }) => type === "schedule.paused"),
			{ status: "pending", data: { schedule_id, reason: "unsubscribed" } },
		);
	},
);
