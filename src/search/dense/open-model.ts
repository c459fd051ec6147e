import { type Clock, ServiceError } from "../../kernel/kernel.js";
import type { Embedder } from "../model/embedder.js";
import type { ModelLocation } from "../model/model-folder.js";
import type { DenseSide } from "./dense-side.js";
import { createLocalDenseSide } from "./local-dense-side.js";
import { createQueryVectors } from "./query-vectors.js";
import { createTransformersEmbedder } from "./transformers-embedder.js";
import { type WatchedEmbedder, watchEmbedder } from "./watched-embedder.js";
import { createWorkerDenseSide } from "./worker-dense-side.js";

/** A model that can be asked, or why there is none, as a sentence. */
export type OpenedModel =
	| {
			readonly embedder: WatchedEmbedder;
			readonly denseSide: DenseSide;
			readonly reason?: undefined;
	  }
	| { readonly embedder?: undefined; readonly denseSide?: undefined; readonly reason: string };

export interface OpenModelOptions {
	readonly clock: Clock;
	/** A model for transformers.js on disk, an embedder that is ready, or "none". */
	readonly model: ModelLocation | Embedder | "none";
}

/** A model on disk compares vectors in its own thread; an embedder that is ready has them compared in this one. */
export async function openModel({ clock, model }: OpenModelOptions): Promise<OpenedModel> {
	if (model === "none") return { reason: "The embedding model is switched off." };
	if (!("folder" in model)) {
		const embedder = watchEmbedder({ clock, embedder: model });
		return {
			embedder,
			denseSide: createLocalDenseSide(createQueryVectors({ clock, embedder })),
		};
	}
	try {
		const threaded = await createTransformersEmbedder({ clock, model });
		const embedder = watchEmbedder({ clock, embedder: threaded });
		const denseSide = createWorkerDenseSide({ clock, embedder, thread: threaded.thread });
		return { embedder, denseSide };
	} catch (error) {
		if (error instanceof ServiceError) return { reason: error.message };
		throw error;
	}
}
