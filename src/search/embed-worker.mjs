// The embedding model in its own thread. Plain JavaScript, because worker threads do not inherit every TypeScript loader;
// the build copies this file as it is.
// Messages in: {id, texts} or {close: true}. Out: {id, vectors} or {id, error}, with texts.length × dimensions floats.
import { parentPort, workerData } from "node:worker_threads";
import { env, pipeline } from "@huggingface/transformers";

/** @type {{ modelsFolder: string, modelName: string, pooling: "mean" | "cls", loading: Int32Array }} */
const { modelsFolder, modelName, pooling, loading } = workerData;

env.allowRemoteModels = false;
env.allowLocalModels = true;
env.localModelPath = modelsFolder;
env.useFSCache = false;

const extract = await pipeline("feature-extraction", modelName, {
	dtype: "q8",
	device: "cpu",
	local_files_only: true,
	session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
});

Atomics.store(loading, 0, 0);
Atomics.notify(loading, 0);

parentPort?.on("message", async ({ id, texts, close }) => {
	if (close) return parentPort?.close();
	try {
		const output = await extract(texts, { pooling, normalize: true });
		const vectors = Float32Array.from(output.data);
		parentPort?.postMessage({ id, vectors }, [vectors.buffer]);
	} catch (error) {
		parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
	}
});
