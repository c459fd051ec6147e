import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { join } from "node:path";
import t, { type Test } from "tap";

const TAP = JSON.stringify(import.meta.resolve("tap"));
const RUNNER = JSON.stringify(new URL("../support/spawned-tests.mjs", import.meta.url));

const PASSES = `import t from ${TAP}; t.equal(process.env.NODE_OPTIONS, "");`;
const FAILS = `import t from ${TAP}; t.equal(1, 2, "one is two");`;
const CRASHES = `import t from ${TAP}; t.ok(true); process.exit(3);`;
const HANGS = `import t from ${TAP}; t.test("waits", () => new Promise(() => setInterval(() => {}, 1000)));`;
const SAYS_NOTHING = "process.exit(3);";

/** What becomes of a run of such files. */
function run(t: Test, files: Record<string, string>): SpawnSyncReturns<string> {
	const folder = t.testdir(files);
	const scripts = Object.keys(files).map((name) => ({ name, script: join(folder, name) }));
	const main = `
		import { runScripts } from ${RUNNER};
		const options = { jobs: 2, cwd: ${JSON.stringify(folder)}, nodeArgs: [], timeoutSeconds: 2 };
		process.exitCode = await runScripts(${JSON.stringify(scripts)}, options);
	`;
	return spawnSync(process.execPath, ["--input-type=module", "--eval", main], {
		encoding: "utf8",
		// As from a shell, not as one test among others.
		env: { PATH: process.env["PATH"] },
		timeout: 60_000,
	});
}

t.test("a run of files that pass passes, and they have no loader of the runner's", async (t) => {
	const { status, stdout } = run(t, { "a.mjs": PASSES, "b.mjs": PASSES });
	t.equal(status, 0);
	t.match(stdout, /^ok 1 - a\.mjs.*^ok 2 - b\.mjs.*\{ total: 2, pass: 2 \}/ms);
});

for (const [what, text] of Object.entries({ FAILS, CRASHES, HANGS, SAYS_NOTHING })) {
	t.test(`a run in which one file ${what.toLowerCase()} fails, and says which`, async (t) => {
		const { status, stdout } = run(t, { "a.mjs": PASSES, "b.mjs": text, "c.mjs": PASSES });
		t.equal(status, 1);
		t.match(stdout, /^ok 1 - a\.mjs/m);
		t.match(stdout, /^not ok 2 - b\.mjs/m);
		t.match(stdout, /^ok 3 - c\.mjs/m);
	});
}
