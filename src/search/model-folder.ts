import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { ServiceError } from "../core/errors.js";
import type { EmbedderIdentity } from "./embedder.js";

/** Where a model is and how far it is trusted. */
export interface ModelLocation {
	readonly folder: string;
	/** "required": SHA256SUMS must be there and name every file that is read; "if-there": it is checked when there is one. */
	readonly sums: "required" | "if-there";
}

/** A model on disk: config.json, tokenizer.json, tokenizer_config.json, onnx/model_quantized.onnx, SHA256SUMS. */
export interface ModelFolder {
	readonly path: string;
	readonly identity: EmbedderIdentity;
}

const MODEL_FILE = "onnx/model_quantized.onnx";
const SUMS_FILE = "SHA256SUMS";
const READ_FILES = [MODEL_FILE, "config.json", "tokenizer.json", "tokenizer_config.json"];

const modelConfig = z.looseObject({ hidden_size: z.int().min(16).max(4_096) });
const poolingConfig = z.looseObject({ pooling_mode_cls_token: z.boolean().optional() });

/** Reads what a model is. Throws UNAVAILABLE when a file is missing or differs from SHA256SUMS. */
export async function openModelFolder({ folder, sums }: ModelLocation): Promise<ModelFolder> {
	const path = resolve(folder);
	const sha256 = sha256Of(await readModelFile(path, MODEL_FILE));
	if (sums === "required" || existsSync(join(path, SUMS_FILE))) {
		const named = await checkSums(path, sha256);
		const unnamed = READ_FILES.find((name) => !named.has(name));
		if (sums === "required" && unnamed)
			throw unusable(path, `${SUMS_FILE} does not name ${unnamed}`);
	}
	const config = modelConfig.safeParse(await readJson(path, "config.json"));
	if (!config.success) throw unusable(path, "its config.json gives no usable hidden_size");
	const dimensions = config.data.hidden_size;
	return {
		path,
		identity: { id: basename(path), sha256, dimensions, pooling: await readPooling(path) },
	};
}

/** Names of the files that are as SHA256SUMS says. */
async function checkSums(path: string, modelSha256: string): Promise<ReadonlySet<string>> {
	const sums = (await readModelFile(path, SUMS_FILE)).toString("utf8");
	const named = new Set<string>();
	for (const line of sums.split("\n").filter((text) => text.trim() !== "")) {
		const [expected, name = ""] = line.trim().split(/\s+\*?/);
		const found = name === MODEL_FILE ? modelSha256 : sha256Of(await readModelFile(path, name));
		if (found !== expected) throw unusable(path, `${name} differs from ${SUMS_FILE}`);
		named.add(name);
	}
	return named;
}

async function readPooling(path: string): Promise<"mean" | "cls"> {
	if (!existsSync(join(path, "1_Pooling", "config.json"))) return "mean";
	const pooling = poolingConfig.safeParse(await readJson(path, "1_Pooling/config.json"));
	return pooling.success && pooling.data.pooling_mode_cls_token ? "cls" : "mean";
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

function sha256Of(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

function unusable(path: string, why: string, cause?: unknown): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`The embedding model in "${path}" cannot be used: ${why}.`,
		{
			cause,
		},
	);
}
