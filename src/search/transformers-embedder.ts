import { basename, dirname, sep } from "node:path";
import type { Clock } from "../core/clock.js";
import { createBatchLane } from "./batch-lane.js";
import type { Embedder, EmbedLane } from "./embedder.js";
import { type ModelLocation, openModelFolder } from "./model-folder.js";
import { prepareText } from "./model-profile.js";
import { createWorkerHost } from "./worker-host.js";

export interface TransformersEmbedderOptions {
	readonly clock: Clock;
	/** Nothing is ever fetched from elsewhere. */
	readonly model: ModelLocation;
}

const MAX_BATCH_TEXTS = 16;
const MAX_WAITING: Readonly<Record<EmbedLane, number>> = { query: 1_024, passage: 65_536 };

/**
 * An ONNX model run by transformers.js in one worker thread, which starts with the first text or with `warm`.
 * Throws UNAVAILABLE when the folder holds no usable model.
 */
export async function createTransformersEmbedder({
	clock,
	model,
}: TransformersEmbedderOptions): Promise<Embedder> {
	const { path, identity, profile, dtype } = await openModelFolder(model);
	const host = createWorkerHost({
		clock,
		script: new URL("./embed-worker.mjs", import.meta.url),
		workerData: {
			modelsFolder: dirname(path) + sep,
			modelName: basename(path),
			pooling: identity.pooling,
			output: profile.output,
			maxTokens: profile.maxTokens,
			dtype,
		},
	});
	const createLane = (lane: EmbedLane) =>
		createBatchLane({
			send: host.request,
			dimensions: identity.dimensions,
			maxBatchTexts: MAX_BATCH_TEXTS,
			maxWaitingTexts: MAX_WAITING[lane],
		});
	const lanes = { query: createLane("query"), passage: createLane("passage") };
	return {
		identity,
		embed: (texts, lane) =>
			Promise.all(texts.map((text) => lanes[lane].embed(prepareText(profile, text, lane)))),
		warm: host.start,
		close: host.close,
	};
}
