import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { on, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";

const TAP = JSON.stringify(import.meta.resolve("tap"));
const RUNNER = JSON.stringify(new URL("../support/spawned-tests.mjs", import.meta.url));

const PASSES = `import t from ${TAP}; t.equal(process.env.NODE_OPTIONS, "");`;
const FAILS = `import t from ${TAP}; t.equal(1, 2, "one is two");`;
const CRASHES = `import t from ${TAP}; t.ok(true); process.exit(3);`;
const HANGS = `import t from ${TAP}; t.test("waits", () => new Promise(() => setInterval(() => {}, 1000)));`;
const SAYS_NOTHING = "process.exit(3);";
const HAS_NO_TEST = "process.exit(0);";
const SKIPS = `import t from ${TAP}; t.plan(0, "Nothing to try it with.");`;

/** The process that a test has started holds a connection, which the system closes when that process ends, however it ends. */
const HOLDS_A_CONNECTION = `require("node:net").connect(process.env.PORT, "127.0.0.1").on("close", () => process.exit())`;
const STARTS_ANOTHER = `
	import { spawn } from "node:child_process";
	import t from ${TAP};
	t.test("starts another process", async (t) => {
		const other = spawn(process.execPath, ["--eval", ${JSON.stringify(HOLDS_A_CONNECTION)}], { stdio: "ignore" });
		t.teardown(() => other.kill("SIGKILL"));
		await new Promise(() => setInterval(() => {}, 1000));
	});
`;

function mainOf(scripts: readonly object[], cwd: string, timeoutSeconds = 60): string {
	const options = JSON.stringify({ jobs: 2, cwd, nodeArgs: [], timeoutSeconds });
	return `
		import { runScripts } from ${RUNNER};
		process.exitCode = await runScripts(${JSON.stringify(scripts)}, ${options});
	`;
}

/** What becomes of a run of such files. */
function run(t: Test, files: Record<string, string>): SpawnSyncReturns<string> {
	const folder = t.testdir(files);
	const scripts = Object.keys(files).map((name) => ({ name, script: join(folder, name) }));
	return spawnSync(
		process.execPath,
		["--input-type=module", "--eval", mainOf(scripts, folder, 2)],
		{
			encoding: "utf8",
			// As from a shell, not as one test among others.
			env: { PATH: process.env["PATH"] },
			timeout: 60_000,
		},
	);
}

t.test("a file that has no test fails the run", async (t) => {
	const { status, stdout } = run(t, { "a.mjs": PASSES, "b.mjs": HAS_NO_TEST });
	t.equal(status, 1);
	t.match(stdout, /b\.mjs runs no test$/m);
});

t.test("a file that says why it has no test does not", async (t) => {
	const { status, stdout } = run(t, { "a.mjs": PASSES, "b.mjs": SKIPS });
	t.equal(status, 0);
	t.match(stdout, /SKIP Nothing to try it with\./);
});

t.test("what tests have started ends when a run is stopped", async (t) => {
	const folder = t.testdir({ "a.mjs": STARTS_ANOTHER, "b.mjs": STARTS_ANOTHER });
	const scripts = ["a.mjs", "b.mjs"].map((name) => ({ name, script: join(folder, name) }));
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const connections: Socket[] = [];
	t.teardown(() => {
		for (const connection of connections) connection.destroy();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	const child = spawn(
		process.execPath,
		["--input-type=module", "--eval", mainOf(scripts, folder)],
		{
			env: { PATH: process.env["PATH"], PORT: String(port) },
			stdio: "ignore",
		},
	);
	for await (const [connection] of on(server, "connection")) {
		connections.push(connection.on("error", () => {}).resume());
		if (connections.length === scripts.length) break;
	}
	const closings = connections.map((connection) => once(connection, "close"));
	t.notOk(connections.some((connection) => connection.closed));
	child.kill("SIGTERM");
	const [code] = await once(child, "exit");
	t.equal(code, 1);
	await Promise.all(closings);
});

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
