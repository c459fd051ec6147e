import { execFileSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/package-root.js";

/** Waits in a process of its own, where nothing else keeps the event loop going. */
function wait(delayMs: number): string {
	const script = `import { systemClock } from ${JSON.stringify(join(PACKAGE_ROOT, "src/core/clock.ts"))};
		systemClock.after(${delayMs}, () => process.stdout.write("done"));`;
	return execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
		cwd: PACKAGE_ROOT,
		encoding: "utf8",
		env: { ...process.env, NODE_OPTIONS: "" },
	});
}

t.test(
	"a process does not end while a write waits a moment, and ends without long waits",
	async (t) => {
		t.equal(wait(5), "done");
		t.equal(wait(5_000), "");
	},
);
