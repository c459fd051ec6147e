import t from "tap";
import { SCHEDULES, startTracker } from "./start-tracker.js";

const ORDER = { topic: "tidal power", frequency: "daily" };

t.test(
	"schedules of others are neither listed, changed nor distinguished from unknown ones",
	async (t) => {
		const shop = await startTracker(t, { usd: "60" });
		const { token: stranger } = await shop.issueSpt("20");
		const made = (await shop.ask("POST", SCHEDULES, ORDER)).body.data;
		const gone = (await shop.ask("POST", SCHEDULES, ORDER)).body.data;
		const cancelled = await shop.ask("DELETE", `${SCHEDULES}/${gone.schedule_id}`);
		t.match(cancelled.body.data, { status: "cancelled", next_run_at: null });

		const listed = async (token: string | null) =>
			(await shop.ask("GET", SCHEDULES, undefined, token)).body.data.items;
		t.same(await listed(null), [], "nobody sees nothing");
		t.same(await listed(stranger), []);
		t.same(
			(await listed(shop.token)).map(({ schedule_id }: { schedule_id: string }) => schedule_id),
			[made.schedule_id],
		);

		const unknown = `sch_${"0".repeat(32)}`;
		const ids = [made.schedule_id, unknown, gone.schedule_id];
		for (const [method, rest, body] of [
			["PATCH", "", { hour: 9 }],
			["DELETE", "", undefined],
			["GET", "", undefined],
			["POST", "/test", undefined],
			["GET", "/runs", undefined],
			["GET", "/runs/run_0", undefined],
			["POST", "/run", {}],
		] as const) {
			const answers = [];
			for (const id of ids) {
				const { status, body: reply } = await shop.ask(
					method,
					`${SCHEDULES}/${id}${rest}`,
					body,
					stranger,
				);
				const { code, message } = reply.error;
				answers.push({ status, code, message });
			}
			t.same(answers[0], {
				status: 404,
				code: "NOT_FOUND",
				message: "No schedule of yours has this id.",
			});
			t.same(answers[1], answers[0], `${method} ${rest}: unknown`);
			t.same(answers[2], answers[0], `${method} ${rest}: cancelled`);
		}
		t.match(
			await listed(shop.token),
			[{ schedule_id: made.schedule_id, hour: 8 }],
			"nothing changed",
		);
	},
);

t.test("the work for an unknown id is that for one of somebody else", async (t) => {
	const shop = await startTracker(t, { usd: "40" });
	const { schedule_id: id } = (await shop.ask("POST", SCHEDULES, ORDER)).body.data;
	const { service } = shop.app.schedules;
	const { store } = shop.app;
	const steps = async (scheduleId: string) => {
		const seen: string[] = [];
		const { read, transaction, documents } = store;
		const { get } = documents;
		Object.assign(store, {
			read: (work: Parameters<typeof read>[0]) => {
				seen.push("read");
				return read(work);
			},
			transaction: (work: Parameters<typeof transaction>[0]) => {
				seen.push("transaction");
				return transaction(work);
			},
		});
		Object.assign(documents, {
			get: (name: string) => {
				seen.push("document");
				return get(name);
			},
		});
		const stranger = { caller: { owner: "tok_stranger", rail: "spt" }, isNamed: true };
		for (const attempt of [
			() => service.change(stranger, scheduleId, { hour: 3 }),
			() => service.cancel(stranger, scheduleId),
			() => service.get(stranger.caller, scheduleId),
		]) {
			await attempt().catch(() => seen.push("refused"));
		}
		Object.assign(store, { read, transaction });
		Object.assign(documents, { get });
		return seen;
	};
	const ofUnknown = await steps(`sch_${"0".repeat(32)}`);
	t.same(await steps(id), ofUnknown);
	t.same(ofUnknown, ["read", "refused", "read", "refused", "read", "refused"]);
});

