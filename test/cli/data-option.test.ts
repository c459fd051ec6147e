import { existsSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { createProgram } from "../../src/cli/main.js";

t.test("--data is understood at any place of the line", async (t) => {
	const folder = t.testdir({});
	const said: string[] = [];
	const terminal = {
		data: (line: string) => void said.push(line),
		stream: async () => undefined,
		say: () => undefined,
		status: () => undefined,
	};
	const places = [
		(data: string[]) => [...data, "ledger", "verify"],
		(data: string[]) => ["ledger", ...data, "verify"],
		(data: string[]) => ["ledger", "verify", ...data],
		(data: string[]) => ["ledger", "payouts", ...data],
		(data: string[]) => ["ledger", ...data, "refunds", "requests"],
		(data: string[]) => ["ledger", "refunds", ...data, "requests"],
		(data: string[]) => ["ledger", "refunds", "requests", ...data],
		(data: string[]) => ["ledger", ...data, "export"],
		(data: string[]) => ["spt", ...data, "list"],
		(data: string[]) => ["graphs", ...data, "list"],
	];
	for (const [place, toLine] of places.entries()) {
		const data = join(folder, `data-${place}`);
		const line = [...toLine(["--data", data]), "--catalog", "none", "--model", "none"];
		const program = createProgram({ terminal, environment: {}, folder, startedMs: 0 }, "0.0.0");
		await program.parseAsync(line, { from: "user" });
		t.ok(existsSync(join(data, "journal")), line.slice(0, 5).join(" "));
	}
	t.notOk(existsSync(join(folder, ".tollgraph")));
});
