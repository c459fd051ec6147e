import { spawnSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

const TAP = JSON.stringify(import.meta.resolve("tap"));
/** Says whether its folders are still there when what it has started would end. */
const FILE = `
import { existsSync } from "node:fs";
import t from ${TAP};

const watch = (t, name) => {
	const folder = t.testdir({ "a.txt": "a" });
	t.teardown(() => process.stderr.write(name + " " + existsSync(folder) + "\\n"));
};
watch(t, "file");
t.test("a test", async (t) => {
	watch(t, "test");
	t.ok(true);
});
`;

t.test("what a test or its file has started ends before their folders are removed", async (t) => {
	const path = join(t.testdir({ "order.test.mjs": FILE }), "order.test.mjs");
	const hook = join(PACKAGE_ROOT, "test", "support", "ends-before-removal.mjs");
	const { stderr, status } = spawnSync(process.execPath, ["--import", hook, path], {
		cwd: t.testdirName,
		encoding: "utf8",
		env: { ...process.env, NODE_OPTIONS: "", TAP_CWD: t.testdirName },
	});
	t.strictSame({ status, stderr }, { status: 0, stderr: "test true\nfile true\n" });
});
