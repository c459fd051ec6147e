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

t.test(
	"feeds list tells each feed, its newest value and its licence, and asks no source",
	async (t) => {
		const lines = await run(t, "feeds", "list");
		t.ok(lines.length >= 100);
		const brent = lines.find((line) => line.startsWith("eia:brent"));
		t.match(brent, /^eia:brent +2026-07-01 +Brent crude oil price +US government work/);
		const [line = ""] = await run(t, "feeds", "list", "--json");
		t.equal(JSON.parse(line).items.length, lines.length);
	},
);

t.test("a feed nobody knows is refused before anybody is asked", async (t) => {
	await t.rejects(run(t, "feeds", "refresh", "eia:brnt"), {
		code: "NOT_FOUND",
		message: /eia:brent/,
	});
	await t.rejects(run(t, "feeds", "list", "--feeds", "sometimes"), { code: "INVALID_ARGUMENT" });
});
