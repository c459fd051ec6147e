// `npm run properties [-- --seed N --runs-factor K <part of a path> …]`: the tests of properties, with examples not tried before.
import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildWhenStale } from "../../bin/build.mjs";
import { compileTests, ROOT } from "./compiled-tests.mjs";
import { describeFailures } from "./failing-examples.mjs";
import { findPropertyTests } from "./property-tests.mjs";

const SEEDS = 2 ** 31;
const SETUP = ["ends-before-removal", "seeded-run"].map(
	(name) => `--import=${join(ROOT, `test/support/${name}.mjs`)}`,
);

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		seed: { type: "string" },
		"runs-factor": { type: "string", default: "1" },
		jobs: { type: "string" },
	},
});
const seed = numberOf("seed") ?? randomInt(SEEDS);
const rounds = numberOf("runs-factor");
const tests = findOrEnd();
process.stderr.write(`Seed ${seed}; again: npm run properties -- --seed ${seed}\n`);
await buildWhenStale();
const compiled = await compileTests();
const folder = mkdtempSync(join(tmpdir(), "properties-"));
const examples = join(folder, "examples.ndjson");
process.on("exit", () => {
	compiled.remove();
	rmSync(folder, { recursive: true, force: true });
});
const { HANGS_SECONDS, runScripts } = await import("./spawned-tests.mjs");
const failed = [];
process.exitCode = await runScripts(Array.from({ length: rounds }, roundOf).flat(), {
	jobs: numberOf("jobs") ?? availableParallelism(),
	cwd: ROOT,
	nodeArgs: ["--enable-source-maps", ...SETUP],
	timeoutSeconds: HANGS_SECONDS,
	onFailed: ({ file, seed }) => failed.push({ file, seed }),
});
process.stderr.write(describeFailures(failed, readExamples()));

/** Every test once, with the seed that comes so many after the first. */
function roundOf(_, round) {
	const next = (seed + round) % SEEDS;
	return tests.map((file) => ({
		file,
		seed: next,
		name: `${file} with seed ${next}`,
		script: join(compiled.folder, file.replace(/\.ts$/, ".js")),
		env: { TEST_SEED: String(next), FAILING_EXAMPLES: examples },
	}));
}

function readExamples() {
	if (!existsSync(examples)) return [];
	return readFileSync(examples, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
}

function numberOf(name) {
	if (values[name] === undefined) return undefined;
	const number = Number(values[name]);
	if (Number.isInteger(number) && number >= 0) return number;
	return endWith(`--${name} takes a whole number, not "${values[name]}".`);
}

function findOrEnd() {
	try {
		return findPropertyTests(positionals);
	} catch (error) {
		return endWith(error.message);
	}
}

function endWith(message) {
	process.stderr.write(`${message}\n`);
	return process.exit(1);
}
