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
	const paths = folders.filter((folder) => existsSync(folder)).flatMap(graphFolders);
	const graphs = await Promise.all(paths.map((path) => loadGraph(path, logger)));
	// In the order of the folders: an imported graph takes the place of a shipped one.
	const byId = new Map(graphs.flatMap((graph) => (graph ? [[graph.record.id, graph]] : [])));
	return [...byId.values()];
}

/** Names with a leading dot are an import under way. */
function graphFolders(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
		.map((entry) => join(folder, entry.name));
}

async function loadGraph(path: string, logger: Logger): Promise<Graph | undefined> {
	try {
		return await readGraph(path);
	} catch (error) {
		logger.error("a graph could not be read and is not on sale", {
			folder: path,
			error: String(error),
		});
		return undefined;
	}
}
