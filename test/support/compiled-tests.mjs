import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const FOLDERS = ["agent-card", "bench", "payments", "skills", "src", "store", "test"];
const PREFIX = "dist.test-";

/**
 * All sources and tests without their types, in a folder beside `dist` that belongs to this process: a loader that takes types off
 * on the fly costs each of the hundreds of processes of a run seconds of work. Source maps lead back to the sources.
 */
export async function compileTests() {
	removeDeserted();
	const folder = join(ROOT, `${PREFIX}${process.pid}`);
	const files = FOLDERS.flatMap((name) => filesBelow(name));
	await build({
		entryPoints: files.filter((file) => /(?<!\.d)\.ts$/.test(file)),
		absWorkingDir: ROOT,
		outbase: ROOT,
		outdir: folder,
		format: "esm",
		target: "node20",
		sourcemap: "linked",
		sourcesContent: false,
		logLevel: "warning",
		tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
	});
	for (const file of files.filter((file) => /\.mjs$/.test(file))) {
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		cpSync(join(ROOT, file), join(folder, file));
	}
	return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Of all tests, those at or below one of the paths; of a path's end, so that a part of a name will do. */
export function findTests(paths) {
	const all = filesBelow("test").filter((file) => file.endsWith(".test.ts"));
	if (paths.length === 0) return all;
	const wanted = paths.map((path) => path.replace(/^\.\//, ""));
	return all.filter((file) => wanted.some((path) => file.includes(path)));
}

function filesBelow(name) {
	return readdirSync(join(ROOT, name), { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
		.sort();
}

/** What runs that were killed have left. */
function removeDeserted() {
	for (const name of readdirSync(ROOT)) {
		if (!name.startsWith(PREFIX) || isRunning(Number(name.slice(PREFIX.length)))) continue;
		rmSync(join(ROOT, name), { recursive: true, force: true });
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
