// `node bin/ship-catalog.mjs <compiled sources> <folder>`: a snapshot of each graph of the sample catalog, and the index over all of them
// (docs/adr/0087).
import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [compiled, folder] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(resolve(compiled), "src", path)).href);
const { readGraph } = await load("knowledge/bundle/bundle-folder.js");
const { shipSnapshot } = await load("knowledge/snapshots/graph-snapshots.js");
const { openSearch } = await load("app/content.js");
const { systemClock } = await load("kernel/kernel.js");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const catalog = join(root, "graphs");
const [snapshots, index] = [join(folder, "snapshots"), join(folder, "index")];

for (const one of [folder, snapshots, index]) mkdirSync(one, { recursive: true });
const graphs = [];
for (const entry of readdirSync(catalog, { withFileTypes: true })) {
	if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
	try {
		const graph = await readGraph(join(catalog, entry.name));
		graphs.push(graph);
		await shipSnapshot(graph, { root: catalog, folder: snapshots, version });
	} catch (error) {
		// A start says the same of it, and sells the others.
		process.stderr.write(`graphs/${entry.name} has no snapshot: ${error.message}\n`);
	}
}
// Where the model cannot be run, a start makes the vectors.
const asked = { model: "bundled", folder: index, modelsFolder: folder, clock: systemClock };
const search = await openSearch(asked);
await search.sync(graphs);
await search.close();
// Who runs the software need not be who installed it.
for (const name of readdirSync(index)) chmodSync(join(index, name), 0o644);
