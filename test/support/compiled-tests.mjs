import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const FOLDERS = ["agent-card", "bench", "client", "payments", "skills", "src", "store", "test"];

/**
 * All sources and tests without their types, in a folder beside `dist` that belongs to this process: a loader that takes types off
 * on the fly costs each of the hundreds of processes of a run seconds of work. Source maps lead back to the sources.
 * `contentOf` may put another text in a source's place.
 */
export async function compileTests({ contentOf } = {}) {
	removeDeserted();
	const folder = join(ROOT, `dist.test-${process.pid}`);
	const files = FOLDERS.flatMap((name) => filesBelow(name));
	await build({
		entryPoints: files.filter((file) => /(?<!\.d)\.tsx?$/.test(file)),
		absWorkingDir: ROOT,
		outbase: ROOT,
		outdir: folder,
		format: "esm",
		target: "node20",
		sourcemap: "linked",
		sourcesContent: false,
		logLevel: "warning",
		tsconfigRaw: {
			compilerOptions: {
				verbatimModuleSyntax: true,
				jsx: "react-jsx",
				jsxImportSource: "preact",
			},
		},
		plugins: contentOf ? [replacing(contentOf)] : [],
	});
	for (const file of files.filter((file) => /\.mjs$/.test(file))) {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		cpSync(join(ROOT, file), join(folder, file));
	}
	return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function replacing(contentOf) {
	return {
		name: "replacing",
		setup({ onLoad }) {
			onLoad({ filter: /\.ts$/ }, ({ path }) => {
				const contents = contentOf(path.slice(ROOT.length + 1));
				return contents === undefined ? undefined : { contents, loader: "ts" };
			});
		},
	};
}

/** All tests, or those whose path has one of these in it. Throws where no path has. */
export function findTests(parts) {
	const all = filesBelow("test").filter((file) => file.endsWith(".test.ts"));
	if (parts.length === 0) return all;
	const wanted = parts.map((part) => part.replace(/^\.\//, ""));
	for (const part of wanted) {
		if (!all.some((file) => file.includes(part)))
			throw new Error(`No test has "${part}" in its path.`);
	}
	return all.filter((file) => wanted.some((part) => file.includes(part)));
}

export function filesBelow(name) {
	return readdirSync(join(ROOT, name), { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
		.sort();
}

/** What runs that were killed have left: their own folder, a build's, and what tests had in theirs, which are named after it. */
function removeDeserted() {
	for (const folder of [ROOT, join(ROOT, ".tap", "fixtures")]) {
		if (!existsSync(folder)) continue;
		for (const name of readdirSync(folder)) {
			const [, pid] = /^dist\.(?:test|new|old)-(\d+)/.exec(name) ?? [];
			if (pid === undefined || isRunning(Number(pid))) continue;
			rmSync(join(folder, name), { recursive: true, force: true });
		}
	}
}

function isRunning(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === "EPERM";
	}
}
