import { join } from "node:path";
import t, { type Test } from "tap";
import { createProgram } from "../../src/cli/program.js";

/** Runs one command of this process; gives what it printed to stdout. */
async function run(t: Test, ...args: string[]): Promise<string[]> {
	const lines: string[] = [];
	const terminal = {
		data: (line: string) => void lines.push(line),
		stream: async () => undefined,
		say: () => undefined,
		status: () => undefined,
	};
	const folder = t.testdir({});
	const program = createProgram({ terminal, environment: {}, folder, startedMs: 0 }, "0.0.0");
	await program.parseAsync([...args, "--data", join(folder, "data")], { from: "user" });
	return lines;
}

t.test("models list names the model in use first, with its size", async (t) => {
	const [first, second] = await run(t, "models", "list");
	t.match(first, /^\* +bundled +ready +256 dimensions +\d+\.\d MB +Apache-2\.0$/);
	t.match(second, /hub:Xenova\/all-MiniLM-L6-v2 +known +384 dimensions/);
});

t.test("models list says what is wrong with the model in use", async (t) => {
	const [line = ""] = await run(t, "models", "list", "--json", "--model", "hub:nobody/nothing");
	const { items } = JSON.parse(line);
	t.match(items[1], {
		model: "hub:nobody/nothing",
		state: "unusable",
		is_active: true,
		reason: /has not been fetched: run tollgraph models fetch nobody\/nothing/,
	});
});

t.test("an id that is none is refused before anybody is asked", async (t) => {
	await t.rejects(run(t, "models", "fetch", "gte-small"), { code: "INVALID_ARGUMENT" });
	await t.rejects(run(t, "models", "list", "--model", "gte-small"), { code: "INVALID_ARGUMENT" });
});
