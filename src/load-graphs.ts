import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Logger } from "./core/logger.js";
import { readGraph } from "./knowledge/bundle-files.js";
import type { Graph } from "./knowledge/graph.js";
import { PACKAGE_ROOT } from "./package-root.js";

/** Folders whose subfolders are graphs: the configured catalog, then the imported ones, which win. */
export function catalogFolders(catalog: string, importedFolder: string): readonly string[] {
	if (catalog === "none") return [importedFolder];
	const shipped = catalog === "sample" ? join(PACKAGE_ROOT, "graphs") : resolve(catalog);
	return [shipped, importedFolder];
}

/** Every graph below the folders. One that cannot be read is logged and left out; the others are sold. */
export async function loadGraphs(
	folders: readonly string[],
	logger: Logger,
): Promise<readonly Graph[]> {
	const graphs = new Map<string, Graph>();
	for (const folder of folders.filter((candidate) => existsSync(candidate))) {
		for (const entry of readdirSync(folder, { withFileTypes: true })) {
			// Names with a dot are an import under way.
			if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
			try {
				const graph = await readGraph(join(folder, entry.name));
				graphs.set(graph.record.id, graph);
			} catch (error) {
				logger.error("a graph could not be read and is not on sale", {
					folder: join(folder, entry.name),
					error: String(error),
				});
			}
		}
	}
	return [...graphs.values()];
}
