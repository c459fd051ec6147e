import t from "tap";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import {
	parseSeries,
	SCRAPED,
	scrape,
	startMeasured,
	sumOf,
	UNKNOWN_QUERY,
} from "./measured-shop.js";

t.test(
	"books in a database are measured as those in a journal",
	{ skip: WITHOUT_POSTGRES },
	async (t) => {
		const cluster = await startPostgres();
		t.teardown(() => cluster.stop());
		const shop = await startMeasured(t, SCRAPED, { settings: { storeUrl: cluster.url } });
		const { token } = await shop.issueSpt("2.00");
		const answered = await Promise.all([shop.search({ token }), shop.search({ token })]);
		t.same(
			answered.map(({ status }) => status),
			[200, 200],
		);
		await shop.search({ token, body: { query: UNKNOWN_QUERY } });
		const series = parseSeries(await scrape(shop));
		t.equal(sumOf(series, "tollgraph_holds_total"), 3);
		t.equal(sumOf(series, "tollgraph_captures_total"), 2);
		t.equal(sumOf(series, "tollgraph_releases_total", { reason: "no_answer" }), 1);
		t.equal(sumOf(series, "tollgraph_captured_usd_total"), 1);
		t.equal(sumOf(series, "tollgraph_store_serving", { store: "postgres" }), 1);
		for (const durability of ["durable", "deferred"]) {
			const labels = { store: "postgres", durability };
			const count = sumOf(series, "tollgraph_store_transaction_duration_seconds_count", labels);
			t.ok(count, durability);
		}
		await shop.close();
	},
);
