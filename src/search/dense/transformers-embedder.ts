import { basename, dirname, sep } from "node:path";
import { type Clock, ServiceError } from "../../kernel/kernel.js";
import type { Embedder, EmbedLane } from "../model/embedder.js";
import { type ModelFolder, type ModelLocation, openModelFolder } from "../model/model-folder.js";
import { prepareText } from "../model/model-profile.js";
import { createBatchLane } from "./batch-queue.js";
import { createDenseThread, type DenseThread } from "./dense-thread.js";
import { createScopeLists } from "./scope-lists.js";
import { createVectorRegions } from "./vector-regions.js";
import { createWorkerHost, type WorkerHost } from "./worker-host.js";

export interface TransformersEmbedderOptions {
	readonly clock: Clock;
	/** Nothing is ever fetched from elsewhere. */
	readonly model: ModelLocation;
}

const MAX_BATCH_TEXTS = 16;
/** A query waits for no more than the batch of passages that is under way: some five milliseconds. */
const MAX_BATCH_CHARS = 4_000;
const MAX_WAITING: Readonly<Record<EmbedLane, number>> = { query: 1_024, passage: 65_536 };

/**
 * An ONNX model run by transformers.js in one worker thread, which starts with the first text or with `warm`, and compares
 * vectors there too. Throws UNAVAILABLE when the folder holds no usable model.
 */
export async function createTransformersEmbedder({
	clock,
	model,
}: TransformersEmbedderOptions): Promise<Embedder & { readonly thread: DenseThread }> {
	const folder = await openModelFolder(model);
	const { identity, profile } = folder;
	const { dimensions } = identity;
	const regions = createVectorRegions({ embedder: identity });
	const lists = createScopeLists();
	const host = createWorkerHost({
		clock,
		script: new URL("./embed-worker.mjs", import.meta.url),
		prepare() {
			lists.clear();
			const { setup, dispose } = regions.openSetup();
			return { data: { ...modelData(folder), setup }, dispose };
		},
	});
	const lanes = { query: embedLane("query", host), passage: embedLane("passage", host) };
	const embedOne = async (text: string, lane: EmbedLane): Promise<Float32Array> => {
		const vector = await lanes[lane].send(prepareText(profile, text, lane));
		if (vector?.length === dimensions) return vector;
		throw new ServiceError(
			"UNAVAILABLE",
			"The embedding model gave vectors of an unexpected size.",
		);
	};
	return {
		identity,
		thread: createDenseThread({
			host,
			regions,
			lists,
			dimensions,
			prepare: (text) => prepareText(profile, text, "query"),
		}),
		embed: (texts, lane) => Promise.all(texts.map((text) => embedOne(text, lane))),
		warm: host.start,
		close: host.close,
	};
}

function modelData({ path, identity, profile, dtype }: ModelFolder) {
	return {
		modelsFolder: dirname(path) + sep,
		modelName: basename(path),
		pooling: identity.pooling,
		output: profile.output,
		maxTokens: profile.maxTokens,
		dtype,
	};
}

function embedLane(lane: EmbedLane, host: WorkerHost) {
	return createBatchLane<string, Float32Array>({
		async send(texts) {
			const { vectors } = await host.request<{ vectors: Float32Array }>({ texts });
			const width = vectors.length / texts.length;
			return texts.map((_, index) => vectors.slice(index * width, (index + 1) * width));
		},
		maxBatchItems: MAX_BATCH_TEXTS,
		maxBatchSize: MAX_BATCH_CHARS,
		sizeOf: (text) => text.length,
		maxWaitingItems: MAX_WAITING[lane],
	});
}
