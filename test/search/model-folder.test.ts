import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openModelFolder } from "../../src/search/model/model-folder.js";
import { findKnownModel, KNOWN_MODELS, prepareText } from "../../src/search/model/model-profile.js";

interface Files {
	readonly name?: string;
	readonly config?: object;
	readonly pooling?: object;
	readonly prompts?: object;
	readonly modules?: readonly string[];
	readonly weights?: Readonly<Record<string, string>>;
}

/** A folder with the files of a model; what is in them is not run here. */
function modelFolder(t: Test, files: Files = {}): string {
	const { name = "mine", config = { hidden_size: 384 }, weights } = files;
	const folder = t.testdir({
		[name]: {
			"config.json": JSON.stringify(config),
			"tokenizer.json": "{}",
			"tokenizer_config.json": "{}",
			onnx: weights ?? { "model_quantized.onnx": "weights" },
			...(files.pooling && { "1_Pooling": { "config.json": JSON.stringify(files.pooling) } }),
			...(files.prompts && {
				"config_sentence_transformers.json": JSON.stringify({ prompts: files.prompts }),
			}),
			...(files.modules && {
				"modules.json": JSON.stringify(
					files.modules.map((kind) => ({ type: `sentence_transformers.models.${kind}` })),
				),
			}),
		},
	});
	return join(folder, name);
}

const open = (folder: string) => openModelFolder({ folder, sums: "if-there" });
const refused = (why: RegExp) => ({ code: "UNAVAILABLE", message: why });

t.test("a folder that says nothing pools by mean and takes texts as they are", async (t) => {
	const { identity, profile, dtype } = await open(modelFolder(t));
	t.match(identity, { id: "mine", dimensions: 384, pooling: "mean" });
	t.same(profile, {
		pooling: "mean",
		output: "tokens",
		queryPrefix: "",
		passagePrefix: "",
		maxTokens: 512,
	});
	t.equal(dtype, "q8");
});

t.test("a well-known model is used as its card says, whichever copy of it is there", async (t) => {
	for (const name of ["bge-small-en-v1.5", "Xenova--bge-small-en-v1.5", "bge-small-en-v1.5-ONNX"]) {
		const { profile } = await open(modelFolder(t, { name }));
		t.equal(profile.pooling, "cls", name);
		t.match(prepareText(profile, "x", "query"), /^Represent this sentence .*: x$/);
		t.equal(prepareText(profile, "x", "passage"), "x");
	}
	const config = { hidden_size: 384, _name_or_path: "intfloat/e5-small-v2" };
	const { profile } = await open(modelFolder(t, { config }));
	t.equal(prepareText(profile, "x", "passage"), "passage: x");
});

t.test("what a folder says of itself wins over the table", async (t) => {
	const { profile } = await open(
		modelFolder(t, {
			name: "bge-small-en-v1.5",
			pooling: { word_embedding_dimension: 384, pooling_mode_mean_tokens: true },
			prompts: { query: "ask: ", document: "" },
			modules: ["Transformer", "Pooling", "Normalize"],
		}),
	);
	t.match(profile, { pooling: "mean", output: "tokens", queryPrefix: "ask: ", passagePrefix: "" });
});

t.test("texts are cut where the first of the model's lengths ends", async (t) => {
	const lengthOf = async (files: Files, tokenizer = {}, sentences = {}) => {
		const folder = modelFolder(t, files);
		await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(tokenizer));
		await writeFile(join(folder, "sentence_bert_config.json"), JSON.stringify(sentences));
		return (await open(folder)).profile.maxTokens;
	};
	const positions = { hidden_size: 384, max_position_embeddings: 130 };
	t.equal(await lengthOf({}, { model_max_length: 1e30 }), 512, "no prose is longer");
	t.equal(await lengthOf({ config: positions }, { model_max_length: 1e30 }), 130);
	t.equal(await lengthOf({ config: { ...positions, model_type: "xlm-roberta" } }), 128);
	t.equal(await lengthOf({}, { model_max_length: 512 }, { max_seq_length: 64 }), 64);
	t.equal(await lengthOf({ name: "all-MiniLM-L6-v2" }, { model_max_length: 512 }), 256);
});

