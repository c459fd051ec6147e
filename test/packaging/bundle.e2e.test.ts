import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

/** Where this run's compiled sources are. */
const compiled = join(import.meta.dirname, "..", "..");

t.test("a bundle loads where no package is installed", async (t) => {
	const { bundle } = (await import(
		pathToFileURL(join(PACKAGE_ROOT, "bin", "bundle.mjs")).href
	)) as { readonly bundle: (compiled: string) => Promise<void> };
	await bundle(compiled);
	const made = join(compiled, "bundle");
	t.teardown(() => rmSync(made, { recursive: true, force: true }));
	const folder = mkdtempSync(join(tmpdir(), "tollgraph-bundle-"));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	cpSync(made, join(folder, "dist", "bundle"), { recursive: true });
	cpSync(join(PACKAGE_ROOT, "package.json"), join(folder, "package.json"));

	const loading = `for (const file of process.argv.slice(1)) await import(file);
const { createApp, ServiceError } = await import("./dist/bundle/library.js");
const { main } = await import("./dist/bundle/main.js");
process.stdout.write([typeof createApp, typeof ServiceError, ""].join(" "));
await main(["--version"]);`;
	const files = readdirSync(join(folder, "dist", "bundle"))
		.filter((name) => name.endsWith(".js"))
		.map((name) => `./dist/bundle/${name}`);
	t.ok(files.length > 20, "what is loaded late lies beside");
	const args = ["--input-type=module", "-e", loading, ...files];
	const { stdout, stderr, status } = spawnSync(process.execPath, args, {
		cwd: folder,
		encoding: "utf8",
	});
	t.equal(status, 0, stderr);
	t.match(stdout, /^function function \d+\.\d+\.\d+/);

	const scripts = readdirSync(made, { recursive: true, encoding: "utf8" }).filter((name) =>
		/\.m?js$/.test(name),
	);
	for (const name of scripts) {
		t.notMatch(
			readFileSync(join(made, name), "utf8"),
			/[\u0100-\uffff]/,
			`${name} takes a byte a character`,
		);
	}

	const packages = JSON.parse(readFileSync(join(made, "packages.json"), "utf8")) as {
		readonly name: string;
		readonly license: string;
	}[];
	const names = packages.map(({ name }) => name);
	for (const name of ["express", "viem", "onnxruntime-node", "@huggingface/transformers"]) {
		t.ok(names.includes(name), name);
	}
	t.notOk(names.includes("sharp") || names.includes("esbuild"));
	const texts = readFileSync(join(made, "LICENSES.txt"), "utf8");
	for (const { name } of packages) t.ok(texts.includes(`\n${name} `), `${name} with its license`);
	t.end();
});
