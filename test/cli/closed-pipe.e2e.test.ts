import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { PROGRAM } from "../support/server-process.js";

t.test("a command whose reader has left, such as head, ends quietly", async (t) => {
	const child = spawn(process.execPath, [PROGRAM, "--help"], {
		cwd: PACKAGE_ROOT,
		stdio: ["ignore", "pipe", "pipe"],
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	child.stdout.destroy();
	const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
	t.equal(said, "");
	t.equal(code, 0);
});

t.test("a failure of another kind is none of it", async (t) => {
	const script = `
		import { endQuietlyOnClosedPipe } from ${JSON.stringify(new URL("../../src/cli/output.js", import.meta.url))};
		endQuietlyOnClosedPipe(process.stdout);
		process.stdout.emit("error", Object.assign(new Error("no room"), { code: "ENOSPC" }));
	`;
	const args = ["--input-type=module", "--eval", script];
	const child = spawn(process.execPath, args, {
		cwd: PACKAGE_ROOT,
		stdio: ["ignore", "ignore", "pipe"],
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
	t.match(said, /no room/);
	t.not(code, 0);
});
