import { execFileSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { createProgress } from "../../src/cli/output.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { runTollgraph } from "../support/server-process.js";
import { runCommand } from "./run-command.js";

const ESCAPE = "\u001b[";

t.test("help shows a command's own options and examples, settings on request", async (t) => {
	const { code, stdout } = await runTollgraph(["import", "--help"]);
	t.equal(code, 0);
	t.match(stdout, /--source-url .*--data /s, "its own options stand first");
	t.notMatch(stdout, /--rpc-url|--requests-per-minute/);
	t.equal(stdout.match(/^ {2}\$ tollgraph import /gm)?.length, 3);
	const all = await runTollgraph(["import", "--help-all"]);
	t.equal(all.code, 0, "though --as and the source are missing");
	t.match(all.stdout, /--source-url .*--data .*--rpc-url /s);
	t.notMatch(all.stdout, /--help-all/);
	t.match((await runTollgraph(["serve", "--help"])).stdout, /--rpc-url/);
});

t.test("shells complete commands and their own options", async (t) => {
	for (const shell of ["bash", "zsh", "fish"]) {
		const { code, stdout } = await runTollgraph(["completion", shell]);
		t.equal(code, 0, shell);
		t.match(stdout, /tollgraph complete --/, shell);
	}
	const { stdout } = await runTollgraph(["completion", "bash"]);
	t.doesNotThrow(() => execFileSync("bash", ["-n"], { input: stdout }), "bash can read it");
	const complete = async (...words: string[]) =>
		(await runTollgraph(["complete", "--", ...words])).stdout;
	t.match(await complete("ledger", "rep"), /^report\t/m);
	const options = await complete("import", "./notes", "--t");
	t.match(options, /^--title\b/m);
	t.notMatch(await complete("import", "./notes", "--r"), /--rpc-url/);
	t.equal((await runTollgraph(["completion", "tcsh"])).code, 2);
});

t.test("lists name their columns, and an empty one says what fills it", async (t) => {
	const list = (...command: string[]) => runCommand(t, ...command, "--catalog", "none");
	t.match(await list("graphs", "list"), [/^No graph is on sale.*tollgraph import/]);
	t.match(await list("spt", "list"), [/tollgraph spt issue/]);
	t.match(await list("keys", "list"), [/tollgraph keys create/]);
	t.match(await list("accounts", "list"), [/tollgraph keys create/]);
	t.match(await list("tokens", "list"), [/tollgraph tokens create/]);
	t.match(await list("ledger", "refunds"), [/no refunds/]);
	const [head, first] = await runCommand(t, "graphs", "list");
	t.match(head, /^id +type +nodes +title$/);
	t.match(first, /^agent-payments +/);
});

t.test("colors are for terminals, and not where NO_COLOR is set", async (t) => {
	const run = (environment: Record<string, string>) =>
		execFileSync(
			process.execPath,
			[join(PACKAGE_ROOT, "bin/tollgraph.mjs"), "feeds", "list", "--data", t.testdir({})],
			{ env: { PATH: process.env["PATH"], ...environment }, encoding: "utf8" },
		);
	t.notMatch(run({}), ESCAPE, "a pipe is no terminal");
	t.match(run({ FORCE_COLOR: "1" }), ESCAPE);
	t.notMatch(run({ NO_COLOR: "1" }), ESCAPE);
});

t.test("long work says what remains, at the pace so far", async (t) => {
	const lines: string[] = [];
	let ms = 0;
	const progress = createProgress({ status: (line) => void lines.push(line) }, "Reading", {
		monotonicMs: () => ms,
	});
	for (const [done, at] of [
		[0, 0],
		[10, 1_000],
		[20, 2_000],
		[50, 5_000],
		[100, 10_000],
	] as const) {
		ms = at;
		progress({ done, total: 100 });
	}
	ms = 10_000;
	progress({ done: 0, total: 4_000, stage: "vectors" });
	ms = 13_000;
	progress({ done: 10, total: 4_000, stage: "vectors" });
	t.same(lines, [
		"Reading 0/100",
		"Reading 10/100",
		"Reading 20/100, about 8 s left",
		"Reading 50/100, about 5 s left",
		"Reading 100/100\n",
		"Embedding 0/4000",
		"Embedding 10/4000, about 20 min left",
	]);
});
