import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const COMMAND_BYTES = 16 * 1024 * 1024;
const STOP_MS = 30_000;
const VECTOR_CHECKS = 600;
const VECTOR_CHECK_MS = 500;

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
	const ready = JSON.parse(line);
	await untilVectors(ready.base_url).catch((error) => {
		child.kill("SIGTERM");
		throw error;
	});
	return {
		ready,
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

/** Until then the order of what is found may be that of words alone. */
async function untilVectors(baseUrl) {
	for (let left = VECTOR_CHECKS; left > 0; left--) {
		const { data } = await (await fetch(`${baseUrl}/v1/ready`)).json();
		if (data.search.pending_vectors === 0) return;
		await sleep(VECTOR_CHECK_MS);
	}
	throw new Error(`The vectors of ${baseUrl} did not become complete.`);
}

/** Settings of anyone who records would otherwise be settings of the server. */
function plainEnvironment() {
	const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("TOLLGRAPH_"));
	return { ...Object.fromEntries(kept), NODE_OPTIONS: "" };
}
