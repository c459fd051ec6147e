import { join, resolve } from "node:path";
import type { Clock } from "./core/clock.js";
import { ServiceError } from "./core/errors.js";
import { PACKAGE_ROOT } from "./package-root.js";
import type { ModelLocation } from "./search/model-folder.js";
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
	return createSearchEngine({ folder, clock, model: model === "none" ? model : locate(model) });
}

function locate(model: string): ModelLocation {
	if (model === "bundled") {
		return { folder: join(PACKAGE_ROOT, "models", "bundled"), sums: "required" };
	}
	if (model.startsWith("local:")) {
		return { folder: resolve(model.slice("local:".length)), sums: "if-there" };
	}
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${model}" is no model; use bundled, local:<folder> or none.`,
	);
}
