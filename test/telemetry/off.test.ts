import { createRequire } from "node:module";
import { join } from "node:path";
import t from "tap";
import { createApp } from "../../src/app/create-app.js";
import { NO_TELEMETRY } from "../../src/telemetry/telemetry.js";
import type { Store } from "../../store/store-port.js";
import { startApp, testSettings } from "../support/start-app.js";
import { SCRAPED, scrape, startMeasured } from "./measured-shop.js";

const loaded = () =>
	Object.keys(createRequire(import.meta.url).cache).filter((path) =>
		path.includes("@opentelemetry"),
	);

t.test("where nothing is measured nothing listens, and no library is loaded", async (t) => {
	const shop = await startApp(t, { isServing: true, settings: { model: "none" } });
	const { token } = await shop.issueSpt("1.00");
	const headers = { traceparent: `00-${"a".repeat(32)}-${"a".repeat(16)}-01` };
	t.equal((await shop.search({ token, headers })).status, 200);
	t.equal(shop.metricsUrl, undefined);
	t.same(loaded(), []);
});

t.test("a command on a data folder is not measured, whatever the settings say", async (t) => {
	const folder = join(t.testdir({}), "data");
	const settings = testSettings(folder, { model: "none", telemetry: SCRAPED });
	const silent = { info: () => undefined, error: () => undefined };
	const app = await createApp({ settings, logger: silent });
	await app.operator.issueSpt({ usd: "1.00" });
	await app.close();
	t.same(loaded(), []);
});

t.test("then every part is the one that was given", async (t) => {
	const store = {} as Store;
	t.equal(NO_TELEMETRY.store(store), store);
	const invoke = async () => Promise.reject(new Error("never called"));
	t.equal(NO_TELEMETRY.invoke(invoke), invoke);
	t.equal(NO_TELEMETRY.timeModel, undefined);
});

t.test("it is loaded where something is measured", async (t) => {
	const shop = await startMeasured(t, SCRAPED);
	t.match(await scrape(shop), /tollgraph_uptime_seconds/);
	t.ok(loaded().length > 0);
});
