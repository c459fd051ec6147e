import type { Clock } from "../../src/kernel/clock.js";
import { createVectorRegions } from "../../src/search/dense/vector-regions.js";
import {
	createDenseThread,
	createScopeLists,
	type DenseThread,
} from "../../src/search/dense/worker-dense-side.js";
import type { EmbedderIdentity } from "../../src/search/model/embedder.js";
import {
	createWorkerHost,
	type WorkerHost,
	workerFailure,
} from "../../src/search/model/worker-host.js";

/** In place of a model: a text is its vector as JSON, or the word of what goes wrong. */
const SCRIPT = `
import { parentPort, workerData } from "node:worker_threads";
import { createQueryBatch } from ${JSON.stringify(new URL("../../src/search/dense/query-batch.mjs", import.meta.url))};
Atomics.store(workerData.loading, 0, 0);
Atomics.notify(workerData.loading, 0);
const embed = async (texts) => {
	if (texts.includes("crash")) setTimeout(() => { throw new Error("The thread broke down"); });
	if (texts.includes("crash") || texts.includes("wait")) await new Promise(() => undefined);
	if (texts.includes("short")) return new Float32Array(1);
	return Float32Array.from(texts.flatMap((text) => JSON.parse(text)));
};
const search = createQueryBatch({ setup: workerData.setup, embed });
parentPort.on("message", async ({ id, close, ...task }) => {
	if (close) return parentPort.close();
	try {
		parentPort.postMessage({ id, ...(await search(task)) });
	} catch (error) {
		parentPort.postMessage({ id, error: error.message });
	}
});
`;

export interface StandInModel {
	readonly thread: DenseThread;
	readonly host: WorkerHost;
}

export interface StandInOptions {
	readonly clock: Clock;
	readonly identity: EmbedderIdentity;
	readonly pagesMax?: number;
}

/** A real thread that compares vectors as the service's does, with a stand-in for the model in it. */
export function startStandInModel({ clock, identity, pagesMax }: StandInOptions): StandInModel {
	const regions = createVectorRegions(identity, pagesMax);
	const lists = createScopeLists();
	const host = createWorkerHost({
		clock,
		failed: workerFailure("The embedding model gave no vectors"),
		script: new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`),
		prepare() {
			lists.clear();
			const { setup, dispose } = regions.openSetup();
			return { data: { setup }, dispose };
		},
	});
	const { dimensions } = identity;
	const thread = createDenseThread({
		host,
		regions,
		lists,
		dimensions,
		prepare: (text) => text,
		knownVector: () => undefined,
	});
	return { thread, host };
}
