import { join, resolve } from "node:path";
import type { Clock } from "./core/clock.js";
import { ServiceError } from "./core/errors.js";
import { PACKAGE_ROOT } from "./package-root.js";
import type { SearchEngine } from "./search/search.js";
import { createSearchEngine } from "./search/search-engine.js";
import { createTransformersEmbedder } from "./search/transformers-embedder.js";

export interface OpenSearchOptions {
	/** `bundled`, `local:<folder>` or `none`. */
	readonly model: string;
	/** Where the index is kept. */
	readonly folder: string;
	readonly clock: Clock;
}

/** The search engine with the configured model. Throws INVALID_ARGUMENT for an unknown kind, UNAVAILABLE for a broken folder. */
export async function openSearch({
	model,
	folder,
	clock,
}: OpenSearchOptions): Promise<SearchEngine> {
	const modelFolder = modelFolderOf(model);
	if (modelFolder === undefined) return createSearchEngine({ folder, clock });
	const embedder = await createTransformersEmbedder({ clock, modelFolder });
	return createSearchEngine({ folder, clock, embedder });
}

function modelFolderOf(model: string): string | undefined {
	if (model === "none") return undefined;
	if (model === "bundled") return join(PACKAGE_ROOT, "models", "bundled");
	if (model.startsWith("local:")) return resolve(model.slice("local:".length));
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${model}" is no model; use bundled, local:<folder> or none.`,
	);
}
