import t from "tap";
import { startApp } from "../support/start-app.js";

t.test("what is refused is counted by its code, day by day", async (t) => {
	const shop = await startApp(t, { settings: { model: "none" } });
	const { operator } = shop.app;
	t.same((await operator.reportRefusals({})).items, []);
	await shop.search();
	await shop.search();
	await shop.search({ token: "spt_test_wrong" });
	const { token } = await shop.issueSpt("0.40");
	await shop.search({ token });
	await shop.search({ token: (await shop.issueSpt("2")).token });
	const { items } = await operator.reportRefusals({});
	t.same(items, [
		{ code: "PAYMENT_REQUIRED", calls: 2, ending: "challenged" },
		{ code: "INSUFFICIENT_BALANCE", calls: 1, ending: "refused" },
		{ code: "UNAUTHENTICATED", calls: 1, ending: "refused" },
	]);
	const { challenged_calls, refused_calls } = await operator.reportUsage({});
	t.same([challenged_calls, refused_calls], [2, 2], "the sums are those of the other report");
	t.same((await operator.reportRefusals({ to: "2001-01-01" })).items, []);
	await t.rejects(operator.reportRefusals({ from: "2026-02-31" }), { code: "INVALID_ARGUMENT" });
});

t.test(
	"holds, schedules, webhooks and feeds are listed without what their owners wrote",
	async (t) => {
		const shop = await startApp(t);
		const { operator } = shop.app;
		const { token, id } = await shop.issueSpt("50");
		const post = (path: string, body: object) =>
			shop.send(path, {
				method: "POST",
				headers: { "Content-Type": "application/json", "X-Pay-SPT": token },
				body: JSON.stringify(body),
			});
		t.equal(
			(await post("/v1/research/deep-dive", { query: "How do agents pay for calls?" })).status,
			202,
		);
		t.match((await operator.listHolds()).items, [
			{ owner: id, operation: "research.deep_dive", amount_usd: "10.00", job_id: /^job_/ },
		]);
		const order = { topic: "secret wishes", frequency: "weekly", email: "ada@example.org" };
		const made = await post("/v1/research/schedules", order);
		t.ok(made.status < 300, JSON.stringify(made.body));
		const hook = { url: "https://hooks.example.org/very-secret", description: "secret words" };
		t.ok((await post("/v1/webhooks", hook)).status < 300);
		const schedules = await operator.listSchedules();
		const webhooks = await operator.listWebhooks();
		t.match(schedules.items, [{ owner: id, frequency: "weekly", status: "active" }]);
		t.match(webhooks.items, [
			{ owner: id, target_masked: /hooks\.example\.org/, status: "active" },
		]);
		const all = JSON.stringify([schedules, webhooks]);
		t.notMatch(all, /secret|ada@/);
		t.notMatch(all, made.body.data.schedule_id, "whose id opens it");
		await operator.setFeed({
			feed_id: (await operator.listFeeds()).items[0]?.id ?? "",
			enabled: false,
		});
		const { mode, items } = await operator.listFeeds();
		t.equal(mode, "bundled");
		t.match(items[0], { enabled: false, failures: 0, problem: /switched the feed off/ });
		t.ok(items.length > 10 && items.slice(1).every(({ enabled }) => enabled));
	},
);
