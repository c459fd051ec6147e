/**
 * What a test leaves to chance comes from one seed, so that it decides the same each time: what fast-check generates, and what the
 * code under test asks the system for. `npm test` has the same seed for good; `npm run properties` names a fresh one.
 */
import { createCipheriv, createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { sep } from "node:path";
import { isMainThread } from "node:worker_threads";
import fc from "fast-check";

const LASTING_SEED = 20_261_122;
const seed = Number(process.env.TEST_SEED ?? LASTING_SEED);
const file = nameOf(process.argv[1] ?? "");

fc.configureGlobal({ seed, reporter: report });
// What a test starts beside itself draws its own: two that draw the same would hand out the same ids.
if (isMainThread && /\.test\.m?[jt]s$/.test(file)) seedSystem();

/** Where a test is in the repository, wherever it was compiled to. */
function nameOf(script) {
	const at = script.lastIndexOf(`${sep}test${sep}`);
	return script.slice(at + 1).replace(/\.js$/, ".ts");
}

function seedSystem() {
	const key = createHash("sha256").update(`${seed} ${file}`).digest();
	const stream = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
	const draw = (length) => stream.update(Buffer.alloc(length));
	Math.random = () => draw(6).readUIntLE(0, 6) / 2 ** 48;
	crypto.getRandomValues = (view) => {
		new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(draw(view.byteLength));
		return view;
	};
}

function report(run) {
	if (!run.failed) return;
	if (process.env.FAILING_EXAMPLES) noteExample(run);
	throw new Error(fc.defaultReportMessage(run), { cause: run.errorInstance });
}

function noteExample({ seed, counterexamplePath: path, counterexample, errorInstance }) {
	const example = counterexample && fc.stringify(counterexample);
	const error = String(errorInstance?.message ?? "").split("\n", 1)[0];
	const line = JSON.stringify({ file, seed, path, example, error });
	appendFileSync(process.env.FAILING_EXAMPLES, `${line}\n`);
}
