import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Clock, invalidArgument, type Logger, PACKAGE_ROOT } from "../kernel/kernel.js";
import {
	type Graph,
	readGraph,
	recoverBundles,
	type ShippedSnapshots,
} from "../knowledge/knowledge.js";
import {
	beginIndexWith,
	createSearchEngine,
	hubFolder,
	type ModelLocation,
	type ModelName,
	type PairJudge,
	parseModelName,
	type SearchEngine,
	type TimeModel,
} from "../search/search.js";

/** A folder whose subfolders are graphs. */
export interface CatalogFolder {
	readonly path: string;
	/** Who fills it: this package, the operator by a setting, or our own imports, which no one else writes to. */
	readonly origin: "shipped" | "configured" | "imported";
}

const SAMPLE_CATALOG = join(PACKAGE_ROOT, "graphs");

/** What the build has made of the sample catalog (bin/ship-catalog.mjs); nothing where sources run that may read it differently. */
const SHIPPED = import.meta.url.endsWith(".ts") ? undefined : join(PACKAGE_ROOT, "dist", "catalog");
export const SAMPLE_SNAPSHOTS: ShippedSnapshots | undefined =
	SHIPPED === undefined ? undefined : { root: SAMPLE_CATALOG, folder: join(SHIPPED, "snapshots") };
export const SAMPLE_INDEX = SHIPPED === undefined ? undefined : join(SHIPPED, "index");

/** The configured catalog, then the imported graphs, which win. */
export function catalogFolders(catalog: string, importedFolder: string): readonly CatalogFolder[] {
	const imported: CatalogFolder = { path: importedFolder, origin: "imported" };
	if (catalog === "none") return [imported];
	if (catalog !== "sample") return [{ path: resolve(catalog), origin: "configured" }, imported];
	return [{ path: SAMPLE_CATALOG, origin: "shipped" }, imported];
}

/**
 * Every graph below the folders. One that cannot be read is logged and left out, as is a file of a graph; the others are
 * sold. An update of an imported graph that was cut off is undone or finished first. Throws INVALID_ARGUMENT for a configured folder
 * that is not there.
 */
export async function loadGraphs(
	folders: readonly CatalogFolder[],
	logger: Logger,
	read = readGraph,
): Promise<readonly Graph[]> {
	for (const folder of folders) await prepareFolder(folder, logger);
	const paths = folders.map(({ path }) => path).flatMap(graphFolders);
	const graphs = await Promise.all(paths.map((path) => loadGraph(path, logger, read)));
	// In the order of the folders: an imported graph takes the place of a shipped one.
	const byId = new Map(graphs.flatMap((graph) => (graph ? [[graph.record.id, graph]] : [])));
	return [...byId.values()];
}

async function prepareFolder({ path, origin }: CatalogFolder, logger: Logger): Promise<void> {
	if (origin === "configured" && !isFolder(path)) {
		throw invalidArgument(
			`The catalog folder "${path}" does not exist; correct the setting, or name "sample" or "none".`,
		);
	}
	if (origin !== "imported") return;
	const { restored, finished, stuck } = await recoverBundles(path);
	for (const graph of restored) {
		logger.info("an update was cut off; the graph from before it is back", { graph });
	}
	for (const graph of finished) {
		logger.info("a change of a graph was cut off; it is finished now", { graph });
	}
	for (const work of stuck) {
		logger.error("a change of a graph was cut off and cannot be finished; its files are kept", {
			folder: work,
		});
	}
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Names with a leading dot are an import under way. */
function graphFolders(folder: string): string[] {
	if (!isFolder(folder)) return [];
	return readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
		.map((entry) => join(folder, entry.name));
}

async function loadGraph(
	path: string,
	logger: Logger,
	read: typeof readGraph,
): Promise<Graph | undefined> {
	try {
		return await read(path, {
			onFinding: ({ file, severity, message }) => {
				if (severity !== "error") return;
				logger.error("a file of a graph is not on sale", { folder: path, file, reason: message });
			},
		});
	} catch (error) {
		logger.error("a graph could not be read and is not on sale", {
			folder: path,
			error: String(error),
		});
		return undefined;
	}
}

const modelFolder = (name: string) => join(PACKAGE_ROOT, "models", name);
/** Its list of words serves every model. */
const TABLE_FOLDER = modelFolder("table");

export interface OpenSearchOptions {
	/** `bundled`, `table`, `local:<folder>`, `hub:<owner>/<name>` or `none`. */
	readonly model: string;
	/** `bundled`, `none` or one that is ready; none by default. */
	readonly judge?: "bundled" | "none" | PairJudge | undefined;
	/** Where the index is kept. */
	readonly folder: string;
	/** Another index, of which a new one begins as a copy. */
	readonly begunWith?: string | undefined;
	/** Where models that were fetched are kept. */
	readonly modelsFolder: string;
	readonly clock: Clock;
	/** Is given which files of the index are unusable. */
	readonly logger?: Logger | undefined;
	readonly timeModel?: TimeModel | undefined;
	/** True for a version whose vectors another process makes. */
	readonly isMadeElsewhere?: ((graph: Graph) => boolean) | undefined;
}

/** The search engine with the configured model. Throws INVALID_ARGUMENT for a kind of model no one knows. */
export async function openSearch(options: OpenSearchOptions): Promise<SearchEngine> {
	const { folder, begunWith, modelsFolder, clock, logger, timeModel, isMadeElsewhere } = options;
	if (begunWith !== undefined) {
		await beginIndexWith(begunWith, folder).catch((error: unknown) =>
			logger?.info("the index that was shipped could not be copied and is made anew", {
				error: String(error),
			}),
		);
	}
	const model = locateModel(parseModelName(options.model), modelsFolder) ?? "none";
	const judge =
		options.judge === "bundled"
			? ({ folder: modelFolder("judge"), sums: "required" } as const)
			: (options.judge ?? "none");
	const wordsFolder = TABLE_FOLDER;
	const asked = { folder, clock, logger, timeModel, isMadeElsewhere };
	return createSearchEngine({ ...asked, model, judge, wordsFolder });
}

/** Where the model is; undefined for none. Only ours and fetched ones must come with checksums: we wrote those. */
export function locateModel(name: ModelName, modelsFolder: string): ModelLocation | undefined {
	switch (name.kind) {
		case "none":
			return undefined;
		case "bundled":
			return { folder: modelFolder("encoder"), sums: "required" };
		case "table":
			return { folder: TABLE_FOLDER, sums: "required" };
		case "local":
			return { folder: name.folder, sums: "if-there" };
		case "hub":
			return {
				id: name.id,
				folder: hubFolder(modelsFolder, name.id),
				sums: "required",
				hint: `The embedding model ${name.id} has not been fetched: run tollgraph models fetch ${name.id} where there is a network, then start again.`,
			};
	}
}
