import { join } from "node:path";
import type { Test } from "tap";
import { createProgram } from "../../src/cli/main.js";
import type { Line } from "../../src/cli/output.js";

/** Runs one command of this process; gives what it printed to stdout. */
export async function runCommand(t: Test, ...args: string[]): Promise<string[]> {
	const lines: string[] = [];
	const terminal = {
		data: (line: Line) => void lines.push(typeof line === "string" ? line : line.text),
		stream: async () => undefined,
		say: () => undefined,
		status: () => undefined,
	};
	const folder = t.testdir({});
	const program = createProgram({ terminal, environment: {}, folder, startedMs: 0 }, "0.0.0");
	await program.parseAsync([...args, "--data", join(folder, "data")], { from: "user" });
	return lines;
}
