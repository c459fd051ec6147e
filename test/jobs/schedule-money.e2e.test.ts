import t from "tap";
import { filesWith } from "../support/files-below.js";
import { HOOK, SCHEDULES, startTracker, stateOf, type Tracker, tellNews } from "./start-tracker.js";

const ORDER = { topic: "tidal power", frequency: "weekly" };
const DAY_MS = 24 * 3_600_000;

/** The next scheduled run, with something new to report. */
async function runNext(shop: Tracker, id: string, news: string): Promise<number> {
	await tellNews(shop, news);
	shop.clock.set((await stateOf(shop, id)).next_run_at);
	return shop.tick();
}

t.test("further weeks are paid as they are delivered, and pause without a balance", async (t) => {
	const shop = await startTracker(t, { usd: "25" });
	const { schedule_id: id } = (await shop.ask("POST", SCHEDULES, ORDER)).body.data;
	t.equal(await shop.balance(), "15.00");
	t.equal(await runNext(shop, id, "one"), 1);
	t.equal(await shop.balance(), "15.00", "creation paid the first week");
	t.equal(await runNext(shop, id, "two"), 1);
	t.equal(await shop.balance(), "5.00", "the second was captured when it was delivered");
	const [second] = (await shop.ask("GET", `${SCHEDULES}/${id}/runs`)).body.data.items;
	const receipt = await shop.ask("GET", `/v1/receipts/${second.receipt_id}`);
	t.match(receipt.body.data.receipt, { amount_usd: "10.00", billing_type: "weekly_tracker" });
	t.equal(await runNext(shop, id, "three"), 1);
	t.match(await stateOf(shop, id), {
		status: "paused",
		reason: "balance_too_low",
		next_run_at: null,
		last_run: { status: "unpaid" },
	});
	t.equal(await shop.balance(), "5.00", "nothing is charged for what was not delivered");
	shop.clock.advance(7 * DAY_MS);
	t.equal(await shop.tick(), 0, "it rests");
	const { token: other } = await shop.issueSpt("50");
	t.equal(
		(
			await shop.ask(
				"PATCH",
				`${SCHEDULES}/${id}`,
				{ status: "active", renew_with: "credential" },
				other,
			)
		).status,
		404,
		"somebody else cannot take it over",
	);
	// Resumed by its id alone, with the token that has a balance again: it goes on with the next slot.
	await shop.app.money.spts.fillUp(shop.tokenId, 20_000_000n);
	await shop.ask("PATCH", `${SCHEDULES}/${id}`, { status: "active" });
	t.equal(await runNext(shop, id, "four"), 1);
	t.match(await stateOf(shop, id), { status: "active", last_run: { status: "delivered" } });
	t.equal(await shop.balance(), "10.00");
});

t.test(
	"a week in which nothing is delivered is not charged; a schedule that only fails pauses",
	async (t) => {
		const shop = await startTracker(t);
		const order = { ...ORDER, frequency: "daily", slack_webhook: HOOK };
		const { schedule_id: id } = (await shop.ask("POST", SCHEDULES, order)).body.data;
		shop.slack.status = 404;
		shop.clock.set("2026-03-03T08:00:00Z");
		t.equal(await shop.tick(), 1);
		t.match(await stateOf(shop, id), { status: "failing", last_run: { status: "waiting" } });
		t.equal(await shop.tick(), 0, "it waits before the next attempt");
		for (const minutes of [1, 10, 60]) {
			shop.clock.advance(minutes * 60_000);
			t.equal(await shop.tick(), 1, `again after ${minutes} minutes`);
		}
		t.equal(shop.slack.posts.length, 4);
		t.match(await stateOf(shop, id), { status: "failing", last_run: { status: "failed" } });
		for (const day of ["2026-03-04", "2026-03-05"]) {
			shop.clock.set(`${day}T08:00:00Z`);
			await shop.tick();
			for (const minutes of [1, 10, 60]) {
				shop.clock.advance(minutes * 60_000);
				await shop.tick();
			}
		}
		t.match(await stateOf(shop, id), {
			status: "paused",
			reason: "deliveries_failed",
			weeks_prepaid: 1,
		});
		t.equal(await shop.balance(), "15.00");

		shop.slack.status = 200;
		await shop.ask("PATCH", `${SCHEDULES}/${id}`, { status: "active" });
		shop.clock.set("2026-03-06T08:00:00Z");
		t.equal(await shop.tick(), 1);
		t.match(await stateOf(shop, id), {
			status: "active",
			weeks_prepaid: 0,
			covered_through: "2026-03-12",
			last_run: { status: "delivered" },
		});
	},
);

