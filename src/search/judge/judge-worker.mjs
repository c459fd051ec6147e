// The judge in its own thread. Plain JavaScript, because worker threads do not inherit every TypeScript loader.
// Messages in: {id, pairs: [[text, passage], …]} or {close: true}. Out: {id, scores} with four floats a pair, or {id, error}.
import { availableParallelism } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import {
	AutoModelForSequenceClassification,
	AutoTokenizer,
	env,
	Tensor,
} from "@huggingface/transformers";
import { LRUCache } from "lru-cache";

/** @type {{ modelsFolder: string, modelName: string, dtype: "q8" | "int8" | "fp32", maxTokens: number, loading: Int32Array }} */
const { modelsFolder, modelName, dtype, maxTokens, loading } = workerData;

/** More threads than these gain little on pairs of some hundred tokens. */
const MAX_THREADS = 2;
/** A text may take so much of a pair: the passage needs the rest. */
const TEXT_SHARE = 0.4;
/** So many characters hold the tokens that are read, whatever the text: what is beyond is not even split into words. */
const CHARS_PER_TOKEN = 12;
/** Passages are read for one question after the other. */
const PASSAGES_KEPT = 4_096;
/** Pairs of like length are run together; more at once gain nothing. */
const PAIRS_AT_ONCE = 8;

env.allowRemoteModels = false;
env.allowLocalModels = true;
env.localModelPath = modelsFolder;
env.useFSCache = false;

const session_options = {
	intraOpNumThreads: Math.min(MAX_THREADS, availableParallelism()),
	interOpNumThreads: 1,
};
const options = { dtype, device: "cpu", local_files_only: true, session_options };
const tokenizer = await AutoTokenizer.from_pretrained(modelName, options);
const model = await AutoModelForSequenceClassification.from_pretrained(modelName, options);
const [cls, sep] = tokenizer("").input_ids.tolist()[0].map(Number);

Atomics.store(loading, 0, 0);
Atomics.notify(loading, 0);

/** @type {LRUCache<string, number[]>} */
const known = new LRUCache({ max: PASSAGES_KEPT });

/** Token numbers of a text, without marks. */
function tokensOf(text) {
	const cut = text.slice(0, CHARS_PER_TOKEN * maxTokens);
	let tokens = known.get(cut);
	if (!tokens) {
		tokens = tokenizer.encode(cut, { add_special_tokens: false }).slice(0, maxTokens);
		known.set(cut, tokens);
	}
	return tokens;
}

/** `[CLS] text [SEP] passage [SEP]`: the passage is cut, never the marks. The library cuts the joined tail, the last mark first. */
function join([text, passage]) {
	const first = tokensOf(text).slice(0, Math.floor(TEXT_SHARE * maxTokens));
	const second = tokensOf(passage).slice(0, maxTokens - first.length - 3);
	return { tokens: [cls, ...first, sep, ...second, sep], second: first.length + 2 };
}

async function run(pairs) {
	const longest = Math.max(...pairs.map(({ tokens }) => tokens.length));
	const size = pairs.length * longest;
	const [ids, mask, segments] = [0, 1, 2].map(() => new BigInt64Array(size));
	pairs.forEach(({ tokens, second }, row) => {
		tokens.forEach((token, at) => {
			ids[row * longest + at] = BigInt(token);
			mask[row * longest + at] = 1n;
			segments[row * longest + at] = at < second ? 0n : 1n;
		});
	});
	const tensor = (data) => new Tensor("int64", data, [pairs.length, longest]);
	const { logits } = await model({
		input_ids: tensor(ids),
		attention_mask: tensor(mask),
		token_type_ids: tensor(segments),
	});
	return logits.data;
}

let isClosing = false;

async function read(pairs) {
	const joined = pairs.map((pair, at) => ({ ...join(pair), at }));
	joined.sort((one, other) => one.tokens.length - other.tokens.length);
	let scores = new Float32Array();
	for (let first = 0; first < joined.length; first += PAIRS_AT_ONCE) {
		// A thread that is ended inside native code takes the process with it: so it must come to its end soon by itself.
		if (isClosing) throw new Error("it is being closed");
		const some = joined.slice(first, first + PAIRS_AT_ONCE);
		const found = await run(some);
		const width = found.length / some.length;
		if (first === 0) scores = new Float32Array(width * pairs.length);
		some.forEach(({ at }, row) => {
			scores.set(found.subarray(row * width, (row + 1) * width), at * width);
		});
	}
	return scores;
}

parentPort?.on("message", async ({ id, close, pairs }) => {
	if (close) {
		isClosing = true;
		return parentPort?.close();
	}
	try {
		const scores = await read(pairs);
		parentPort?.postMessage({ id, scores }, [scores.buffer]);
	} catch (error) {
		parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
	}
});
