import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError } from "../../kernel/kernel.js";
import { readOrigin } from "./fetch-model.js";
import { type ModelLocation, openModelFolder } from "./model-folder.js";
import { findKnownModel, KNOWN_MODELS } from "./model-profile.js";

/** A model as an operator sees it. */
export interface ListedModel {
	/** What the setting `model` is given for it. */
	readonly model: string;
	/** "known": it can be fetched. */
	readonly state: "ready" | "unusable" | "known";
	readonly is_active: boolean;
	readonly dimensions: number | null;
	readonly bytes: number | null;
	readonly licence: string | null;
	/** Why it is unusable, as a sentence. */
	readonly reason: string | null;
}

export interface ListModelsOptions {
	/** The setting `model`. */
	readonly active: string;
	readonly modelsFolder: string;
	/** Where the model of a setting is; undefined for none. */
	readonly locate: (model: string) => ModelLocation | undefined;
}

/** Ours, the ones that were fetched, the one in use, and the well-known ones that could be fetched. */
export async function listModels(options: ListModelsOptions): Promise<readonly ListedModel[]> {
	const { active, modelsFolder, locate } = options;
	const licences = new Map<string, string | null>([["bundled", "Apache-2.0"]]);
	for (const { id, licence } of await fetchedModels(modelsFolder)) {
		licences.set(`hub:${id}`, licence);
	}
	if (!licences.has(active)) licences.set(active, null);
	const here: ListedModel[] = [];
	for (const [model, licence] of licences) {
		const location = locate(model);
		if (location)
			here.push(await describe(location, { model, is_active: model === active, licence }));
	}
	const others = KNOWN_MODELS.filter(({ id }) => !licences.has(`hub:${id}`)).map(
		({ id, dimensions, licence }): ListedModel => ({
			model: `hub:${id}`,
			state: "known",
			is_active: false,
			dimensions,
			bytes: null,
			licence,
			reason: null,
		}),
	);
	return [...here, ...others];
}

async function describe(
	location: ModelLocation,
	named: Pick<ListedModel, "model" | "is_active" | "licence">,
): Promise<ListedModel> {
	const known = findKnownModel(location.id ?? location.folder)?.licence ?? null;
	const row = { ...named, licence: named.licence ?? known };
	try {
		const { identity, bytes } = await openModelFolder(location);
		return { ...row, state: "ready", dimensions: identity.dimensions, bytes, reason: null };
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		return { ...row, state: "unusable", dimensions: null, bytes: null, reason: error.message };
	}
}

async function fetchedModels(
	folder: string,
): Promise<readonly { readonly id: string; readonly licence: string | null }[]> {
	const names = await readdir(folder).catch(() => []);
	const origins = await Promise.all(
		names
			.filter((name) => !name.startsWith("."))
			.sort()
			.map((name) => readOrigin(join(folder, name))),
	);
	return origins.filter((origin) => origin !== undefined);
}
