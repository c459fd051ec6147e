import t from "tap";
import { HOOK, SCHEDULES, startTracker, stateOf } from "./start-tracker.js";

const DAY_MS = 24 * 3_600_000;

t.test(
	"a briefing reaches a confirmed reader and Slack, and begins the week that was paid",
	async (t) => {
		const shop = await startTracker(t);
		const order = {
			topic: "tidal power",
			frequency: "weekly",
			email: "reader@example.com",
			slack_webhook: HOOK,
			timezone: "Europe/Berlin",
			hour: 8,
		};
		const made = await shop.ask("POST", SCHEDULES, order);
		t.equal(made.status, 200, JSON.stringify(made.body));
		t.match(made.body.meta.cost, { amount_usd: "10.00", billing_type: "weekly_tracker" });
		t.match(made.body.data, {
			status: "active",
			timezone: "Europe/Berlin",
			next_run_at: "2026-03-09T07:00:00.000Z",
			channels: [
				{ kind: "email", target_masked: "r…@e…", status: "unconfirmed" },
				{ kind: "slack", status: "ready" },
			],
		});
		t.notMatch(JSON.stringify(made.body), /reader@|canaryhook/);
		const { schedule_id: id } = made.body.data;
		t.match(id, /^sch_[0-9a-z]{32}$/);

		t.equal(await shop.tick(), 0, "nothing is due yet");
		const [asked] = shop.mail.mails;
		t.match(asked?.headers.get("subject"), "Confirm briefings on tidal power");
		const link = /\/v1\/research\/schedules\/confirm\?token=[\w-]+/.exec(
			asked?.parts.get("text/plain") ?? "",
		);
		const page = await shop.send(link?.[0] ?? "");
		t.match(page.body, /<form method="post" action="[^"]+confirm/, "opening it changes nothing");
		t.equal(page.headers.get("cache-control"), "no-store", "its address holds a secret");
		t.equal(page.headers.get("etag"), null);
		const agree = () => shop.send(link?.[0] ?? "", { method: "POST" });
		t.match((await agree()).body.data, { status: "confirmed", channel: "email" });
		t.equal((await agree()).status, 404, "it works once");

		shop.clock.set("2026-03-09T07:00:05Z");
		t.equal(await shop.tick(), 1);
		t.equal(await shop.tick(), 0, "a slot runs once");
		const mail = shop.mail.mails[1];
		t.same(mail?.to, ["reader@example.com"]);
		t.match(mail?.headers.get("content-type"), /^multipart\/alternative/);
		t.match(mail?.headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
		t.match(
			mail?.parts.get("text/plain"),
			/WHAT MATTERS MOST[\s\S]*tidal barrage stores tidal power[\s\S]*\[1\]/,
		);
		t.match(mail?.parts.get("text/html"), /<h2[^>]*>What matters most<\/h2>/);
		const [post] = shop.slack.posts;
		t.equal(post?.path, "/services/T000/B000/canaryhook");
		t.equal(post?.host, "hooks.slack.com");
		t.match(post?.body.blocks[0], { type: "header", text: { type: "plain_text" } });
		t.equal(shop.slack.posts.length, 1);

		const { body } = await shop.ask("GET", `${SCHEDULES}/${id}`);
		t.match(body.data, {
			weeks_prepaid: 0,
			covered_through: "2026-03-15",
			last_run: { status: "delivered" },
		});
		t.equal(await shop.balance(), "15.00");
		const runs = await shop.ask("GET", `${SCHEDULES}/${id}/runs`);
		const [run] = runs.body.data.items;
		t.match(run, { slot: "2026-03-09", channels: [{ status: "sent" }, { status: "sent" }] });
		const one = await shop.ask("GET", `${SCHEDULES}/${id}/runs/${run.run_id}`);
		t.match(one.body.data.briefing, { is_first: true, top: [{ what: { citation_ids: [1] } }, {}] });

		const stop = /<(http[^>]+)>/.exec(mail?.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
		const path = stop.slice(shop.baseUrl.length);
		t.match((await shop.send(path)).body, /<form method="post"/, "opening it changes nothing");
		const form = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
		t.match((await shop.send(path, form)).body.data, { status: "unsubscribed" });
		t.equal((await shop.send(path, form)).status, 404, "it works once");
		await shop.ask("PATCH", `${SCHEDULES}/${id}`, { weekday: "monday" });
		t.equal((await shop.ask("PATCH", `${SCHEDULES}/${id}`, { email: null })).status, 200);
		const address = { email: "READER@example.com" };
		const renamed = await shop.ask("PATCH", `${SCHEDULES}/${id}`, address);
		t.equal(renamed.status, 400, "a reader who left is not asked again");
		t.equal((await shop.ask("POST", SCHEDULES, { ...order, ...address })).status, 400);
		t.equal(await shop.balance(), "15.00");
		shop.clock.set("2026-03-16T07:00:05Z");
		t.equal(await shop.tick(), 1);
		t.equal(shop.mail.mails.length, 2, "nothing more is mailed");
		t.match(shop.slack.posts[1]?.body.text, "Nothing new: tidal power");
		t.equal(await shop.balance(), "15.00", "nothing new costs nothing");
	},
);

t.test("without targets briefings wait for pick-up; a preview shows their beginning", async (t) => {
	const shop = await startTracker(t, { hasMail: false });
	const preview = await shop.ask("POST", `${SCHEDULES}/preview`, { topic: "tidal power" }, null);
	t.match(preview.body.data, { is_sample: true, briefing: { is_first: true } });
	t.ok(preview.body.data.briefing.top.length <= 2);
	const order = { topic: "tidal power", frequency: "weekly", email: "reader@example.com" };
	const made = await shop.ask("POST", SCHEDULES, order);
	t.match(made.body.data.channels, [{ status: "not_configured" }]);
	t.match(made.body.meta.warnings.join(" "), /no mail server[\s\S]*pick-up/);
	const { schedule_id: id } = made.body.data;
	shop.clock.set("2026-03-09T08:00:00Z");
	t.equal(await shop.tick(), 1);
	const { last_run: last } = await stateOf(shop, id);
	const path = `${SCHEDULES}/${id}/runs/${last.run_id}`;
	const read = async () => (await shop.ask("GET", path)).body.data;
	t.match(await read(), { status: "delivered", briefing: { top: [{}, {}] } });
	shop.clock.advance(DAY_MS + 1);
	t.match(await read(), { status: "delivered", briefing: null, kept_until: null });
	const uncovered = await shop.ask(
		"POST",
		`${SCHEDULES}/preview`,
		{ topic: "zebra finance" },
		null,
	);
	t.match(uncovered.body.data.briefing, { is_nothing_new: true, top: [] });
});

t.test("a topic is one line, and markup in it stays text", async (t) => {
	const shop = await startTracker(t);
	const topic =
		'tidal\r\nBcc: evil@example.com\r\n\r\n<script>alert("power")</script> <!channel> *bold*';
	const order = { topic, frequency: "daily", email: "reader@example.com", slack_webhook: HOOK };
	await shop.ask("POST", SCHEDULES, order);
	await shop.tick();
	const [mail] = shop.mail.mails;
	t.same(mail?.to, ["reader@example.com"]);
	t.equal(mail?.headers.has("bcc"), false);
	t.notMatch(mail?.parts.get("text/html"), /<script/);
	shop.clock.set("2026-03-03T08:00:00Z");
	await shop.tick();
	t.notMatch(JSON.stringify(shop.slack.posts), /<!channel>|<script/);
	t.equal(shop.slack.posts.length, 1);
});
