// One file instead of a thousand for the command line: most of the time of a start went into finding and opening modules.
import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/**
 * Bundles the compiled command line below `compiled` into `bundle/main.js`, and what is loaded late into files beside it; packages
 * stay outside. What a module finds beside itself (a worker's script, the package's root) it still finds there.
 */
export async function bundle(compiled) {
	// Needed for building only; an installed package comes without it.
	const { build } = await import("esbuild");
	const outdir = join(compiled, "bundle");
	await build({
		entryPoints: [join(compiled, "src", "cli", "main.js")],
		// Written beside each module in the bundle, which must not name the folder it was built in.
		absWorkingDir: compiled,
		outdir,
		bundle: true,
		splitting: true,
		packages: "external",
		platform: "node",
		format: "esm",
		target: "node20",
		sourcemap: "linked",
		sourcesContent: false,
		logLevel: "warning",
		plugins: [ownAddresses(outdir)],
	});
}

/** Every module keeps the address it was compiled to. */
function ownAddresses(outputFolder) {
	return {
		name: "own-addresses",
		setup({ onLoad }) {
			onLoad({ filter: /\.js$/ }, async ({ path }) => {
				const contents = await readFile(path, "utf8");
				if (!contents.includes("import.meta.url")) return undefined;
				const address = relative(outputFolder, path).split(sep).map(encodeURIComponent).join("/");
				return {
					contents: contents.replaceAll(
						"import.meta.url",
						`new URL(${JSON.stringify(address)}, import.meta.url).href`,
					),
				};
			});
		},
	};
}