t.test("the same call makes one schedule and one briefing, whatever became of it", async (t) => {
	const shop = await startTracker(t);
	const send = (path: string, body: object, key: string) =>
		shop.send(path, {
			method: "POST",
			headers: {
				"X-Pay-SPT": shop.token,
				"Idempotency-Key": key,
				"Content-Type": "application/json",
			},
			body: JSON.stringify(body),
		});
	const order = { ...ORDER, slack_webhook: HOOK };
	const first = await send(SCHEDULES, order, "once");
	const { schedule_id: id } = first.body.data;
	const again = await send(SCHEDULES, order, "once");
	t.equal(again.body.data.schedule_id, id);
	t.match(again.body.meta.cost, { replayed: true });
	t.equal(await shop.balance(), "15.00");

	const run = await send(`${SCHEDULES}/${id}/run`, {}, "now");
	t.match(run.body.data, { kind: "manual", status: "delivered", briefing: { is_first: true } });
	t.equal(run.body.meta.cost.amount_usd, "0.50");
	const repeated = await send(`${SCHEDULES}/${id}/run`, {}, "now");
	t.equal(repeated.body.data.run_id, run.body.data.run_id);
	t.equal(shop.slack.posts.length, 1, "and is not delivered twice");
	const idle = await send(`${SCHEDULES}/${id}/run`, {}, "later");
	t.match(idle.body.data, { status: "nothing_new", briefing: { is_nothing_new: true, top: [] } });
	t.equal(idle.body.meta.cost.charged, false);
	t.equal(await shop.balance(), "14.50");

	await tellNews(shop, "one");
	const news = await send(`${SCHEDULES}/${id}/run`, {}, "news");
	const { briefing } = news.body.data;
	t.match(briefing, { is_first: false, since: "2026-03-02T12:00:00.000Z" });
	t.match(briefing.changes, [{ change: "changed", title: "Tidal turbines" }]);
	t.match(shop.slack.posts[1]?.body.blocks[1].text.text, "*What changed since the last one*");
	t.ok(
		briefing.changes[0].points.every(
			({ citation_ids: ids }: { citation_ids: number[] }) => ids.length > 0,
		),
	);

	await shop.ask("DELETE", `${SCHEDULES}/${id}`);
	const dead = await send(SCHEDULES, order, "once");
	t.match(dead.body.data, { schedule_id: id, status: "cancelled", topic: "" });
	t.same((await shop.ask("GET", SCHEDULES)).body.data.items, []);
});

t.test(
	"a revoked credential pays for nothing, and a wallet's schedule ends after its week",
	async (t) => {
		const shop = await startTracker(t, { usd: "60" });
		const { book } = shop.app.schedules;
		const signal = new AbortController().signal;
		const order = {
			topic: "tidal power",
			frequency: "weekly",
			timezone: "UTC",
			hour: 8,
			weekday: "monday",
		} as const;
		const wallet = {
			owner: "eip155:84532:0x1111111111111111111111111111111111111111",
			rail: "x402",
		};
		const context = { signal, requestId: "req_1", caller: wallet };
		const alone = await book.create(order, { ...context, callId: "req_wallet" });
		t.equal(alone.renews, false);
		const caller = { ...wallet, shown: { owner: shop.tokenId, rail: "spt" } };
		const beside = await book.create(order, { ...context, caller, callId: "req_beside" });
		t.equal(beside.renews, true);
		const listed = (await shop.ask("GET", SCHEDULES)).body.data.items;
		t.match(
			listed,
			[{ schedule_id: beside.schedule_id }],
			"it belongs to the credential beside the payment",
		);
		const open = await shop.send(`${SCHEDULES}/${alone.schedule_id}`);
		t.match(open.body.data, { status: "active" }, "a wallet's is opened by its id");

		const look = async (id: string) => (await shop.send(`${SCHEDULES}/${id}`)).body.data;
		shop.clock.set("2026-03-09T08:00:00Z");
		t.equal(await shop.tick(), 2);
		await tellNews(shop, "one");
		shop.clock.set("2026-03-16T08:00:00Z");
		await shop.ask("DELETE", "/v1/spt", undefined);
		t.equal(await shop.tick(), 2);
		t.match(await look(alone.schedule_id), { status: "paused", reason: "no_renewal" });
		const row = await shop.app.store.read((reader) => reader.get("schedules", beside.schedule_id));
		t.match(row, { status: "paused", reason: "payment_refused" });

		const { token: sponsor } = await shop.issueSpt("10");
		const change = { status: "active", renew_with: "credential" };
		const path = `${SCHEDULES}/${alone.schedule_id}`;
		t.match((await shop.ask("PATCH", path, change, sponsor)).body.data, { renews: true });
		shop.clock.set("2026-03-23T08:00:00Z");
		t.equal(await shop.tick(), 1);
		t.match(await look(alone.schedule_id), { covered_through: "2026-03-29" });
		const left = await shop.ask("GET", "/v1/spt/balance", undefined, sponsor);
		t.equal(left.body.data.balance_usd, "0.00");
	},
);

t.test("targets are in no file that can be read, and go with their account", async (t) => {
	const shop = await startTracker(t);
	const { key, account_id: owner } = await shop.app.operator.createKey({ usd: "20" });
	const order = {
		...ORDER,
		topic: "canarytopic",
		email: "canary@example.com",
		slack_webhook: HOOK,
	};
	const ask = (method: string, path: string, body?: object) => shop.ask(method, path, body, key);
	const { schedule_id: id } = (await ask("POST", SCHEDULES, order)).body.data;
	const holding = (text: string) =>
		filesWith(shop.folder, text).filter((file) => !/queries/.test(file));
	t.same([...holding("canary@example.com"), ...holding("canaryhook")], []);
	t.equal(holding("canarytopic").length, 1, "the topic is in a document of its own");
	const exported = await ask("GET", "/v1/account/export");
	t.match(exported.body.data.schedules, [{ schedule_id: id, topic: "canarytopic" }]);
	t.equal((await ask("DELETE", "/v1/account?confirm=10.00")).status, 200);
	t.same(holding("canarytopic"), []);
	for (const table of ["schedules", "briefing_runs"] as const) {
		const rows = await shop.app.store.read((reader) => reader.findBy(table, "owner", owner));
		t.same(rows, [], table);
	}
	shop.clock.set("2026-03-09T08:00:00Z");
	t.equal(await shop.tick(), 0);
});
