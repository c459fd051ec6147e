import t from "tap";

/**
 * Runs each script as a test of the runner's library, so many at once; resolves to the exit status, 0 when all passed. The
 * runner's command line would put three module loaders into each process, more than most tests need.
 */
export async function runScripts(scripts, { jobs, nodeArgs, cwd, timeoutSeconds }) {
	t.setTimeout(0);
	t.jobs = jobs;
	endWithUs();
	const env = { ...process.env, TAP_TIMEOUT: String(timeoutSeconds) };
	const ends = scripts.map(({ name, script }) =>
		// The library names its loader to every process in this variable, and they to those they start.
		t.spawn("env", ["NODE_OPTIONS=", process.execPath, ...nodeArgs, script], {
			name,
			cwd,
			env,
			at: null,
			stack: "",
			buffered: jobs > 1,
			timeout: timeoutSeconds * 1000,
		}),
	);
	await Promise.all(ends);
	t.end();
	return t.passing() ? 0 : 1;
}

/** A signal reaches what was started, which ends what it has started itself. */
function endWithUs() {
	const running = new Set();
	t.on("spawn", (test) => {
		test.on("process", (child) => {
			running.add(child);
			child.once("exit", () => running.delete(child));
		});
	});
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
		process.once(signal, () => {
			for (const child of running) child.kill(signal);
			process.exit(1);
		});
	}
}
