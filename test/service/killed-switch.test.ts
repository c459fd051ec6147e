import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { readGraph, recoverBundles } from "../../src/knowledge/bundle/bundle-folder.js";
import { createGraphHistory, recoverHistory } from "../../src/knowledge/versions/graph-history.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { as, createShop } from "./graph-shop.js";

const KILLED = fileURLToPath(new URL("./killed-node.js", import.meta.url));
/** Every so many changes of files; all of them by hand. */
const KILL_STEP = Number(process.env["SHARED_GRAPHS_KILL_STEP"] ?? 12);

/** What a start finds on the disk, before it asks the database. */
async function onDisk(folder: string): Promise<string> {
	const bundles = join(folder, "graphs");
	const history = { folder: join(folder, "graph-history"), clock: systemClock, keep: 10 };
	await recoverHistory(createGraphHistory(history), bundles);
	await recoverBundles(bundles);
	const names = readdirSync(bundles).filter((name) => !name.startsWith("."));
	const graphs = await Promise.all(names.map((name) => readGraph(join(bundles, name))));
	const textOf = ({ body }: { body: string }) => body.trim();
	return JSON.stringify(graphs.map(({ record, concepts }) => [record.id, concepts.map(textOf)]));
}

t.test("a process that is killed while it switches", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const { open, source, write, root } = createShop(t, cluster);
	const a = await open("a");
	await a.importer.import({ source, as });
	const b = await open("b", { isIdle: true });
	const before = b.onSale();
	await b.close();
	for (const note of ["moon", "sun", "wind"]) write(`${note}.md`, `# ${note}\n\nNext of ${note}.`);
	const steps: [string, () => Promise<unknown>][] = [
		["an update", () => a.importer.import({ source, as, update: true, removals_max: 9 })],
		["a renaming", () => a.owner.renameGraph({ graph_id: as, new_id: "seas" })],
		["a removal", () => a.owner.removeGraph({ graph_id: "seas" })],
	];
	const seen = new Set<string>();
	let [held, last] = [join(root, "b"), before];
	for (const [name, change] of steps) {
		await change();
		let isKilled = true;
		for (let nth = 1; isKilled; nth += KILL_STEP) {
			const copy = join(root, `${name} ${nth}`);
			cpSync(held, copy, { recursive: true });
			const child = spawn(process.execPath, [KILLED, cluster.url, copy, String(nth)], {
				stdio: ["ignore", "ignore", "inherit"],
			});
			const [, signal] = await once(child, "close");
			isKilled = signal === "SIGKILL";
			const found = await onDisk(copy);
			if (found !== last && found !== a.onSale()) t.fail(`${name} cut off before ${nth}: ${found}`);
			seen.add(found);
			const again = await open(`${name} ${nth}`, { isIdle: true });
			t.equal(again.onSale(), a.onSale(), `${name} is finished after a kill before change ${nth}`);
			t.same(again.errors, []);
			await again.close();
			if (!isKilled) held = copy;
		}
		last = a.onSale();
	}
	t.equal(seen.size, 4, "the old graph and each of the next ones");
});
