// `npm test [-- <part of a path> …]`: the tests, or those whose path has it in it; `--coverage` by the runner's own command line.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildWhenStale } from "../../bin/build.mjs";
import { compileTests, findTests, ROOT } from "./compiled-tests.mjs";

const SETUP = ["ends-before-removal", "seeded-run"].map(
	(name) => `--import=${join(ROOT, `test/support/${name}.mjs`)}`,
);

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { coverage: { type: "boolean" }, jobs: { type: "string" } },
});
const tests = findOrEnd(positionals);
// Those that start the command line as it is shipped would all build it at once.
await buildWhenStale();
const compiled = await compileTests();
process.on("exit", compiled.remove);
const jobs = Number(values.jobs ?? availableParallelism());
const scripts = tests.map((name) => ({
	name,
	script: join(compiled.folder, name.replace(/\.ts$/, ".js")),
}));
process.exitCode = await (values.coverage ? measureCoverage() : runPlain());

async function runPlain() {
	// Once loaded, the library speaks TAP and ends the process by its count; a coverage run has its own.
	const { HANGS_SECONDS, runScripts } = await import("./spawned-tests.mjs");
	return runScripts(scripts, {
		jobs,
		cwd: ROOT,
		nodeArgs: ["--enable-source-maps", ...SETUP],
		timeoutSeconds: HANGS_SECONDS,
	});
}

function findOrEnd(parts) {
	try {
		return findTests(parts);
	} catch (error) {
		process.stderr.write(`${error.message}\n`);
		process.exit(1);
	}
}

async function measureCoverage() {
	const args = ["run", `--jobs=${jobs}`, ...scripts.map(({ script }) => script)];
	const tap = spawn(join(ROOT, "node_modules/.bin/tap"), args, { cwd: ROOT, stdio: "inherit" });
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => tap.kill(signal));
	const [code] = await once(tap, "exit");
	return code ?? 1;
}
