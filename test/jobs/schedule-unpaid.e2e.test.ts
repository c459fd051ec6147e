import t from "tap";
import { HOOK, SCHEDULES, startTracker, stateOf, tellNews } from "./start-tracker.js";

const ORDER = { topic: "tidal power", frequency: "weekly" };

t.test(
	"a briefing that was not delivered cannot be picked up before its week is paid",
	async (t) => {
		const shop = await startTracker(t);
		const order = { ...ORDER, slack_webhook: HOOK };
		const { schedule_id: id } = (await shop.ask("POST", SCHEDULES, order)).body.data;
		const path = `${SCHEDULES}/${id}`;
		const latest = async () => {
			const [run] = (await shop.ask("GET", `${path}/runs`)).body.data.items;
			return (await shop.ask("GET", `${path}/runs/${run.run_id}`)).body.data;
		};
		shop.slack.status = 404;
		for (const week of ["09", "16", "23"]) {
			shop.clock.set(`2026-03-${week}T08:00:00Z`);
			t.equal(await shop.tick(), 1);
			t.match(await latest(), { status: "waiting", briefing: null, kept_until: null });
			await shop.ask("PATCH", path, { status: "paused" });
			t.match(await latest(), { status: "failed", briefing: null });
			await shop.ask("PATCH", path, { status: "active" });
		}
		const row = await shop.app.store.read((reader) => reader.get("schedules", id));
		t.equal(row?.failedRuns, 3, "what failed counts on");
		t.equal((await stateOf(shop, id)).weeks_prepaid, 1);
		shop.slack.status = 200;
		shop.clock.set("2026-03-30T08:00:00Z");
		await shop.tick();
		t.match(await latest(), { status: "delivered", briefing: { is_first: true } });
		t.match(await stateOf(shop, id), { weeks_prepaid: 0, covered_through: "2026-04-05" });
	},
);

t.test(
	"what is asked for out of turn waits for its payment, and takes nothing from the week",
	async (t) => {
		const shop = await startTracker(t);
		const order = { ...ORDER, slack_webhook: HOOK };
		const { schedule_id: id } = (await shop.ask("POST", SCHEDULES, order)).body.data;
		const { book } = shop.app.schedules;
		const caller = { owner: shop.tokenId, rail: "spt" };
		const asked = { signal: new AbortController().signal, requestId: "req_1", caller };
		const rows = () =>
			shop.app.store.read((reader) => reader.findBy("briefing_runs", "scheduleId", id));
		const { run, deliver } = await book.runNow(id, { ...asked, callId: "hold_1" });
		t.same(
			[run.status, run.channels, await rows()],
			["running", [{ kind: "slack", status: "waiting" }], []],
		);
		t.equal(shop.slack.posts.length, 0, "nothing is sent before it is paid for");
		t.equal(await shop.app.store.documents.get(run.run_id), undefined);
		const gone = { ...asked, signal: AbortSignal.abort(), callId: "hold_2" };
		await t.rejects(book.runNow(id, gone), "nor made for somebody who left");
		t.match(await deliver?.(), { status: "delivered", run_id: run.run_id });
		t.match(await deliver?.(), { status: "delivered" });
		t.equal(shop.slack.posts.length, 1, "once for each call");
		const idle = await book.runNow(id, { ...asked, callId: "hold_3" });
		t.match(idle, { deliver: undefined, run: { status: "nothing_new", kept_until: null } });
		t.equal((await rows()).length, 1, "what nobody pays leaves no row");

		shop.clock.set("2026-03-09T08:00:00Z");
		await shop.tick();
		t.match(await stateOf(shop, id), { weeks_prepaid: 0, last_run: { status: "delivered" } });
		await tellNews(shop, "one");
		shop.clock.set("2026-03-16T07:59:00Z");
		const late = await book.runNow(id, { ...asked, callId: "hold_4" });
		t.equal((await late.deliver?.())?.status, "delivered");
		shop.clock.set("2026-03-16T08:00:00Z");
		await shop.tick();
		t.equal(await shop.balance(), "5.00", "the week is paid with what is told in turn");

		const last = await book.runNow(id, { ...asked, callId: "hold_5" });
		t.equal(last.run.status, "nothing_new", "what was told in turn is not sold again");
		await tellNews(shop, "two");
		const kept = await book.runNow(id, { ...asked, callId: "hold_6" });
		await shop.ask("DELETE", `${SCHEDULES}/${id}`);
		await t.rejects(async () => void (await kept.deliver?.()), { code: "NOT_FOUND" });
		t.equal(shop.slack.posts.length, 4);
		for (const name of ["memory", "manual-memory", "text"]) {
			t.equal(await shop.app.store.documents.get(`${id}-${name}`), undefined, name);
		}
	},
);

t.test("a secret that was replaced pays for no weeks to come", async (t) => {
	const shop = await startTracker(t);
	const { key } = await shop.app.operator.createKey({ usd: "40" });
	const { schedule_id: id } = (await shop.ask("POST", SCHEDULES, ORDER, key)).body.data;
	const keys = (await shop.ask("GET", "/v1/account/keys", undefined, key)).body.data.items;
	const rotated = await shop.ask("POST", `/v1/account/keys/${keys[0].id}/rotate`, {}, key);
	t.equal(rotated.status, 200, JSON.stringify(rotated.body));
	const made = await shop.ask("POST", SCHEDULES, ORDER, key);
	t.match(made.body.data, { renews: false }, "it still pays for this week");
	const change = { renew_with: "credential" };
	const refused = await shop.ask("PATCH", `${SCHEDULES}/${id}`, change, key);
	t.match([refused.status, refused.body.error?.code], [403, "SCOPE_FORBIDDEN"]);
});
