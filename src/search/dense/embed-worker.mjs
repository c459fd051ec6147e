// The embedding model in its own thread, and the comparison of its vectors with passages. Plain JavaScript, because worker
// threads do not inherit every TypeScript loader; the build copies this file as it is.
// Messages in: {id, texts}, {id, queries, lists, forgotten} (query-batch.d.mts) or {close: true}.
// Out: {id, vectors} with texts.length × dimensions floats, {id, vectors, slots, cosines, ends} or {id, error}.
import { parentPort, workerData } from "node:worker_threads";
import { env, pipeline } from "@huggingface/transformers";
import { createQueryBatch, poolTokens } from "./query-batch.mjs";

/** @type {{ modelsFolder: string, modelName: string, pooling: "mean" | "cls", output: "tokens" | "sentence", dtype: "q8" | "int8" | "fp32", maxTokens: number, loading: Int32Array, setup: import("./vector-scan.mjs").ScanSetup }} */
const { modelsFolder, modelName, pooling, output, dtype, maxTokens, loading, setup } = workerData;

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

async function embed(texts) {
	if (texts.length === 0) return new Float32Array();
	const inputs = extract.tokenizer(texts, { padding: true, truncation: true });
	const found = await extract.model(inputs);
	if (output === "tokens") {
		const tokens = found.last_hidden_state ?? found.logits ?? found.token_embeddings;
		return poolTokens(tokens, inputs.attention_mask.data, pooling);
	}
	// Some graphs pool and project themselves.
	if (!found.sentence_embedding) throw new Error("its graph gives no sentence_embedding");
	return Float32Array.from(found.sentence_embedding.normalize(2, -1).data);
}

const search = createQueryBatch({ setup, embed });

parentPort?.on("message", async ({ id, close, texts, ...task }) => {
	if (close) return parentPort?.close();
	try {
		const reply = texts ? { vectors: await embed(texts) } : await search(task);
		parentPort?.postMessage({ id, ...reply }, [reply.vectors.buffer]);
	} catch (error) {
		parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
	}
});
