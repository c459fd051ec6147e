import { once } from "node:events";
import t from "tap";

/** What the library takes for the reason of a file that runs no test and says nothing of it. */
const SAID_NOTHING = "no tests found";

/** A file that takes so long hangs: far more than any takes on a machine that is slow and shared by many. */
export const HANGS_SECONDS = 1_200;

/** So long the tests that run when a run is stopped may take to end what they have started. */
const ENDING_MS = 15_000;

/**
 * Runs each script, with variables of its own where it names some, as a test of the runner's library, so many at once; resolves to
 * the exit status, 0 when all passed. The runner's command line would put three module loaders into each process, more than most
 * tests need.
 */
export async function runScripts(scripts, { jobs, nodeArgs, cwd, timeoutSeconds, onFailed }) {
	t.setTimeout(0);
	t.jobs = jobs;
	endWithUs();
	const env = { ...process.env, TAP_TIMEOUT: String(timeoutSeconds) };
	const ends = scripts.map(async (one) => {
		const { name, script } = one;
		// The library names its loader to every process in this variable, and they to those they start.
		const args = ["NODE_OPTIONS=", process.execPath, ...nodeArgs, script];
		const results = await t.spawn("env", args, {
			name,
			cwd,
			env: { ...env, ...one.env },
			at: null,
			stack: "",
			buffered: jobs > 1,
			timeout: timeoutSeconds * 1000,
		});
		if (!results?.ok) onFailed?.(one);
		return { name, hasTests: results?.plan.skipReason !== SAID_NOTHING };
	});
	const ended = await Promise.all(ends);
	for (const { name, hasTests } of ended)
		if (!hasTests) t.fail(`${name} runs no test`, { at: null });
	t.end();
	return t.passing() ? 0 : 1;
}

/** Anyone who is stopped ends what they run first, as if its time were over: what tests have registered a teardown for ends. */
function endWithUs() {
	const running = new Set();
	let isStopped = false;
	t.on("spawn", (test) => {
		test.on("process", (child) => {
			running.add(child);
			child.once("exit", () => running.delete(child));
			if (isStopped) child.kill("SIGKILL");
		});
	});
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
		// For good: the library takes a signal that no one listens to any more for the end.
		process.on(signal, async () => {
			if (isStopped) return;
			isStopped = true;
			setTimeout(() => process.exit(1), ENDING_MS);
			await Promise.all([...running].map((child) => endOne(child)));
			process.exit(1);
		});
	}
}

function endOne(child) {
	child.kill("SIGALRM");
	return once(child, "exit");
}
