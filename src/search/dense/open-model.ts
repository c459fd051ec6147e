import { basename, dirname, sep } from "node:path";
import { type Clock, ServiceError, unavailable } from "../../kernel/kernel.js";
import type { Embedder, TextKind } from "../model/embedder.js";
import { readKnownVectors } from "../model/known-vectors.js";
import { type ModelFolder, type ModelLocation, openModelFolder } from "../model/model-folder.js";
import { prepareText } from "../model/model-profile.js";
import { createWorkerHost, type WorkerHost, workerFailure } from "../model/worker-host.js";
import { createBatchQueue } from "./batch-queue.js";
import {
	createLocalDenseSide,
	createQueryVectors,
	type DenseSide,
	type WatchedEmbedder,
	watchEmbedder,
} from "./dense-side.js";
import { createVectorRegions } from "./vector-regions.js";
import {
	createDenseThread,
	createScopeLists,
	createWorkerDenseSide,
	type DenseThread,
} from "./worker-dense-side.js";

/** A model that can be asked, or why there is none, as a sentence. */
export interface OpenedModel {
	readonly embedder?: WatchedEmbedder;
	readonly denseSide?: DenseSide;
	readonly reason?: string;
}

/** A model on disk compares vectors in its own thread; an embedder that is ready has them compared in this one. */
export async function openModel(
	clock: Clock,
	model: ModelLocation | Embedder | "none",
): Promise<OpenedModel> {
	if (model === "none") return { reason: "The embedding model is switched off." };
	if (!("folder" in model)) {
		const embedder = watchEmbedder(clock, model);
		return { embedder, denseSide: createLocalDenseSide(createQueryVectors(clock, embedder)) };
	}
	try {
		const threaded = await createTransformersEmbedder(clock, model);
		const embedder = watchEmbedder(clock, threaded);
		return { embedder, denseSide: createWorkerDenseSide(clock, embedder, threaded.thread) };
	} catch (error) {
		if (error instanceof ServiceError) return { reason: error.message };
		throw error;
	}
}

/** More at once are no faster, and the runtime keeps the memory of its largest batch (docs/adr/0085). */
const MAX_BATCH_TEXTS = 8;
/** Or one text that is longer. A query waits for no more than the batch of passages that is under way. */
const MAX_BATCH_CHARS = 2_000;
const MAX_WAITING: Readonly<Record<TextKind, number>> = { query: 1_024, passage: 65_536 };

/**
 * An ONNX model run by transformers.js in one worker thread, which starts with the first text or with `warm`, and compares
 * vectors there too; nothing is ever downloaded. Throws UNAVAILABLE when the folder holds no usable model.
 */
export async function createTransformersEmbedder(
	clock: Clock,
	model: ModelLocation,
): Promise<Embedder & { readonly thread: DenseThread }> {
	const folder = await openModelFolder(model);
	const { identity, profile } = folder;
	const { dimensions } = identity;
	const known = await readKnownVectors(folder.path, identity);
	const regions = createVectorRegions(identity);
	const lists = createScopeLists();
	const host = createWorkerHost({
		clock,
		failed: workerFailure("The embedding model gave no vectors"),
		script: new URL("./embed-worker.mjs", import.meta.url),
		prepare() {
			lists.clear();
			const { setup, dispose } = regions.openSetup();
			return { data: { ...modelData(folder), setup }, dispose };
		},
	});
	const queues = {
		query: createTextQueue("query", host),
		passage: createTextQueue("passage", host),
	};
	const embedOne = async (text: string, kind: TextKind): Promise<Float32Array> => {
		const prepared = prepareText(profile, text, kind);
		const vector = known.find(prepared, kind) ?? (await queues[kind].send(prepared));
		if (vector?.length === dimensions) return vector;
		const message = "The embedding model gave vectors of an unexpected size.";
		throw unavailable(message);
	};
	return {
		identity,
		thread: createDenseThread({
			host,
			regions,
			lists,
			dimensions,
			prepare: (text) => prepareText(profile, text, "query"),
			knownVector: (text) => known.find(prepareText(profile, text, "query"), "query"),
		}),
		embed: (texts, kind) => Promise.all(texts.map((text) => embedOne(text, kind))),
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

function createTextQueue(kind: TextKind, host: WorkerHost) {
	return createBatchQueue<string, Float32Array>({
		async send(texts) {
			const { vectors } = await host.request<{ vectors: Float32Array }>({ texts });
			const width = vectors.length / texts.length;
			return texts.map((_, index) => vectors.slice(index * width, (index + 1) * width));
		},
		maxBatchItems: MAX_BATCH_TEXTS,
		maxBatchSize: MAX_BATCH_CHARS,
		sizeOf: (text) => text.length,
		maxWaitingItems: MAX_WAITING[kind],
	});
}
