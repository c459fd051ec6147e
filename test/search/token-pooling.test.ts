import { join } from "node:path";
import { env, pipeline } from "@huggingface/transformers";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { poolTokens } from "../../src/search/dense/query-batch.mjs";

const MODELS = join(PACKAGE_ROOT, "models");
const TEXTS = [
	"how to reset a password",
	"a much longer text, so that the others are padded, with words, words and words",
	"",
	"日本 🙂",
];

t.test("texts get the vectors that the library's own pooling gives them", async (t) => {
	env.allowRemoteModels = false;
	env.localModelPath = MODELS;
	const extract = await pipeline("feature-extraction", "table", {
		dtype: "q8",
		device: "cpu",
		local_files_only: true,
	});
	t.teardown(() => extract.dispose());
	for (const pooling of ["mean", "cls"] as const) {
		const expected = (await extract(TEXTS, { pooling, normalize: true })).data as Float32Array;
		const inputs = extract.tokenizer(TEXTS, { padding: true, truncation: true });
		const { last_hidden_state: tokens } = await extract.model(inputs);
		const found = poolTokens(tokens, inputs.attention_mask.data, pooling);
		t.equal(found.length, expected.length);
		const worst = found.reduce(
			(most, value, at) => Math.max(most, Math.abs(value - (expected[at] ?? 0))),
			0,
		);
		t.ok(worst < 1e-6, `${pooling}: off by ${worst}`);
	}
});

t.test("tokens that say nothing have no direction", async (t) => {
	const silent = { data: new Float32Array(8), dims: [1, 2, 4] };
	t.same(poolTokens(silent, [1n, 1n], "mean"), new Float32Array(4));
	t.same(poolTokens(silent, [0n, 0n], "mean"), new Float32Array(4));
});
