import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { ServiceError, unavailable } from "../../kernel/kernel.js";
import type { EmbedderIdentity } from "./embedder.js";
import {
	findKnownModel,
	type ModelProfile,
	modelConfig,
	PROFILE_FILES,
	readProfile,
} from "./model-profile.js";

/** Where a model is and how far it is trusted. */
export interface ModelLocation {
	readonly folder: string;
	/** "required": SHA256SUMS must be there and name every file that is read; "if-there": it is checked when there is one. */
	readonly sums: "required" | "if-there";
	/** What the model is called; the folder's name by default. */
	readonly id?: string;
	/** Said when there is no such folder: what to do about it, as a sentence. */
	readonly hint?: string;
}

/** A model on disk: config.json, tokenizer.json, tokenizer_config.json and weights in onnx/. */
export interface ModelFolder {
	readonly path: string;
	readonly identity: EmbedderIdentity;
	readonly profile: ModelProfile;
	/** How transformers.js calls the kind of weights that are there. */
	readonly dtype: WeightsType;
	/** Of everything that is read. */
	readonly bytes: number;
}

/** Weights that can be loaded, the smallest first. */
const WEIGHTS = [
	{ file: "onnx/model_quantized.onnx", dtype: "q8" },
	{ file: "onnx/model_int8.onnx", dtype: "int8" },
	{ file: "onnx/model.onnx", dtype: "fp32" },
] as const;
type WeightsType = (typeof WEIGHTS)[number]["dtype"];

export const CONFIG_FILES = ["config.json", "tokenizer.json", "tokenizer_config.json"] as const;
export const SUMS_FILE = "SHA256SUMS";

/** Of the names of a folder's files, those that make up the best weights among them; none when there are none. */
export function chooseWeights(
	names: readonly string[],
): { readonly dtype: WeightsType; readonly files: readonly string[] } | undefined {
	const found = WEIGHTS.find(({ file }) => names.includes(file));
	if (!found) return undefined;
	// Tensors of large models lie beside the graph: model.onnx_data, model.onnx_data_1, …
	const data = names.filter(
		(name) => name.startsWith(found.file) && /^_data(_\d+)?$/.test(name.slice(found.file.length)),
	);
	return { dtype: found.dtype, files: [found.file, ...data.sort()] };
}

/**
 * Reads what a model is. Throws UNAVAILABLE when a file is missing, differs from SHA256SUMS, or speaks of what is not
 * supported.
 */
export async function openModelFolder(location: ModelLocation): Promise<ModelFolder> {
	const { folder, sums, id, hint } = location;
	const path = resolve(folder);
	if (hint !== undefined && !existsSync(path)) throw unavailable(hint);
	const weights = chooseWeights(listFiles(path));
	if (!weights) {
		const others = "and neither onnx/model_int8.onnx nor onnx/model.onnx is there";
		throw unusable(path, `its ${WEIGHTS[0].file} cannot be read, ${others}`);
	}
	const optional = PROFILE_FILES.filter((name) => existsSync(join(path, name)));
	const digests = new Map<string, FileDigest>();
	for (const name of [...weights.files, ...CONFIG_FILES, ...optional]) {
		digests.set(name, await digestOf(path, name));
	}
	if (sums === "required" || existsSync(join(path, SUMS_FILE))) {
		const named = await checkSums(path, digests);
		const unnamed = [...digests.keys()].find((name) => !named.has(name));
		if (sums === "required" && unnamed)
			throw unusable(path, `${SUMS_FILE} does not name ${unnamed}`);
	}
	const { profile, ...widths } = await readManner(path, id);
	const files = [...digests.values()];
	const content = JSON.stringify([files.map((file) => file.sha256), weights.dtype, profile]);
	const sha256 = createHash("sha256").update(content).digest("hex");
	return {
		path,
		identity: { id: id ?? basename(path), sha256, pooling: profile.pooling, ...widths },
		profile,
		dtype: weights.dtype,
		bytes: files.reduce((sum, file) => sum + file.bytes, 0),
	};
}

async function readManner(path: string, id: string | undefined) {
	const config = modelConfig.safeParse(await readJson(path, "config.json"));
	const { hidden_size, n_embd, dim, matryoshka_dimensions: matryoshka } = config.data ?? {};
	const dimensions = hidden_size ?? n_embd ?? dim;
	if (dimensions === undefined) {
		throw unusable(path, "its config.json gives no usable hidden_size");
	}
	const names = [id, basename(path), config.data?._name_or_path];
	const known = names.map((name) => name && findKnownModel(name)).find((model) => model);
	if (known && known.dimensions !== dimensions) {
		const whose = `${known.id} has ${known.dimensions}`;
		throw unusable(path, `its config.json says ${dimensions} dimensions, but ${whose}`);
	}
	const readOptional = async (name: string) =>
		existsSync(join(path, name)) ? readJson(path, name) : undefined;
	try {
		const profile = await readProfile(
			readOptional,
			dimensions,
			config.data ?? {},
			known || undefined,
		);
		return { profile, dimensions, matryoshka };
	} catch (error) {
		if (error instanceof ServiceError) throw error;
		throw unusable(path, error instanceof Error ? error.message : String(error), error);
	}
}

/** Names of the files that are as SHA256SUMS says. */
async function checkSums(
	path: string,
	digests: ReadonlyMap<string, FileDigest>,
): Promise<ReadonlySet<string>> {
	const sums = (await readModelFile(path, SUMS_FILE)).toString("utf8");
	const named = new Set<string>();
	for (const line of sums.split("\n").filter((text) => text.trim() !== "")) {
		const [expected, name = ""] = line.trim().split(/\s+\*?/);
		if (isAbsolute(name) || name.split(/[\\/]/).includes(".."))
			throw unusable(path, `${SUMS_FILE} names a file outside of it`);
		const { sha256 } = digests.get(name) ?? (await digestOf(path, name));
		if (sha256 !== expected) throw unusable(path, `${name} differs from ${SUMS_FILE}`);
		named.add(name);
	}
	return named;
}

function listFiles(path: string): string[] {
	try {
		return readdirSync(join(path, "onnx")).map((name) => `onnx/${name}`);
	} catch {
		return [];
	}
}

async function digestOf(path: string, name: string): Promise<FileDigest> {
	return sha256OfFile(join(path, name)).catch((cause: unknown) => {
		throw unusable(path, `its ${name} cannot be read`, cause);
	});
}

async function readJson(path: string, name: string): Promise<unknown> {
	const text = (await readModelFile(path, name)).toString("utf8");
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw unusable(path, `its ${name} is not JSON`, cause);
	}
}

async function readModelFile(path: string, name: string): Promise<Buffer> {
	return readFile(join(path, name)).catch((cause: unknown) => {
		throw unusable(path, `its ${name} cannot be read`, cause);
	});
}

function unusable(path: string, why: string, cause?: unknown): ServiceError {
	return unavailable(`The embedding model in "${path}" cannot be used: ${why}.`, { cause });
}

interface FileDigest {
	/** In hex. */
	readonly sha256: string;
	readonly bytes: number;
}

/** Larger files are read in pieces: weights may be larger than what memory should hold at once. */
const WHOLE_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

async function sha256OfFile(path: string): Promise<FileDigest> {
	const hash = createHash("sha256");
	const { size } = await stat(path);
	if (size <= WHOLE_BYTES) {
		const content = await readFile(path);
		return { sha256: hash.update(content).digest("hex"), bytes: content.length };
	}
	let bytes = 0;
	for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
		hash.update(piece as Buffer);
		bytes += (piece as Buffer).length;
	}
	return { sha256: hash.digest("hex"), bytes };
}
