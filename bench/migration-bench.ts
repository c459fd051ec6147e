/** What moving books to a database and back takes from the command line: time and memory of a process of its own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../src/app/create-app.js";
import { systemClock as clock } from "../src/kernel/clock.js";
import type { Settings } from "../src/settings/read-settings.js";
import { nodeFileSystem as fileSystem } from "../store/journal/file-system.js";
import { openJournalStore } from "../store/journal/journal-store.js";
import { generateSales } from "./generated-sales.js";
import { measureCommand } from "./import-bench.js";

const SALES = 50_000;
const KEYS = 1_000;
const GRAPHS = 30;

/** Fills a data folder, then moves its books into a schema of the database and back. */
export async function benchMigration(folder: string, url: string | undefined) {
	if (url === undefined) throw new Error("The part migration needs --store-url postgres://…");
	const data = join(folder, "data");
	await fill(folder, data);
	const store = await openJournalStore({ folder: join(data, "journal"), clock, fileSystem });
	await generateSales(store, { clock, sales: SALES, owners: KEYS });
	const { transactions } = await store.verify();
	await store.close();
	const schema = ["--store-url", url, "--store-schema", `bench_${process.pid}`];
	const migrate = (to: string) =>
		measureCommand(["migrate", "--data", data, ...schema, "--to", to]);
	const [there, back] = [await migrate("database"), await migrate("journal")];
	return { transactions, keys: KEYS, graphs: GRAPHS, there, back };
}

async function fill(folder: string, data: string): Promise<void> {
	const settings: Settings = {
		...{ profile: "demo", host: "127.0.0.1", port: 0, data, catalog: "none", model: "none" },
		...{ judge: "none", publicUrl: undefined, onchain: { facilitator: "off" }, prices: {} },
	};
	const app = await createApp({ settings });
	for (let index = 0; index < KEYS; index++) await app.operator.createKey({ usd: "1" });
	for (let index = 0; index < GRAPHS; index++) {
		const source = join(folder, `notes-${index}`);
		mkdirSync(source, { recursive: true });
		writeFileSync(join(source, "tides.md"), `# Tides ${index}\n\nThe moon pulls the oceans.\n`);
		await app.operator.importGraph({ source, as: `notes-${index}` });
	}
	await app.close();
}
