import { ServiceError } from "../core/errors.js";

/** Collects texts while a batch is under way and sends them together when it is back. */
export interface BatchLane {
	/** The vector of one text. Rejects with UNAVAILABLE when too many already wait. */
	embed(text: string): Promise<Float32Array>;
}

export interface BatchLaneOptions {
	/** Vectors of the texts, end to end. */
	readonly send: (texts: readonly string[]) => Promise<Float32Array>;
	readonly dimensions: number;
	readonly maxBatchTexts: number;
	readonly maxWaitingTexts: number;
}

interface Entry {
	readonly text: string;
	readonly resolve: (vector: Float32Array) => void;
	readonly reject: (error: unknown) => void;
}

/** The worker, not a timer, sets the pace: a lone text leaves within the same tick, a crowd leaves in full batches. */
export function createBatchLane(options: BatchLaneOptions): BatchLane {
	const { send, dimensions, maxBatchTexts, maxWaitingTexts } = options;
	let queue: Entry[] = [];
	let isBusy = false;

	const deliver = (batch: readonly Entry[], vectors: Float32Array) => {
		if (vectors.length !== batch.length * dimensions) {
			const error = new ServiceError(
				"UNAVAILABLE",
				"The embedding model gave vectors of an unexpected size.",
			);
			for (const entry of batch) entry.reject(error);
			return;
		}
		batch.forEach((entry, index) => {
			entry.resolve(vectors.slice(index * dimensions, (index + 1) * dimensions));
		});
	};
	const drain = async () => {
		while (queue.length > 0) {
			const batch = queue.slice(0, maxBatchTexts);
			queue = queue.slice(maxBatchTexts);
			try {
				deliver(batch, await send(batch.map((entry) => entry.text)));
			} catch (error) {
				for (const entry of batch) entry.reject(error);
			}
		}
		isBusy = false;
	};

	return {
		embed(text) {
			if (queue.length >= maxWaitingTexts) {
				return Promise.reject(
					new ServiceError("UNAVAILABLE", "Too many texts already wait for the embedding model."),
				);
			}
			return new Promise((resolve, reject) => {
				queue.push({ text, resolve, reject });
				if (isBusy) return;
				isBusy = true;
				queueMicrotask(() => void drain());
			});
		},
	};
}
