// Our modules and the packages they use in a few files: an installation has no packages of its own to fetch, and most of the time of
// a start goes into finding and opening modules (docs/adr/0040, docs/adr/0079).
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { listPackages, toLicenseText } from "./bundled-packages.mjs";

/** Threads of their own: they are found by their address, beside the module that starts them. */
const WORKERS = [
	"src/knowledge/snapshots/stamp-worker.mjs",
	"src/search/dense/embed-worker.mjs",
	"src/search/judge/judge-worker.mjs",
];

/** Short enough to be found again in a stack. */
const LINE_LENGTH = 200;

/** What packages try to load and can do without. */
const OPTIONAL = ["bufferutil", "pg-native", "utf-8-validate"];

/** Packages of CommonJS ask for Node's own modules by `require`, which a module does not have. */
const REQUIRE = `import { createRequire as createRequireHere } from "node:module";
var require = createRequireHere(import.meta.url);`;

/** What packages find by their own address, as the bundle has it; each must still be there as it was read. */
const REWRITTEN = [
	{
		file: /[\\/]@huggingface[\\/]transformers[\\/]dist[\\/]transformers\.node\.mjs$/,
		from: /requireFromHere\("onnxruntime-node"\)/g,
		to: 'require("onnxruntime-node")',
	},
	{
		file: /[\\/]onnxruntime-node[\\/]dist[\\/]binding\.js$/,
		from: /require\(`\.\.\/bin\/napi-v6\/[^`]*`\)/g,
		to: 'require("tollgraph:onnxruntime").default',
	},
	{
		file: /[\\/]pdfkit[\\/]js[\\/]pdfkit\.node\.mjs$/,
		from: /require\$1\('#standard-fonts\//g,
		to: "require('#standard-fonts/",
	},
];

/** The library of the ONNX runtime: the copy that a package brings (bin/pack-runtime.mjs), else that of onnxruntime-node, where installed. */
const RUNTIME = `import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
const { platform, arch } = process;
const library = "onnxruntime_binding.node";
const dist = import.meta.url.slice(0, import.meta.url.lastIndexOf("/bundle/"));
const shipped = fileURLToPath(\`\${dist}/onnxruntime/\${platform}-\${arch}/\${library}\`);
const installed = \`onnxruntime-node/bin/napi-v6/\${platform}/\${arch}/\${library}\`;
export default createRequire(import.meta.url)(existsSync(shipped) ? shipped : installed);`;

/**
 * Bundles what is compiled below `compiled` into `bundle/`: `main.js` is the command line, `library.js` what programs import, and
 * what is loaded late lies beside. What a module of ours finds beside itself it finds at the same place below `bundle/`.
 */
export async function bundle(compiled) {
	const outdir = join(compiled, "bundle");
	const main = await build(compiled, {
		entryPoints: { main: "./src/cli/main.js", library: "./src/index.js" },
		outdir,
		plugins: [ownAddresses(compiled), asBundled()],
	});
	const workers = await build(compiled, {
		entryPoints: WORKERS.map((path) => `./${path}`),
		outbase: compiled,
		outdir,
		outExtension: { ".js": ".mjs" },
		chunkNames: "workers/[name]-[hash]",
		plugins: [asBundled()],
	});
	const packages = await listPackages(compiled, [main, workers]);
	const list = packages.map(({ name, version, license }) => ({ name, version, license }));
	await writeFile(join(outdir, "packages.json"), `${JSON.stringify(list, undefined, "\t")}\n`);
	await writeFile(join(outdir, "LICENSES.txt"), toLicenseText(packages));
}

async function build(compiled, options) {
	// Needed for building only; an installed package comes without it.
	const esbuild = await import("esbuild");
	const { metafile } = await esbuild.build({
		...options,
		// Written beside each module in the bundle, which must not name the folder it was built in.
		absWorkingDir: compiled,
		bundle: true,
		splitting: true,
		metafile: true,
		external: OPTIONAL,
		platform: "node",
		format: "esm",
		target: "node20",
		banner: { js: REQUIRE },
		legalComments: "none",
		// What is loaded stays in memory as text, comments too. Names stay as they are.
		minifyWhitespace: true,
		lineLimit: LINE_LENGTH,
		sourcemap: "linked",
		sourcesContent: false,
		logLevel: "warning",
	});
	await assertDefaults(compiled, metafile);
	for (const path of Object.keys(metafile.outputs)) {
		if (/\.m?js$/.test(path)) await escapeWide(join(compiled, path));
	}
	return metafile;
}

/**
 * Of one character beyond Latin-1, V8 keeps the whole file in two bytes a character. esbuild escapes them in strings; those left stand in
 * regular expressions, where the escape means the same.
 */
async function escapeWide(file) {
	const text = await readFile(file, "utf8");
	const escaped = text.replace(
		/[\u0100-\uffff]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	if (escaped !== text) await writeFile(file, escaped);
}

const DEFAULT_TAKEN = /\{ default: [\w$]+ \} = await import\("([^"]+)"\)/g;
/** Of these packages what is loaded late is never asked for. */
const UNASKED = /node_modules[\\/]@opentelemetry[\\/]resources[\\/]/;

/**
 * Throws where something of CommonJS that is loaded late is not taken as `const { default: name } = await import("…")`: of it a bundle
 * has the default export alone, whatever names Node would find.
 */
async function assertDefaults(compiled, { inputs, outputs }) {
	const bundled = Object.values(outputs).filter(({ exports }) => exports.join() === "default");
	const files = new Set(bundled.map(({ entryPoint }) => entryPoint));
	for (const [path, { imports }] of Object.entries(inputs)) {
		const late = imports.filter(({ kind, path: to }) => kind === "dynamic-import" && files.has(to));
		if (late.length === 0 || UNASKED.test(path)) continue;
		const text = await readFile(join(compiled, path), "utf8");
		const taken = [...text.matchAll(DEFAULT_TAKEN)].map(([, name]) => name);
		for (const name of new Set(late.map(({ original }) => original))) {
			const asked = text.split(`import("${name}")`).length - 1;
			if (taken.filter((one) => one === name).length !== asked)
				throw new Error(`${path} must take the default export of ${name}, and nothing else.`);
		}
	}
}

/**
 * Styles and scripts of the pages, from the files of `folder` that are named `<name>.page.ts` or `<name>.page.css`, small and under
 * names that change with their content; `assets.json` leads from `<name>.js` or `<name>.css` to each and to its integrity.
 */
export async function bundlePages(folder, outdir) {
	const esbuild = await import("esbuild");
	const entries = readdirSync(folder).filter((name) => /\.page\.(?:tsx?|css)$/.test(name));
	const { metafile } = await esbuild.build({
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

/** Every module of ours keeps the address it was compiled to, below the bundle. */
function ownAddresses(compiled) {
	return {
		name: "own-addresses",
		setup({ onLoad }) {
			onLoad({ filter: /\.js$/ }, async ({ path }) => {
				const place = relative(compiled, path);
				if (place.startsWith("..") || place.includes("node_modules")) return undefined;
				const contents = await readFile(path, "utf8");
				if (!contents.includes("import.meta.url")) return undefined;
				const address = `./${place.split(sep).map(encodeURIComponent).join("/")}`;
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

/** Packages that look for files of theirs, and those whose work is never asked for. */
function asBundled() {
	return {
		name: "as-bundled",
		setup({ onLoad, onResolve }) {
			for (const { file, from, to } of REWRITTEN) {
				onLoad({ filter: file }, async ({ path }) => {
					const contents = await readFile(path, "utf8");
					if (contents.search(from) < 0) throw new Error(`${path} no longer has ${from}`);
					return { contents: contents.replaceAll(from, to) };
				});
			}
			// Pictures: no model here reads any.
			onResolve({ filter: /^sharp$/ }, ({ path }) => ({ path, namespace: "empty" }));
			onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "export default {};" }));
			onResolve({ filter: /^tollgraph:onnxruntime$/ }, ({ path }) => ({
				path,
				namespace: "runtime",
			}));
			onLoad({ filter: /.*/, namespace: "runtime" }, () => ({
				contents: RUNTIME,
				loader: "js",
			}));
		},
	};
}
