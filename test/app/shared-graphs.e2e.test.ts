import { existsSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Settings } from "../../src/settings/read-settings.js";
import { until } from "../service/graph-node.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { startApp, type TestApp } from "../support/start-app.js";

t.test(
	"two servers on one database sell the same graphs",
	{ skip: WITHOUT_POSTGRES },
	async (t) => {
		const cluster = await startPostgres();
		t.teardown(() => cluster.stop());
		const root = t.testdir({
			notes: {
				"moon.md": "# Moon\n\nThe moon pulls the sea, which makes the tides.",
				"sun.md": "# Sun\n\nThe sun pulls the sea less than the moon does.",
			},
		});
		const settings: Partial<Settings> = { storeUrl: cluster.url, catalog: "none" };
		const keysFolder = join(root, "keys");
		const start = (name: string) =>
			startApp(t, { folder: join(root, name), settings: { ...settings, keysFolder } });
		const a = await start("a");
		const b = await start("b");
		const healthOf = async (app: TestApp) => (await app.send("/v1/health")).body.data;
		t.match(await healthOf(b), { graphs: { version: 0, newest: 0, refused: [] } });

		await a.app.operator.importGraph({ source: join(root, "notes"), as: "tides" });
		await until(
			async () => (await healthOf(b)).graphs.version === 1,
			() => "no version",
		);
		const { token } = await a.issueSpt("5.00");
		const asked = { graph: "tides", token, body: { query: "What makes the tides?", limit: 1 } };
		for (const app of [a, b]) {
			const { status, body } = await app.search(asked);
			t.equal(status, 200);
			t.match(body, {
				rows: [{ name: "Moon" }],
				meta: { graphs_used: ["tides"], graph_versions: { tides: 1 } },
			});
		}
		const { status, concepts, ...model } = (await healthOf(b)).model;
		t.match({ status, concepts, ...model }, { mode: "hybrid", pending_vectors: 0 });

		await b.app.operator.removeGraph({ graph_id: "tides" });
		await until(
			async () => (await a.send("/v1/graphs/tides")).status === 404,
			() => "still there",
		);
		await until(
			async () => (await healthOf(a)).graphs.version === 2,
			() => "no version",
		);

		await t.test("with a journal there is nothing of it", async (t) => {
			const alone = await startApp(t, { settings: { catalog: "none" } });
			await alone.app.operator.importGraph({ source: join(root, "notes"), as: "tides" });
			const own = await alone.issueSpt("5.00");
			const { body } = await alone.search({ ...asked, token: own.token });
			t.match(body, { rows: [{ name: "Moon" }] });
			t.notHas(body.meta, "graph_versions");
			t.notHas(await healthOf(alone), "graphs");
			t.notOk(existsSync(join(alone.folder, "graph-versions.json")));
		});
	},
);
