import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

const run = promisify(execFile);
const ENTRIES = {
	"@tollgraph/client": join(PACKAGE_ROOT, "client/src/index.ts"),
	"@tollgraph/client/wallet": join(PACKAGE_ROOT, "client/src/wallet.ts"),
};

/** A program as its reader would run it, with the client of this checkout in place of the installed one; its file is written below the folder. */
export async function bundleProgram(source: string, folder: string): Promise<string> {
	const outfile = join(folder, "program.mjs");
	const isFile = /\.m?ts$|\.mjs$/.test(source);
	await build({
		...(isFile
			? { entryPoints: [source] }
			: { stdin: { contents: source, loader: "ts", resolveDir: PACKAGE_ROOT } }),
		absWorkingDir: PACKAGE_ROOT,
		outfile,
		bundle: true,
		format: "esm",
		platform: "node",
		target: "node20",
		plugins: [
			{
				name: "own-client",
				setup({ onResolve }) {
					onResolve({ filter: /^[^./]/ }, ({ path }) => {
						if (path.startsWith(PACKAGE_ROOT)) return undefined;
						const own = ENTRIES[path as keyof typeof ENTRIES];
						return own ? { path: own } : { path, external: true };
					});
				},
			},
		],
		tsconfigRaw: {},
		logLevel: "silent",
	});
	return outfile;
}

/** What it says on stdout. */
export async function runProgram(
	file: string,
	args: readonly string[],
	env: Readonly<Record<string, string>> = {},
	cwd = PACKAGE_ROOT,
): Promise<string> {
	const { stdout } = await run(process.execPath, [file, ...args], {
		cwd,
		// The test runner's own loader would slow the start.
		env: { ...process.env, NODE_OPTIONS: "", ...env },
	});
	return stdout;
}
