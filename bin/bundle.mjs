// One file instead of a thousand for the command line: most of the time of a start went into finding and opening modules.
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";

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

/**
 * Styles and scripts of the pages, from the files of `folder` that are named `<name>.page.ts` or `<name>.page.css`, small and under
 * names that change with their content; `assets.json` leads from `<name>.js` or `<name>.css` to each and to its integrity.
 */
export async function bundlePages(folder, outdir) {
	const { build } = await import("esbuild");
	const entries = readdirSync(folder).filter((name) => /\.page\.(?:tsx?|css)$/.test(name));
	const { metafile } = await build({
		entryPoints: entries.map((name) => join(folder, name)),
		absWorkingDir: folder,
		outdir,
		entryNames: "[name]-[hash]",
		chunkNames: "part-[hash]",
		bundle: true,
		splitting: true,
		minify: true,
		metafile: true,
		platform: "browser",
		format: "esm",
		// Browsers of the last two years: `light-dark()`, `:has()`, nesting.
		target: ["chrome123", "firefox120", "safari17.5"],
		jsx: "automatic",
		jsxImportSource: "preact",
		logLevel: "warning",
	});
	const assets = {};
	for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
		const file = basename(path);
		const sha256 = createHash("sha256").update(await readFile(join(outdir, file)));
		const name = entryPoint?.replace(/\.page\.tsx?$/, ".js").replace(/\.page\.css$/, ".css");
		assets[name ?? file] = { file, integrity: `sha256-${sha256.digest("base64")}` };
	}
	await writeFile(join(outdir, "assets.json"), JSON.stringify(assets));
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
