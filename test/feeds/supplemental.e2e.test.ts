import t from "tap";
import { rpc } from "../a2a/raw-rpc.js";
import { startApp } from "../support/start-app.js";

const SETTINGS = { model: "none", catalog: "none" } as const;

t.test("without a network the bundle answers, says so, and is paid for once", async (t) => {
	const app = await startApp(t, { settings: SETTINGS });
	const { token } = await app.issueSpt("5.00");
	const post = (path: string, body: object) =>
		app.send(path, {
			method: "POST",
			headers: { "Content-Type": "application/json", "X-Pay-SPT": token },
			body: JSON.stringify(body),
		});
	const get = (path: string) => app.send(path, { headers: { "X-Pay-SPT": token } });
	const balance = async () => (await get("/v1/spt/balance")).body.data.balance_usd;

	await t.test("a topic chooses feeds, with last value, change and source", async (t) => {
		const { status, body } = await post("/v1/supplemental/context", {
			topic: "oil price",
			limit: 2,
		});
		t.equal(status, 200);
		t.equal(body.meta.cost.amount_usd, "0.50");
		t.equal(body.meta.mode, "bundled");
		const brent = body.data.feeds.find((feed: { feed_id: string }) => feed.feed_id === "eia:brent");
		t.match(brent, {
			stale: true,
			unit: "US dollars per barrel",
			last: { period: "2026-07", value: 83.76, value_text: "83.76" },
			change: { abs: -1.64, pct: -1.9204, yoy: 17.9054, yoy_unit: "percent" },
			source_url: "https://fred.stlouisfed.org/series/MCOILBRENTEU",
			observations: { length: 2 },
		});
		t.match(
			body.data.skipped.find((one: { feed_id: string }) => one.feed_id === "eia:brent"),
			{ reason: "Feeds are not fetched here.", shown: "bundle" },
		);
		t.ok(
			body.data.skipped.some((one: { shown: string | null }) => one.shown === null),
			"feeds nobody has figures of are told as well",
		);
	});

	await t.test(
		"series that share no more than a word of a topic are about something else",
		async (t) => {
			const before = await balance();
			for (const topic of ["oil painting", "gold medal", "who discovered gold in California?"]) {
				const { body } = await post("/v1/supplemental/context", { topic });
				t.match(
					body,
					{ data: { feeds: { length: 0 } }, meta: { cost: { charged: false } } },
					topic,
				);
			}
			t.equal(await balance(), before);
			const { body } = await post("/v1/supplemental/context", {
				topic: "What are the latest oil prices in 2026?",
				limit: 1,
			});
			t.ok(body.data.feeds.some((feed: { feed_id: string }) => feed.feed_id === "eia:brent"));
		},
	);

	await t.test(
		"a topic is answered for its place, time, unit and frequency, or not at all",
		async (t) => {
			const ask = async (topic: string) => (await post("/v1/supplemental/context", { topic })).body;
			const before = await balance();
			for (const topic of [
				"German unemployment",
				"Texas unemployment rate",
				"gold price in Japan",
				"gold price in euros",
				"monthly inflation in Germany",
				"GDP per capita of Germany",
				"GDP of China in 1950",
				"papers on pattern matching",
			]) {
				const { data, meta } = await ask(topic);
				t.equal(meta.cost.charged, false, topic);
				for (const feed of data.feeds) t.match(feed, { last: null, change: null, headline: null });
			}
			t.equal(await balance(), before);
			const { data } = await ask("German inflation in 2023");
			t.same(
				data.feeds.map(({ feed_id }: { feed_id: string }) => feed_id),
				["worldbank:inflation-deu"],
			);
			t.match(data.feeds[0].observations, [{ period: "2023" }]);
			t.equal(data.feeds[0].observations.length, 1);
			const [yen] = (await ask("JPY/USD")).data.feeds;
			t.equal(yen.feed_id, "fred:EXJPUS");
		},
	);

	await t.test("the first line has value, change and age", async (t) => {
		const message = {
			messageId: "m-1",
			role: "ROLE_USER",
			parts: [{ data: { skill: "supplemental_context", input: { topic: "gold price" } } }],
		};
		const { body } = await rpc(app.baseUrl, {
			params: { message },
			headers: { "Content-Type": "application/json", "X-Pay-SPT": token },
		});
		const parts: { text?: string }[] = body.result.task.artifacts[0].parts;
		const [line] = (parts.find(({ text }) => text)?.text ?? "").split("\n");
		t.match(
			line,
			/^Gold price: 4228\.000 US dollars per troy ounce \(2026-06\), -359 \(-7\.83 %\) since 2026-05; \d+ days old; DataHub/,
		);
	});

	await t.test("a topic without any figures costs nothing", async (t) => {
		const before = await balance();
		const { status, body } = await post("/v1/supplemental/context", { feeds: ["fed:press"] });
		t.equal(status, 200);
		t.same(body.data.feeds, []);
		t.match(body.data.skipped, [{ feed_id: "fed:press", shown: null }]);
		t.equal((await post("/v1/supplemental/context", { feeds: ["eia:brnt"] })).status, 404);
		t.equal((await post("/v1/supplemental/context", {})).status, 400);
		t.equal(
			(await post("/v1/supplemental/compare", { feeds: ["eia:brent", "fed:press"] })).status,
			400,
		);
		const ahead = { feeds: ["eia:brent", "eia:wti"], since: "2099" };
		for (const told of [
			(await post("/v1/supplemental/context", ahead)).body.data.feeds,
			[(await get("/v1/supplemental/series/eia:brent?since=2099")).body.data],
		]) {
			for (const feed of told) t.match(feed, { last: null, change: null, observations: [] });
		}
		t.match((await post("/v1/supplemental/compare", ahead)).body.data, {
			rows: [],
			correlations: [],
		});
		t.equal(await balance(), before);
	});

	await t.test("one series is read, and two are compared", async (t) => {
		const series = await get("/v1/supplemental/series/worldbank:inflation-jpn?since=2023&limit=5");
		t.equal(series.status, 200);
		t.equal(series.body.data.change.yoy_unit, "percentage_points");
		t.equal(series.body.data.change.pct, null);
		const { body } = await post("/v1/supplemental/compare", {
			feeds: ["eia:brent", "worldbank:inflation-usa"],
			since: "2010",
		});
		t.equal(body.data.frequency, "annual");
		t.equal(body.data.rows[0].period, "2010");
		t.equal(body.data.rows.at(-1).period, "2025", "2026 is not over, so it has no mean");
		t.equal(body.data.correlations[0].n, 15);
	});

	await t.test("which feeds there are, and how they do, is free", async (t) => {
		const { body } = await app.send("/v1/supplemental/suggest?q=oil%20price&limit=3");
		t.equal(body.data.items.length, 3);
		t.match(body.data.items[0].reason, /oil/);
		const list = await app.send("/v1/supplemental/feeds?kind=items&limit=10");
		t.equal(list.body.data.items.length, 10);
		t.type(list.body.meta.next_cursor, "string");
		const next = await app.send(
			`/v1/supplemental/feeds?kind=items&limit=10&cursor=${list.body.meta.next_cursor}`,
		);
		t.ok(next.body.data.items[0].feed_id > list.body.data.items[9].feed_id);
		const one = await app.send("/v1/supplemental/feeds/eia:brent");
		t.match(one.body.data, { is_bundled: true, status: { last_period: "2026-07", failures: 0 } });
		const health = await app.send("/v1/supplemental/health");
		t.ok(health.body.data.registered >= 100);
		t.equal((await app.send("/v1/supplemental/feeds/nobody:knows")).status, 404);
	});
});
