import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

const FAST_CHECK = JSON.stringify(import.meta.resolve("fast-check"));
const DESCRIBE = new URL("../support/failing-examples.mjs", import.meta.url).href;
const HOOK = join(PACKAGE_ROOT, "test", "support", "seeded-run.mjs");

/** Reports all that it draws: with and without options of its own, and what the code under test asks the system for. */
const DRAWS = `
import fc from ${FAST_CHECK};

const drawn = [];
const keep = (value) => void drawn.push(value);
fc.assert(fc.property(fc.string(), keep));
await fc.assert(fc.asyncProperty(fc.integer(), async (value) => keep(value)), { numRuns: 7 });
drawn.push(fc.sample(fc.double(), 3), Math.random(), [...crypto.getRandomValues(new Uint8Array(9))]);
console.log(JSON.stringify(drawn));
`;
const FAILS = `
import fc from ${FAST_CHECK};

const check = (value) => {
	if (value >= 10) throw new Error("ten or more");
};
fc.assert(fc.property(fc.nat(), check), { numRuns: 500 });
`;

interface Run {
	readonly text: string;
	readonly name?: string;
	readonly seed?: string;
}

function run(t: Test, { text, name = "draws.test.mjs", seed }: Run) {
	const folder = t.testdir({ test: { [name]: text } });
	const examples = join(folder, "examples.ndjson");
	const env = { PATH: process.env["PATH"], FAILING_EXAMPLES: examples };
	const { status, stdout, stderr } = spawnSync(
		process.execPath,
		["--import", HOOK, join(folder, "test", name)],
		{ encoding: "utf8", env: seed === undefined ? env : { ...env, TEST_SEED: seed } },
	);
	const noted = existsSync(examples) ? JSON.parse(readFileSync(examples, "utf8")) : undefined;
	return { status, stdout, stderr, noted };
}

t.test("a property draws the same values in each run, and others with another seed", async (t) => {
	const [first, second] = [run(t, { text: DRAWS }), run(t, { text: DRAWS })];
	t.match(first, { status: 0, stderr: "" });
	t.ok(JSON.parse(first.stdout).length > 100);
	t.equal(second.stdout, first.stdout);
	const other = run(t, { text: DRAWS, seed: "7" });
	t.not(other.stdout, first.stdout);
	t.equal(run(t, { text: DRAWS, seed: "7" }).stdout, other.stdout);
});

t.test("what a test starts beside itself draws ids of its own", async (t) => {
	const idOf = () => JSON.parse(run(t, { text: DRAWS, name: "writer.mjs" }).stdout).at(-1);
	t.strictNotSame(idOf(), idOf());
});

t.test("a property that fails says how to see it again, and leaves its example", async (t) => {
	const { status, stderr, noted } = run(t, { text: FAILS, seed: "7" });
	t.equal(status, 1);
	t.match(stderr, /Property failed after \d+ tests\n\{ seed: 7, path: "\d/);
	t.match(stderr, /cause.*ten or more/s);
	t.match(noted, { file: "test/draws.test.mjs", seed: 7, path: /^\d/, example: "[10]" });
	t.equal(noted.error, "ten or more");

	const { describeFailures } = await import(DESCRIBE);
	const failed = [noted, { file: "test/hangs.test.ts", seed: 8 }];
	const said = describeFailures(failed, [noted]);
	t.match(
		said,
		"failing example to be added to test/draws.test.mjs: ten or more\n\texamples: [[10]],\n",
	);
	t.match(said, "Failed without an example: test/hangs.test.ts\n");
	t.equal(said.split("again: npm run properties -- --seed").length, 3);
});
