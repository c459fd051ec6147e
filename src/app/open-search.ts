import { join } from "node:path";
import { type Clock, type Logger, PACKAGE_ROOT } from "../kernel/kernel.js";
import {
	createSearchEngine,
	hubFolder,
	type ModelLocation,
	type ModelName,
	parseModelName,
	type SearchEngine,
} from "../search/search.js";

const BUNDLED_FOLDER = join(PACKAGE_ROOT, "models", "bundled");

export interface OpenSearchOptions {
	/** `bundled`, `local:<folder>`, `hub:<owner>/<name>` or `none`. */
	readonly model: string;
	/** Where the index is kept. */
	readonly folder: string;
	/** Where models that were fetched are kept. */
	readonly modelsFolder: string;
	readonly clock: Clock;
	/** Told which files of the index are unusable. */
	readonly logger?: Logger | undefined;
}

/** The search engine with the configured model. Throws INVALID_ARGUMENT for a kind of model nobody knows. */
export function openSearch(options: OpenSearchOptions): Promise<SearchEngine> {
	const { folder, modelsFolder, clock, logger } = options;
	const model = locateModel(parseModelName(options.model), modelsFolder) ?? "none";
	return createSearchEngine({ folder, clock, model, wordsFolder: BUNDLED_FOLDER, logger });
}

/** Where the model is; undefined for none. Only the bundled and fetched ones must come with checksums: we wrote those. */
export function locateModel(name: ModelName, modelsFolder: string): ModelLocation | undefined {
	switch (name.kind) {
		case "none":
			return undefined;
		case "bundled":
			return { folder: BUNDLED_FOLDER, sums: "required" };
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
