import { cp, rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { createTransformersEmbedder } from "../../src/search/dense/open-model.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { PAYMENTS } from "./sample-graph.js";
import { sentenceGraph } from "./sentence-graph.js";

const BUNDLED = join(PACKAGE_ROOT, "models/table");

/** A folder of this name with the bundled model in it, without its checksums. */
async function copyModel(t: Test, name: string): Promise<string> {
	const folder = join(t.testdir(), name);
	await cp(BUNDLED, folder, {
		recursive: true,
		filter: (source) => !source.endsWith("SHA256SUMS"),
	});
	return folder;
}

async function open(t: Test, folder: string): Promise<Embedder> {
	const model = { folder, sums: "if-there" } as const;
	const embedder = await createTransformersEmbedder(systemClock, model);
	t.teardown(() => embedder.close());
	return embedder;
}

async function embedOne(embedder: Embedder, text: string, lane: "query" | "passage") {
	const [vector = new Float32Array()] = await embedder.embed([text], lane);
	return vector;
}

t.test("weights of every supported kind are run", async (t) => {
	const folder = await copyModel(t, "mine");
	const expected = await embedOne(await open(t, folder), "a signed transfer", "query");
	for (const [from, to] of [
		["model_quantized.onnx", "model_int8.onnx"],
		["model_int8.onnx", "model.onnx"],
	] as const) {
		await rename(join(folder, "onnx", from), join(folder, "onnx", to));
		t.same(await embedOne(await open(t, folder), "a signed transfer", "query"), expected, to);
	}
});

t.test("prefixes are put before queries and passages", async (t) => {
	const folder = await copyModel(t, "mine");
	const bare = await open(t, folder);
	await writeFile(
		join(folder, "config_sentence_transformers.json"),
		JSON.stringify({ prompts: { query: "ask: ", document: "text: " } }),
	);
	const prompted = await open(t, folder);
	t.same(await embedOne(prompted, "x", "query"), await embedOne(bare, "ask: x", "query"));
	t.same(await embedOne(prompted, "x", "passage"), await embedOne(bare, "text: x", "query"));
	t.not(prompted.identity.sha256, bare.identity.sha256, "its vectors are others");
	await writeFile(join(folder, "sentence_bert_config.json"), '{"max_seq_length":8}');
	const short = await open(t, folder);
	const text = "one two three four five six seven eight nine ten";
	t.same(
		await embedOne(short, text, "query"),
		await embedOne(short, `${text} and more`, "query"),
		"cut where the folder says",
	);
});

t.test("a graph that gives whole sentences is taken at its word", async (t) => {
	const folder = await copyModel(t, "embeddinggemma-300m-ONNX");
	await writeFile(join(folder, "config.json"), '{"model_type":"bert","hidden_size":768}');
	await writeFile(join(folder, "onnx", "model_quantized.onnx"), sentenceGraph(768));
	const embedder = await open(t, folder);
	const question = await embedOne(embedder, "tides", "query");
	t.equal(question.length, 768);
	t.ok(Math.abs(Math.hypot(...question) - 1) < 1e-5, "of unit length");
	t.notSame(question, await embedOne(embedder, "tides", "passage"), "another prefix");

	await cp(join(BUNDLED, "onnx"), join(folder, "onnx"), { recursive: true });
	const other = await open(t, folder);
	await t.rejects(embedOne(other, "tides", "query"), { message: /no sentence_embedding/ });
});

t.test("vectors of another number of dimensions are computed again", async (t) => {
	const folder = await copyModel(t, "embeddinggemma-300m-ONNX");
	await writeFile(join(folder, "config.json"), '{"model_type":"bert","hidden_size":768}');
	await writeFile(join(folder, "onnx", "model_quantized.onnx"), sentenceGraph(768));
	const index = join(folder, "..", "index");
	for (const [model, dimensions] of [
		[BUNDLED, 256],
		[folder, 768],
		[BUNDLED, 256],
	] as const) {
		const engine = await createSearchEngine({
			folder: index,
			clock: systemClock,
			model: { folder: model, sums: "if-there" },
		});
		await engine.sync([PAYMENTS]);
		t.match(engine.status(), { mode: "hybrid", pendingVectors: 0, model: { dimensions } });
		const { signal } = new AbortController();
		const found = await engine.find({ graphs: [PAYMENTS], query: "EIP-3009", limit: 1, signal });
		t.match(found, { mode: "hybrid", rows: [{ concept: { id: "eip-3009" } }] });
		await engine.close();
	}
});

t.test(
	"weights that are damaged or lie about their size give no vectors, and a reason",
	async (t) => {
		const folder = await copyModel(t, "mine");
		await writeFile(join(folder, "config.json"), '{"model_type":"bert","hidden_size":384}');
		const lying = await open(t, folder);
		await t.rejects(embedOne(lying, "x", "query"), { code: "UNAVAILABLE", message: /size/ });
		await truncate(join(folder, "onnx", "model_quantized.onnx"), 1_000);
		const damaged = await open(t, folder);
		await t.rejects(embedOne(damaged, "x", "query"), {
			code: "UNAVAILABLE",
			message: /^The embedding model gave no vectors: /,
		});
	},
);
