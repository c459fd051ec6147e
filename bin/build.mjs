#!/usr/bin/env node
// Compiles and bundles the sources into dist/, when they are newer than what is there.
import { execFileSync } from "node:child_process";
import {
	cpSync,
	existsSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, bundlePages } from "./bundle.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = ["agent-card", "src", "skills", "payments", "store"];
const stamp = join(root, "dist", ".built");

/** Newest change below a folder, in milliseconds. */
function newestChange(path) {
	const stat = statSync(path);
	if (!stat.isDirectory()) return stat.mtimeMs;
	return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

function isStale() {
	// An installed package ships dist/ without sources to compare with.
	if (!existsSync(join(root, "tsconfig.build.json"))) return false;
	if (!existsSync(stamp)) return true;
	const built = statSync(stamp).mtimeMs;
	// The packages are in it, too.
	const settings = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
	return [...sources, "bin", ...settings].some((name) => newestChange(join(root, name)) > built);
}

function isCatalogStale() {
	if (!existsSync(join(root, "tsconfig.build.json"))) return false;
	const shipped = statSync(join(root, "dist", "catalog"), { throwIfNoEntry: false });
	return !shipped || newestChange(join(root, "graphs")) > shipped.mtimeMs;
}

/** Compiles into a folder beside, then swaps: a failed build leaves the old one, and two at once do not mix. */
async function build() {
	const fresh = join(root, `dist.new-${process.pid}`);
	// What changes from now on may not be in it.
	const begun = new Date();
	try {
		compile("tsconfig.build.json", fresh);
		await bundle(fresh);
		await bundlePages(join(root, "src", "web", "ui"), join(fresh, "web"));
		shipCatalog(fresh);
		writeFileSync(join(fresh, ".built"), "");
		utimesSync(join(fresh, ".built"), begun, begun);
		swap(fresh, join(root, "dist"), join(root, `dist.old-${process.pid}`));
	} finally {
		rmSync(fresh, { recursive: true, force: true });
	}
}

/**
 * Reads the sample catalog once, so that a first start need not parse it (docs/adr/0087); in a process of its own, since this one may
 * serve afterwards. `compiled` are the sources to read it with.
 */
function shipCatalog(compiled) {
	const fresh = join(compiled, `catalog.new-${process.pid}`);
	const begun = new Date();
	try {
		execFileSync(process.execPath, [join(root, "bin", "ship-catalog.mjs"), compiled, fresh], {
			stdio: ["ignore", 2, 2],
		});
		utimesSync(fresh, begun, begun);
		swap(fresh, join(compiled, "catalog"), join(compiled, `catalog.old-${process.pid}`));
	} finally {
		rmSync(fresh, { recursive: true, force: true });
	}
}

/** Puts `fresh` in `place`, unless another process has done the same between the two renames. */
function swap(fresh, place, aside) {
	renameUnless(["ENOENT"], place, aside);
	renameUnless(["ENOTEMPTY", "EEXIST"], fresh, place);
	rmSync(aside, { recursive: true, force: true });
}

function renameUnless(codes, from, to) {
	try {
		renameSync(from, to);
	} catch (error) {
		if (!codes.includes(error.code)) throw error;
	}
}

/** Ends the process with a word on stderr when the sources do not compile. */
export function compile(project, outDir) {
	const tsc = join(root, "node_modules", "@typescript", "native", "bin", "tsc");
	try {
		execFileSync(process.execPath, [tsc, "-p", project, "--outDir", outDir], {
			cwd: root,
			// stdout belongs to the calling program: one JSON line, and nothing else.
			stdio: ["ignore", 2, 2],
		});
	} catch {
		rmSync(outDir, { recursive: true, force: true });
		process.stderr.write("tollgraph: the sources do not compile.\n");
		process.exit(1);
	}
	for (const folder of sources) copyScripts(join(root, folder), join(outDir, folder));
}

/** Worker scripts in plain JavaScript are not the compiler's business. */
function copyScripts(from, to) {
	for (const entry of readdirSync(from, { withFileTypes: true })) {
		const [source, target] = [join(from, entry.name), join(to, entry.name)];
		if (entry.isDirectory()) copyScripts(source, target);
		else if (entry.name.endsWith(".mjs")) cpSync(source, target);
	}
}

export async function buildWhenStale() {
	if (isStale()) await build();
	else if (isCatalogStale()) shipCatalog(join(root, "dist"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
