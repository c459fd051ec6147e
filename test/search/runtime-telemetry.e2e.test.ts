import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

t.test("the ONNX runtime keeps no telemetry of its own, and so sends none", (t) => {
	const home = t.testdir();
	const module = (path: string) => new URL(path, import.meta.url).href;
	const embedding = `const { verifyModel } = await import("${module("../../bench/search/verify-model.js")}");
const { systemClock } = await import("${module("../../src/kernel/clock.js")}");
const checks = await verifyModel({ folder: process.argv[1], sums: "required" }, systemClock);
process.exitCode = checks.every(({ isPassed }) => isPassed) ? 0 : 1;`;
	const folder = join(PACKAGE_ROOT, "models", "table");
	const { status, stderr } = spawnSync(
		process.execPath,
		["--input-type=module", "-e", embedding, folder],
		{ encoding: "utf8", env: { PATH: process.env["PATH"], HOME: home } },
	);
	t.equal(status, 0, stderr);
	t.same(readdirSync(home, { recursive: true }), []);
	t.end();
});
