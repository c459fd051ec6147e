import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { type ModelCheck, verifyModel } from "../../bench/search/verify-model.js";
import { systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

const MODEL_FOLDER = join(PACKAGE_ROOT, "models/table");

async function copyModel(t: Test): Promise<string> {
	const folder = join(t.testdir(), "model");
	await cp(MODEL_FOLDER, folder, { recursive: true });
	return folder;
}

const verify = (folder: string): Promise<readonly ModelCheck[]> =>
	verifyModel({ folder, sums: "required" }, systemClock);

const failuresOf = (checks: readonly ModelCheck[]): readonly string[] =>
	checks.filter(({ isPassed }) => !isPassed).map(({ name }) => name);

type Edit = readonly [pattern: RegExp, replacement: string];

/** Rewrites the first match in known-similarities.json. */
async function editKnown(t: Test, folder: string, [pattern, replacement]: Edit): Promise<void> {
	const path = join(folder, "known-similarities.json");
	const before = await readFile(path, "utf8");
	const after = before.replace(pattern, replacement);
	t.not(after, before);
	await writeFile(path, after);
}

t.test("the bundled model is the one that was measured", async (t) => {
	const checks = await verify(MODEL_FOLDER);
	t.strictSame(
		checks.map(({ name }) => name),
		["files", "vectors", "batches", "similarities", "orderings"],
	);
	t.strictSame(failuresOf(checks), [], JSON.stringify(checks));
});

t.test("a model of which one byte was changed is reported", async (t) => {
	const folder = await copyModel(t);
	const path = join(folder, "onnx", "model_quantized.onnx");
	const bytes = await readFile(path);
	const middle = bytes.length >> 1;
	bytes[middle] = (bytes[middle] ?? 0) ^ 1;
	await writeFile(path, bytes);
	const checks = await verify(folder);
	t.strictSame(failuresOf(checks), ["files"]);
	t.match(checks[0]?.detail, /model_quantized\.onnx differs from SHA256SUMS/);
});

t.test("a similarity other than the recorded one is reported with both", async (t) => {
	const folder = await copyModel(t);
	await editKnown(t, folder, [/"cosine": 0\.\d+/, '"cosine": 0.9']);
	const checks = await verify(folder);
	t.strictSame(failuresOf(checks), ["similarities"]);
	t.match(checks.at(3)?.detail, /"how to reset a password" .* instead of 0\.9\.$/);
});

t.test("a lead smaller than the recorded one is reported", async (t) => {
	const folder = await copyModel(t);
	await editKnown(t, folder, [/"margin": [\d.]+/, '"margin": 0.9']);
	t.strictSame(failuresOf(await verify(folder)), ["orderings"]);
});

t.test("known similarities that cannot be understood are reported", async (t) => {
	const folder = await copyModel(t);
	await writeFile(join(folder, "known-similarities.json"), '{ "tolerance": 1 ');
	const checks = await verify(folder);
	t.strictSame(failuresOf(checks), ["files"]);
	t.match(checks[0]?.detail, /known-similarities\.json .* cannot be understood/);
});
