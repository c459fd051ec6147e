import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Code } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import t, { type Test } from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { readSettings } from "../../src/settings/read-settings.js";
import { bundleProgram, runProgram } from "../client/bundled-program.js";
import { withoutChain } from "../payments/chain/local-chain.js";
import { PROGRAM, startServerProcess } from "../support/server-process.js";

/**
 * Each chapter of the guide as its reader would follow it, in a folder of its own: blocks in `sh` are run one after the other in
 * one shell, `tollgraph serve` beside it, blocks in `ts` as programs, and blocks in `text` say what the one before prints, where `…` is
 * anything. Only the address of the server is another one. Blocks marked `install` are run by `npm run check:package`.
 */

const run = promisify(execFile);
const FOLDER = join(PACKAGE_ROOT, "docs/guide");
const ADDRESS = "http://127.0.0.1:8402";
const NEEDS_CHAIN: ReadonlySet<string> = new Set(["wallets.md", "get-paid-in-usdc.md"]);
const isMissing = (command: string) =>
	!(process.env["PATH"] ?? "")
		.split(delimiter)
		.some((folder) => folder !== "" && existsSync(join(folder, command)));
const missing = ["bash", "curl", "jq"].filter(isMissing);
const withoutTools = missing.length > 0 && `${missing.join(", ")} is not installed`;

const clientPackage = packClient();

for (const chapter of readdirSync(FOLDER).sort()) {
	const skip = withoutTools || (NEEDS_CHAIN.has(chapter) && withoutChain);
	t.test(`what ${chapter} says is what happens`, { skip }, (t) => follow(t, chapter));
}

async function follow(t: Test, chapter: string): Promise<void> {
	const folder = t.testdir({});
	await prepare(folder);
	const shell = startShell(t, folder);
	let [address, printed] = [ADDRESS, ""];
	const read: Readonly<Record<string, (text: string) => Promise<void> | void>> = {
		sh: async (text) => {
			if (text === "tollgraph serve") address = await serve(t, folder);
			else printed = await shell(text);
		},
		ts: async (text) => {
			printed = await runProgram(await bundleProgram(text, folder), [], {}, folder);
		},
		text: (text) => assertPrinted(t, printed, text),
		yaml: (text) => assertSettings(t, folder, text),
	};
	for (const { lang, meta, value } of blocksOf(chapter)) {
		const run = read[lang ?? ""];
		if (!run) t.fail(`a block in ${lang} is run by nothing`);
		else if (meta !== "install") await run(value.replaceAll(ADDRESS, address));
	}
}

function blocksOf(chapter: string): readonly Code[] {
	const { children } = fromMarkdown(readFileSync(join(FOLDER, chapter), "utf8"));
	return children.filter((node) => node.type === "code");
}

/** What a clone of the repository has, and `tollgraph` as an installed package would bring it. */
async function prepare(folder: string): Promise<void> {
	symlinkSync(join(PACKAGE_ROOT, "examples"), join(folder, "examples"));
	// Without one, npm would install into the nearest folder above that has one.
	writeFileSync(join(folder, "package.json"), '{"private":true}');
	const { name, bytes } = await clientPackage;
	writeFileSync(join(folder, name), bytes);
	mkdirSync(join(folder, "bin"));
	const program = join(folder, "bin/tollgraph");
	writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
	chmodSync(program, 0o755);
}

async function packClient() {
	const folder = t.testdir({});
	const args = ["pack", "--silent", "--pack-destination", folder];
	await run("npm", args, { cwd: join(PACKAGE_ROOT, "client"), env: ownEnvironment(folder) });
	const [name = ""] = readdirSync(folder).filter((file) => file.endsWith(".tgz"));
	return { name, bytes: readFileSync(join(folder, name)) };
}

/** No registry, no settings of this user, and not the test runner's own loader. */
function ownEnvironment(folder: string): NodeJS.ProcessEnv {
	const { PATH = "" } = process.env;
	return {
		PATH: `${join(folder, "bin")}${delimiter}${PATH}`,
		HOME: folder,
		npm_config_offline: "true",
		npm_config_update_notifier: "false",
		npm_config_cache: join(folder, ".npm"),
	};
}

async function serve(t: Test, folder: string): Promise<string> {
	const { child, ready } = await startServerProcess(["--data", join(folder, ".tollgraph")]);
	t.teardown(() => end(child));
	return ready.base_url;
}

async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = once(child, "exit");
	child.kill("SIGTERM");
	await ended;
}

const MARK = "\u001e";

/** Runs blocks in one shell, which keeps their variables. Rejects with what it said when a command fails. */
function startShell(t: Test, folder: string): (script: string) => Promise<string> {
	const shell = spawn("bash", ["--noprofile", "--norc", "-euo", "pipefail"], {
		cwd: folder,
		env: ownEnvironment(folder),
	});
	t.teardown(() => end(shell));
	let [stdout, stderr] = ["", ""];
	shell.stderr.on("data", (chunk) => {
		stderr += chunk;
	});
	const ended = once(shell, "exit");
	return async (script) => {
		stdout = "";
		const done = new Promise<void>((resolve) => {
			shell.stdout.on("data", (chunk) => {
				stdout += chunk;
				if (stdout.endsWith(MARK)) resolve();
			});
		});
		shell.stdin.write(`${script}\nprintf '${MARK}'\n`);
		const failed = ended.then(([code]) => {
			throw new Error(`It ended with ${code} in:\n${script}\n${stdout}\n${stderr}`);
		});
		failed.catch(() => undefined);
		await Promise.race([done, failed]);
		shell.stdout.removeAllListeners("data");
		return stdout.slice(0, -MARK.length);
	};
}

/** Each line in its order, and others between them. */
function assertPrinted(t: Test, printed: string, expected: string): void {
	const lines = printed.split("\n").map((line) => line.trim());
	let from = 0;
	for (const wanted of expected.split("\n")) {
		const parts = wanted.trim().split("…");
		const escaped = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
		const pattern = new RegExp(`^${escaped.join(".*")}$`);
		const at = lines.findIndex((line, index) => index >= from && pattern.test(line));
		if (at < 0) t.fail(`"${wanted}" is not in what was printed`, { printed });
		else t.pass(wanted);
		from = at + 1;
	}
}

function assertSettings(t: Test, folder: string, yaml: string): void {
	const own = join(folder, "settings");
	mkdirSync(own, { recursive: true });
	writeFileSync(join(own, "tollgraph.config.yaml"), yaml);
	t.doesNotThrow(() => readSettings({ flags: {}, environment: {}, folder: own }), yaml);
}
