// `node bin/ship-catalog.mjs <compiled sources> <folder>`: a snapshot of each graph of the sample catalog (docs/adr/0087).
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [compiled, folder] = process.argv.slice(2);
const load = (name) =>
	import(pathToFileURL(join(resolve(compiled), "src", "knowledge", name)).href);
const { readGraph } = await load("bundle/bundle-folder.js");
const { shipSnapshot } = await load("snapshots/graph-snapshots.js");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const graphs = join(root, "graphs");

mkdirSync(folder, { recursive: true });
for (const entry of readdirSync(graphs, { withFileTypes: true })) {
	if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
	try {
		const graph = await readGraph(join(graphs, entry.name));
		await shipSnapshot(graph, { root: graphs, folder, version });
	} catch (error) {
		// A start says the same of it, and sells the others.
		process.stderr.write(`graphs/${entry.name} has no snapshot: ${error.message}\n`);
	}
}
