import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../support/compiled-tests.mjs";

const SETUP = ["support/ends-before-removal", "support/seeded-run", "mutants/hits"].map(
	(name) => `--import=${pathToFileURL(join(ROOT, `test/${name}.mjs`))}`,
);
const HITS = SETUP.at(-1);
const FAILED = /^\s*(?:not ok(?!.*# (?:SKIP|TODO))|Bail out!)/im;
const running = new Set();

/** Runs one test file, to its first failure: "passed", "failed" or "timeout", after so many seconds. */
export async function runTest(test, { folder, env, timeoutMs }) {
	const script = join(folder, test.replace(/\.ts$/, ".js"));
	const begunMs = performance.now();
	const child = spawn(process.execPath, [...SETUP.slice(0, -1), script], {
		cwd: ROOT,
		// A group of its own, so that what the test has started ends with it.
		detached: true,
		stdio: ["ignore", "pipe", "ignore"],
		env: { ...process.env, NODE_OPTIONS: HITS, TAP_BAIL: "1", TAP_TIMEOUT: "600", ...env },
	});
	running.add(child);
	const outcome = await outcomeOf(child, timeoutMs);
	endGroup(child);
	running.delete(child);
	return { outcome, wallMs: performance.now() - begunMs };
}

function outcomeOf(child, timeoutMs) {
	return new Promise((resolve) => {
		let said = "";
		const timer = setTimeout(() => resolve("timeout"), timeoutMs);
		const end = (outcome) => {
			clearTimeout(timer);
			resolve(outcome);
		};
		child.stdout.setEncoding("utf8").on("data", (chunk) => {
			said += chunk;
			if (FAILED.test(said)) end("failed");
			said = said.slice(said.lastIndexOf("\n") + 1);
		});
		child.on("error", () => end("failed"));
		// What the test has started may hold its output open.
		child.on("exit", (code) => end(code === 0 ? "passed" : "failed"));
	});
}

function endGroup(child) {
	try {
		process.kill(-child.pid, "SIGKILL");
	} catch (error) {
		if (error.code !== "ESRCH") throw error;
	}
}

/** Ends what runs, for a run that is stopped. */
export function endTests() {
	for (const child of running) endGroup(child);
}
