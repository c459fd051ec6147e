import { join, resolve } from "node:path";
import type { Clock } from "./core/clock.js";
import { ServiceError } from "./core/errors.js";
import { PACKAGE_ROOT } from "./package-root.js";
import type { SearchEngine } from "./search/search.js";
import { createSearchEngine } from "./search/search-engine.js";

export interface OpenSearchOptions {
	/** `bundled`, `local:<folder>` or `none`. */
	readonly model: string;
	/** Where the index is kept. */
	readonly folder: string;
	readonly clock: Clock;
}

/** The search engine with the configured model. Throws INVALID_ARGUMENT for a kind of model nobody knows. */
export function openSearch({ model, folder, clock }: OpenSearchOptions): Promise<SearchEngine> {
	if (model === "none") return createSearchEngine({ folder, clock, embedder: "none" });
	return createSearchEngine({ folder, clock, modelFolder: modelFolderOf(model) });
}

function modelFolderOf(model: string): string {
	if (model === "bundled") return join(PACKAGE_ROOT, "models", "bundled");
	if (model.startsWith("local:")) return resolve(model.slice("local:".length));
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${model}" is no model; use bundled, local:<folder> or none.`,
	);
}
