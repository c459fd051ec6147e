import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);
const COMMAND_BYTES = 16 * 1024 * 1024;
const STOP_MS = 30_000;

/** Starts the server of a checkout by its documented command, on a free port of this machine, and waits for its one JSON line. */
export async function startServer(root, data) {
	const options = { cwd: root, env: plainEnvironment() };
	const args = [join(root, "bin/start.mjs"), "--json", "--port", "0", "--data", data];
	const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
	let stderr = "";
	child.stderr.on("data", (chunk) => {
		stderr += chunk;
	});
	const ended = once(child, "exit").then(([code]) => {
		throw new Error(`The server of ${root} ended with ${code}: ${stderr}`);
	});
	const lines = createInterface({ input: child.stdout });
	const [line] = await Promise.race([once(lines, "line"), ended]);
	ended.catch(() => undefined);
	return {
		ready: JSON.parse(line),
		/** One command of the checkout's own command line; what it prints as JSON. */
		async command(...words) {
			const program = join(root, "bin/tollgraph.mjs");
			const all = [program, ...words, "--json", "--data", data];
			const { stdout } = await run(process.execPath, all, { ...options, maxBuffer: COMMAND_BYTES });
			return JSON.parse(stdout);
		},
		async stop() {
			if (child.exitCode !== null) return;
			const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
			child.kill("SIGTERM");
			await once(child, "exit");
			clearTimeout(late);
		},
	};
}

/** Settings of anyone who records would otherwise be settings of the server. */
function plainEnvironment() {
	const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("TOLLGRAPH_"));
	return { ...Object.fromEntries(kept), NODE_OPTIONS: "" };
}