t.test("a model that needs what is not done here is refused", async (t) => {
	const cases: readonly [Files, RegExp][] = [
		[{ modules: ["Transformer", "Pooling", "Dense"] }, /asks for a Dense layer/],
		[{ pooling: { pooling_mode_lasttoken: true } }, /pools by lasttoken/],
		[{ pooling: { pooling_mode: "max" } }, /pools by max/],
		[
			{ pooling: { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true } },
			/pools by cls and mean/,
		],
		[{ pooling: { word_embedding_dimension: 768 } }, /says 768 dimensions and .* 384/],
		[{ name: "gte-small", config: { hidden_size: 512 } }, /says 512 .* Xenova\/gte-small has 384/],
		[{ config: {} }, /no usable hidden_size/],
		[{ config: { hidden_size: 3 } }, /no usable hidden_size/],
		[{ prompts: { query: 7 } }, /no usable prompts/],
		[{ weights: { "model_q4.onnx": "" } }, /model_quantized.onnx cannot be read/],
	];
	for (const [files, why] of cases) {
		await t.rejects(open(modelFolder(t, files)), refused(why), String(why));
	}
});

t.test(
	"the smallest weights that can be loaded are taken, with the tensors beside them",
	async (t) => {
		const fp32 = modelFolder(t, { weights: { "model.onnx": "w", "model_fp16.onnx": "h" } });
		t.equal((await open(fp32)).dtype, "fp32");
		await writeFile(join(fp32, "onnx", "model_int8.onnx"), "i");
		t.equal((await open(fp32)).dtype, "int8");
		const whole = await open(fp32);
		await writeFile(join(fp32, "onnx", "model_int8.onnx_data"), "tensors");
		const split = await open(fp32);
		t.equal(split.bytes, whole.bytes + "tensors".length);
		t.not(split.identity.sha256, whole.identity.sha256);
	},
);

t.test("whatever changes a vector changes the model's digest", async (t) => {
	const folder = modelFolder(t);
	const digest = async () => (await open(folder)).identity.sha256;
	const seen = new Set([await digest()]);
	const change = async (name: string, text: string) => {
		await writeFile(join(folder, name), text);
		const found = await digest();
		t.notOk(seen.has(found), name);
		seen.add(found);
	};
	await change("onnx/model_quantized.onnx", "other weights");
	await change("tokenizer.json", '{"version":"1.0"}');
	await change("tokenizer_config.json", '{"do_lower_case":true}');
	await change("config_sentence_transformers.json", '{"prompts":{"query":"ask: "}}');
	await change("config_sentence_transformers.json", '{"prompts":{"document":"text: "}}');
});

t.test("checksums are checked where there are some, and name no file outside", async (t) => {
	const folder = modelFolder(t);
	await writeFile(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  config.json\n`);
	await t.rejects(open(folder), refused(/config.json differs from SHA256SUMS/));
	await writeFile(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  ../other\n`);
	await t.rejects(open(folder), refused(/names a file outside/));
});

t.test("a folder that is not there says what to do", async (t) => {
	const location = {
		folder: join(t.testdir(), "none"),
		sums: "required",
		hint: "Fetch it.",
	} as const;
	await t.rejects(openModelFolder(location), { code: "UNAVAILABLE", message: "Fetch it." });
});

t.test("every known model is found by its own id, and only once", async (t) => {
	for (const model of KNOWN_MODELS) t.equal(findKnownModel(model.id), model);
	t.equal(findKnownModel("sentence-transformers/all-MiniLM-L6-v2")?.id, "Xenova/all-MiniLM-L6-v2");
	t.equal(findKnownModel("onnx-community/all-MiniLM-L6-v2-ONNX")?.dimensions, 384);
	t.equal(findKnownModel("bundled"), undefined);
});
