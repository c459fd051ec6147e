// The embedding model in its own thread. Plain JavaScript, because worker threads do not inherit every TypeScript loader;
// the build copies this file as it is.
// Messages in: {id, texts} or {close: true}. Out: {id, vectors} or {id, error}, with texts.length × dimensions floats.
import { parentPort, workerData } from "node:worker_threads";
import { env, pipeline } from "@huggingface/transformers";

/** @type {{ modelsFolder: string, modelName: string, pooling: "mean" | "cls", output: "tokens" | "sentence", dtype: "q8" | "int8" | "fp32", maxTokens: number, loading: Int32Array }} */
const { modelsFolder, modelName, pooling, output, dtype, maxTokens, loading } = workerData;

env.allowRemoteModels = false;
env.allowLocalModels = true;
env.localModelPath = modelsFolder;
env.useFSCache = false;

const extract = await pipeline("feature-extraction", modelName, {
	dtype,
	device: "cpu",
	local_files_only: true,
	session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
});

// What the tokenizer says of itself may be more than the model has positions for.
Object.defineProperty(extract.tokenizer, "model_max_length", { value: maxTokens });

Atomics.store(loading, 0, 0);
Atomics.notify(loading, 0);

/** Some graphs pool and project themselves: the pipeline would take their tokens instead. */
async function embed(texts) {
	if (output === "tokens") return extract(texts, { pooling, normalize: true });
	const found = await extract.model(extract.tokenizer(texts, { padding: true, truncation: true }));
	if (!found.sentence_embedding) throw new Error("its graph gives no sentence_embedding");
	return found.sentence_embedding.normalize(2, -1);
}

parentPort?.on("message", async ({ id, texts, close }) => {
	if (close) return parentPort?.close();
	try {
		const vectors = Float32Array.from((await embed(texts)).data);
		parentPort?.postMessage({ id, vectors }, [vectors.buffer]);
	} catch (error) {
		parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
	}
});
