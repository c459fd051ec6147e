import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { LIMITS } from "../../contract/contract.js";
import {
	type Clock,
	invalidArgument,
	ServiceError,
	toIsoTime,
	unavailable,
} from "../../kernel/kernel.js";
import {
	CONFIG_FILES,
	chooseWeights,
	type ModelFolder,
	type ModelLocation,
	openModelFolder,
	SUMS_FILE,
} from "./model-folder.js";
import type { HubFile, HubModel, ModelHub } from "./model-hub.js";
import { hubFolder, parseHubId } from "./model-name.js";
import { findKnownModel, KNOWN_MODELS, PROFILE_FILES } from "./model-profile.js";

interface FetchModelOptions {
	readonly hub: ModelHub;
	readonly clock: Clock;
	readonly modelsFolder: string;
	/** Bytes that have arrived, of all. */
	readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface FetchedModel {
	readonly id: string;
	readonly revision: string;
	readonly licence: string | null;
	readonly folder: string;
	readonly bytes: number;
	readonly dimensions: number;
	/** False when this very revision was there already. */
	readonly is_new: boolean;
}

/** Written beside a fetched model: where it is from. */
const ORIGIN_FILE = "hub.json";
const originSchema = z.looseObject({
	id: z.string(),
	revision: z.string(),
	licence: z.string().nullable(),
});
type ModelOrigin = z.infer<typeof originSchema>;

/**
 * Fetches the files a model is run with, checks them against the hub's digests, tries whether the model is of a kind that
 * can be used, and only then puts it into its place, with SHA256SUMS. Throws NOT_FOUND, INVALID_ARGUMENT for a model
 * without usable weights or of more than LIMITS.modelBytes, UPSTREAM or UNAVAILABLE; nothing is left behind then.
 */
export async function fetchModel(text: string, options: FetchModelOptions): Promise<FetchedModel> {
	const { hub, modelsFolder } = options;
	const id = parseHubId(text);
	const model = await hub.describe(id);
	const files = chooseFiles(model);
	const folder = hubFolder(modelsFolder, id);
	const origin = await readOrigin(folder);
	if (origin?.revision === model.revision) {
		const standing = await openModelFolder({ folder, sums: "required", id }).catch(() => undefined);
		if (standing) return report(model, standing, { folder, is_new: false });
	}
	const fresh = join(modelsFolder, `.fetching-${id.replace("/", "--")}`);
	try {
		await rm(fresh, { recursive: true, force: true });
		await downloadAll(files, model, { ...options, folder: fresh });
		const opened = await openModelFolder({ folder: fresh, sums: "required", id });
		await swap(fresh, folder);
		return report(model, opened, { folder, is_new: true });
	} catch (cause) {
		if (cause instanceof ServiceError) throw cause;
		const why = cause instanceof Error ? cause.message : String(cause);
		throw unavailable(`The model ${id} cannot be stored: ${why}.`, { cause });
	} finally {
		await rm(fresh, { recursive: true, force: true });
	}
}

/** Where a fetched model is from; undefined for a folder that was not fetched. */
async function readOrigin(folder: string): Promise<ModelOrigin | undefined> {
	try {
		return originSchema.parse(JSON.parse(await readFile(join(folder, ORIGIN_FILE), "utf8")));
	} catch {
		return undefined;
	}
}

function report(
	{ id, revision, licence }: HubModel,
	{ bytes, identity }: ModelFolder,
	rest: Pick<FetchedModel, "folder" | "is_new">,
): FetchedModel {
	return {
		id,
		revision,
		licence: licence ?? null,
		bytes,
		dimensions: identity.dimensions,
		...rest,
	};
}

function chooseFiles({ id, files }: HubModel): readonly HubFile[] {
	const names = files.map(({ name }) => name);
	const weights = chooseWeights(names);
	const missing = weights ? CONFIG_FILES.find((name) => !names.includes(name)) : "ONNX weights";
	if (!weights || missing !== undefined) {
		const other = findKnownModel(id)?.id;
		const advice = other && other !== id ? ` Use ${other}, which has all of it.` : "";
		throw invalidArgument(
			`The model ${id} comes without ${missing} that can be loaded here.${advice}`,
		);
	}
	const wanted = new Set<string>([...weights.files, ...CONFIG_FILES, ...PROFILE_FILES]);
	const chosen = files.filter(({ name }) => wanted.has(name));
	const total = chosen.reduce((sum, { bytes }) => sum + bytes, 0);
	if (total <= LIMITS.modelBytes) return chosen;
	throw invalidArgument(
		`The model ${id} has ${total} bytes; at most ${LIMITS.modelBytes} are fetched.`,
	);
}

async function downloadAll(
	files: readonly HubFile[],
	model: HubModel,
	{ hub, clock, folder, onProgress }: FetchModelOptions & { readonly folder: string },
): Promise<void> {
	const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
	let done = 0;
	const sums: string[] = [];
	for (const file of files) {
		const target = join(folder, file.name);
		await mkdir(dirname(target), { recursive: true, mode: 0o700 });
		const onBytes = (count: number) => {
			done += count;
			onProgress({ done, total });
		};
		sums.push(`${await hub.download(file, { model, target, onBytes })}  ${file.name}\n`);
	}
	const { id, revision, licence = null } = model;
	const origin = { id, revision, licence, fetched_at: toIsoTime(clock.now()) };
	await writeFile(join(folder, ORIGIN_FILE), `${JSON.stringify(origin, null, "\t")}\n`);
	await writeFile(join(folder, SUMS_FILE), sums.join(""));
}

/** A server that runs has read what it needs; the next start finds either the old folder or the new one, or asks to fetch the model. */
async function swap(fresh: string, folder: string): Promise<void> {
	const old = `${fresh}.old`;
	await rm(old, { recursive: true, force: true });
	if (existsSync(folder)) await rename(folder, old);
	await rename(fresh, folder);
	await rm(old, { recursive: true, force: true });
}

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

/**
 * Ours, the ones that were fetched, the one in use, and the well-known ones that could be fetched. `active` is the setting
 * `model`; `locate` returns where the model of a setting is, undefined for none.
 */
export async function listModels({
	active,
	modelsFolder,
	locate,
}: {
	readonly active: string;
	readonly modelsFolder: string;
	readonly locate: (model: string) => ModelLocation | undefined;
}): Promise<readonly ListedModel[]> {
	const licences = new Map<string, string | null>([
		["bundled", "Apache-2.0"],
		["table", "Apache-2.0"],
	]);
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

async function fetchedModels(folder: string): Promise<readonly ModelOrigin[]> {
	const names = await readdir(folder).catch(() => []);
	const origins = await Promise.all(
		names
			.filter((name) => !name.startsWith("."))
			.sort()
			.map((name) => readOrigin(join(folder, name))),
	);
	return origins.filter((origin) => origin !== undefined);
}
