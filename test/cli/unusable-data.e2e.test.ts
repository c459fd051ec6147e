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

/** Root may do anything: there the command runs as another user, where that one can reach the program. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

function canReachProgram(): boolean {
	try {
		execFileSync(process.execPath, ["-e", ""], { cwd: PACKAGE_ROOT, ...user });
		return true;
	} catch {
		return false;
	}
}

const ISSUE = ["spt", "issue", "--usd", "1"];
const SERVE = ["serve", "--port", "0", "--model", "none"];

/** A command in a shell that has done `first`; how it ended, and what it said. */
async function runAfter(first: string, named: readonly string[], data: string, who: object = {}) {
	const words = [...named, "--data", data, "--facilitator", "off"];
	const command = `${first}; exec "$@"`;
	const child = spawn("bash", ["-c", command, "-", process.execPath, PROGRAM, ...words], {
		cwd: PACKAGE_ROOT,
		stdio: ["ignore", "ignore", "pipe"],
		env: { ...process.env, NODE_OPTIONS: "" },
		...who,
	});
	const said = text(child.stderr);
	const [code] = await once(child, "exit");
	return { code, said: await said };
}

t.test(
	"a folder of which a part may not be read or written is refused in one sentence",
	{ skip: canReachProgram() ? false : "the other user cannot reach the program" },
	async (t) => {
		const root = realpathSync(t.testdir({}));
		for (const part of ["journal", "profile"]) {
			const data = join(root, part);
			t.equal((await runAfter("true", ISSUE, data)).code, 0);
			execFileSync("chmod", ["-R", "a+rwX", root]);
			execFileSync("chmod", ["-R", "0", join(data, part)]);
			const { code, said } = await runAfter("true", ISSUE, data, user);
			execFileSync("chmod", ["-R", "u+rwX", root]);
			t.equal(code, 2, part);
			t.match(
				said,
				new RegExp(
					`^tollgraph: The data folder "${data}" cannot be used \\(EACCES: .*again\\.\\n$`,
				),
			);
		}
	},
);

t.test("a start on a disk without room ends in one sentence", async (t) => {
	const data = join(realpathSync(t.testdir({})), "data");
	// No file may grow beyond 16 KiB.
	const { code, said } = await runAfter("ulimit -f 16", SERVE, data);
	t.equal(code, 2);
	t.match(said, new RegExp(`tollgraph: The data folder "${data}" cannot be used .*again\\.\\n$`));
	t.notMatch(said, /\n\s+at /, "no stack");
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
