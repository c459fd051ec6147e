// Writes graphs/sources.tsv: every source the sample catalog cites, once. Run it after changing a graph.
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tsImport } from "tsx/esm/api";

const root = fileURLToPath(new URL("../graphs", import.meta.url));
const { readGraph } = await tsImport("../src/knowledge/bundle/bundle-folder.ts", import.meta.url);
const { listSources, toSourcesTsv } = await tsImport(
	"../test/support/cited-sources.ts",
	import.meta.url,
);

const entries = await readdir(root, { withFileTypes: true });
const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
const sources = listSources(await Promise.all(folders.map((folder) => readGraph(folder))));
await writeFile(join(root, "sources.tsv"), toSourcesTsv(sources));
process.stdout.write(`${sources.length} sources of ${folders.length} graphs\n`);
