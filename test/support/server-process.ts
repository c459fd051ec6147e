import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DemoWallet } from "../../payments/onchain/facilitator.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

/** The command line as it is shipped; it builds first when it must. */
export const PROGRAM = join(PACKAGE_ROOT, "bin/tollgraph.mjs");

/** The command line as a process of its own; of another build where `root` is its folder. */
function spawnTollgraph(args: readonly string[], root = PACKAGE_ROOT): ChildProcess {
	return spawn(process.execPath, [join(root, "bin/tollgraph.mjs"), ...args], {
		cwd: root,
		stdio: ["ignore", "pipe", "pipe"],
		// The test runner's own loader would slow every start.
		env: { ...process.env, NODE_OPTIONS: "" },
	});
}

export interface ReadyLine {
	readonly base_url: string;
	readonly agent_card_url: string;
	readonly mcp_url: string;
	readonly docs_url: string;
	readonly admin_token: string;
	readonly demo_spt: string;
	readonly demo_wallet: DemoWallet | null;
	readonly graph_ids: readonly string[];
	readonly ready_ms: number;
}

export interface ServerProcess {
	readonly child: ChildProcess;
	readonly ready: ReadyLine;
	/** Lines on stdout so far; a server prints exactly one. */
	readonly stdout: readonly string[];
}

/** Starts a server and waits for its one JSON line. Rejects with its stderr when it ends before. */
export async function startServerProcess(
	args: readonly string[],
	{ root }: { readonly root?: string | undefined } = {},
): Promise<ServerProcess> {
	const child = spawnTollgraph(["serve", "--json", "--port", "0", ...args], root);
	const stdout: string[] = [];
	let stderr = "";
	child.stderr?.on("data", (chunk) => {
		stderr += chunk;
	});
	const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
	lines.on("line", (line) => stdout.push(line));
	const first = once(lines, "line");
	const ended = once(child, "exit").then(([code]) => {
		throw new Error(`The server ended with ${code}: ${stderr}`);
	});
	const [line] = (await Promise.race([first, ended])) as [string];
	ended.catch(() => undefined);
	return { child, ready: JSON.parse(line) as ReadyLine, stdout };
}

export interface CommandResult {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs one command to its end. */
export async function runTollgraph(args: readonly string[]): Promise<CommandResult> {
	const child = spawnTollgraph(args);
	let [stdout, stderr] = ["", ""];
	child.stdout?.on("data", (chunk) => {
		stdout += chunk;
	});
	child.stderr?.on("data", (chunk) => {
		stderr += chunk;
	});
	const [code] = (await once(child, "close")) as [number | null];
	return { code, stdout, stderr };
}
