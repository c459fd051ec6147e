import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { createProgram } from "../../src/cli/main.js";
import type { Line } from "../../src/cli/output.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { readSettings } from "../../src/settings/read-settings.js";
import { SETTING_ROWS } from "../../src/settings/setting-rows.js";

async function printSettings(...args: string[]): Promise<string> {
	const lines: Line[] = [];
	const nothing = () => undefined;
	const terminal = {
		data: (line: Line) => void lines.push(line),
		stream: async () => undefined,
		say: nothing,
		status: nothing,
	};
	const program = createProgram({ terminal, environment: {}, folder: "/", startedMs: 0 }, "0.0.0");
	await program.parseAsync(["settings", ...args], { from: "user" });
	return lines.join("\n");
}

t.test("settings prints a file that sets nothing, and with its defaults the same", async (t) => {
	const text = await printSettings();
	t.equal(parse(text), null, "every setting stands behind #");
	const uncommented = text.replaceAll(/^#(?=[a-z])/gm, "");
	const keys = SETTING_ROWS.map(({ key }) => key as string);
	t.same(Object.keys(parse(uncommented)).sort(), [...keys, "prices"].sort());
	const read = (file: string) => {
		const folder = t.testdir({ "tollgraph.config.yaml": file });
		return readSettings({ flags: {}, environment: {}, folder });
	};
	t.same(read(uncommented.replace(/^prices: .*/m, "")), read(""));
	t.match(text, /--rpc-url, TOLLGRAPH_RPC_URL/);
});

t.test("settings --json has all of them", async (t) => {
	t.same(JSON.parse(await printSettings("--json")).settings, SETTING_ROWS);
});

t.test("every variable that the software reads is in the reference", (t) => {
	const documented = readFileSync(join(PACKAGE_ROOT, "docs", "configuration.md"), "utf8");
	const src = join(PACKAGE_ROOT, "src");
	const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) =>
		name.endsWith(".ts"),
	);
	const named = files.flatMap(
		(name) =>
			readFileSync(join(src, name), "utf8").match(/(?<=nvironment\[")TOLLGRAPH_[A-Z_]+/g) ?? [],
	);
	t.ok(named.length >= 3);
	t.same(
		[...new Set(named)].filter((name) => !documented.includes(`\`${name}\``)),
		[],
	);
	t.end();
});
