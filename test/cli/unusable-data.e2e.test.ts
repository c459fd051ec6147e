import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { PROGRAM, runTollgraph } from "../support/server-process.js";

t.test("a data folder that cannot be used is refused in one sentence", async (t) => {
	const file = join(realpathSync(t.testdir({ file: "no folder" })), "file");
	const folders = [
		file,
		join(file, "below"),
		...(process.platform === "linux" ? ["/proc/nope"] : []),
	];
	for (const folder of folders) {
		const { code, stdout, stderr } = await runTollgraph([
			"serve",
			"--data",
			folder,
			"--facilitator",
			"off",
		]);
		t.equal(code, 2);
		t.equal(stdout, "");
		t.match(
			stderr,
			new RegExp(`^tollgraph: The data folder "${folder}" cannot be used .*--data\\.\\n$`),
		);
	}
});

t.test("a signal ends a start that waits for a disk that does not answer", async (t) => {
	const data = join(realpathSync(t.testdir({})), "data");
	mkdirSync(join(data, "journal"), { recursive: true });
	// Reading it takes as long as no one writes to it.
	execFileSync("mkfifo", [join(data, "journal", "mark")]);
	const args = [PROGRAM, "serve", "--data", data, "--facilitator", "off"];
	const child = spawn(process.execPath, args, {
		cwd: PACKAGE_ROOT,
		stdio: ["ignore", "ignore", "pipe"],
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	const said = text(child.stderr);
	const ended = once(child, "exit");
	while (!execFileSync("ls", [join(data, "journal")], { encoding: "utf8" }).includes("lock")) {
		await new Promise((resolve) => setTimeout(resolve, 50));
		if (child.exitCode !== null) break;
	}
	child.kill("SIGTERM");
	t.strictSame(await ended, [null, "SIGTERM"]);
	t.match(await said, "SIGTERM: ended before the start was done.");
});