t.test("its owner alone changes and cancels a schedule", async (t) => {
	const shop = await startTracker(t);
	const { schedule_id: id } = (await shop.ask("POST", SCHEDULES, ORDER)).body.data;
	const path = `${SCHEDULES}/${id}`;
	const unknown = (await shop.ask("PATCH", `${SCHEDULES}/sch_${"0".repeat(32)}`, { hour: 9 }, null))
		.body.error.message;
	for (const [method, body] of [
		["PATCH", { topic: "mine now", email: "thief@example.com" }],
		["PATCH", { renew_with: "credential" }],
		["DELETE", undefined],
	] as const) {
		const refused = await shop.ask(method, path, body, null);
		t.match(
			refused,
			{ status: 404, body: { error: { message: unknown } } },
			"the id is not enough",
		);
	}
	const patch = (body: object) => shop.ask("PATCH", path, body);
	const changed = await patch({
		topic: "tidal  turbines\u202e",
		frequency: "weekly",
		weekday: "friday",
		timezone: "America/New_York",
		email: "a@example.com",
	});
	t.match(changed.body.data, {
		topic: "tidal turbines",
		weekday: "friday",
		next_run_at: "2026-03-06T13:00:00.000Z",
		channels: [{ status: "unconfirmed" }],
	});
	t.match((await patch({ email: null, status: "paused" })).body.data, {
		status: "paused",
		reason: "asked",
		channels: [],
		next_run_at: null,
	});
	t.match((await patch({ status: "active" })).body.data, { status: "active", reason: null });
	for (const bad of [
		{},
		{ hour: 24 },
		{ timezone: "Mars/Olympus" },
		{ slack_webhook: "https://hooks.slack.com.evil.example/services/T/B/x" },
		{ slack_webhook: "http://127.0.0.1/services/T/B/x" },
		{ email: "a@b.c\r\nBcc: d@e.f" },
		{ frequency: "hourly" },
		{ owner: "tok_x" },
	]) {
		t.equal((await patch(bad)).status, 400, JSON.stringify(bad));
	}
	t.equal(
		(await shop.ask("GET", path, undefined, null)).status,
		404,
		"what it holds is its owner's",
	);
	t.equal((await shop.ask("DELETE", path)).status, 200);
	t.equal((await shop.ask("DELETE", path)).status, 404);
});

t.test("links that are forged, mixed up or of an old address do nothing", async (t) => {
	const shop = await startTracker(t);
	const order = { ...ORDER, email: "first@example.com" };
	const { schedule_id: id } = (await shop.ask("POST", SCHEDULES, order)).body.data;
	await shop.tick();
	const tokenOf = (place: number) =>
		/confirm\?token=([\w-]+)/.exec(shop.mail.mails[place]?.parts.get("text/plain") ?? "")?.[1] ??
		"";
	const old = tokenOf(0);
	const use = async (name: string, token: string, method = "POST") =>
		(await shop.send(`${SCHEDULES}/${name}?token=${token}`, { method })).status;
	const forged = `${old.slice(0, -2)}${old.endsWith("AA") ? "BB" : "AA"}`;
	t.same([await use("confirm", forged), await use("confirm", "AAAA")], [404, 404]);
	t.equal(await use("unsubscribe", old, "POST"), 404, "a link does one thing");
	await shop.ask("PATCH", `${SCHEDULES}/${id}`, { email: "second@example.com" });
	t.equal(await use("confirm", old), 404, "the address has changed");
	await shop.tick();
	t.same(shop.mail.mails[1]?.to, ["second@example.com"]);
	shop.clock.advance(8 * 24 * 3_600_000);
	t.equal(await use("confirm", tokenOf(1)), 404, "it has expired");
	t.equal(shop.slack.posts.length, 0);
});

t.test(
	"the id of a schedule, with which an anonymous one is changed, stays out of logs",
	async (t) => {
		const lines: string[] = [];
		const note = (message: string, facts?: object) => {
			lines.push(`${message} ${JSON.stringify(facts ?? {})}`);
		};
		const shop = await startTracker(t, { usd: "40", logger: { info: note, error: note } });
		shop.mail.refuseWith(550);
		const order = { ...ORDER, email: "reader@example.net" };
		const { schedule_id: id } = (await shop.ask("POST", SCHEDULES, order)).body.data;
		await shop.ask("PATCH", `${SCHEDULES}/${id}`, { topic: "" });
		await shop.ask("DELETE", `${SCHEDULES}/${id}`, undefined, null);
		await shop.tick();
		t.match(
			lines.filter((line) => line.includes("could not be sent")),
			[/"schedule":"sch_\w{6}…".+refuses this address \(550\)/],
			"a failure names the schedule so that two can be distinguished, and its reason",
		);
		t.notMatch(lines.join("\n"), "reader@example.net");
		t.notMatch(lines.join("\n"), id.slice("sch_".length + 6), "and not so that it could be used");
	},
);
