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
	const [fresh, old] = [
		join(root, `dist.new-${process.pid}`),
		join(root, `dist.old-${process.pid}`),
	];
	// What changes from now on may not be in it.
	const begun = new Date();
	compile("tsconfig.build.json", fresh);
	await bundle(fresh);
	await bundlePages(join(root, "src", "web", "ui"), join(fresh, "web"));
	shipCatalog(fresh);
	writeFileSync(join(fresh, ".built"), "");
	utimesSync(join(fresh, ".built"), begun, begun);
	if (existsSync(join(root, "dist"))) renameSync(join(root, "dist"), old);
	renameSync(fresh, join(root, "dist"));
	rmSync(old, { recursive: true, force: true });
}

/**
 * Reads the sample catalog once, so that a first start need not parse it (docs/adr/0087); in a process of its own, since this one may
 * serve afterwards. `compiled` are the sources to read it with.
 */
function shipCatalog(compiled) {
	const [fresh, old] = [join(compiled, `catalog.new-${process.pid}`), join(compiled, "catalog")];
	const begun = new Date();
	execFileSync(process.execPath, [join(root, "bin", "ship-catalog.mjs"), compiled, fresh], {
		stdio: ["ignore", 2, 2],
	});
	utimesSync(fresh, begun, begun);
	rmSync(old, { recursive: true, force: true });
	try {
		renameSync(fresh, old);
	} catch (error) {
		// Another start has just put there what it read of the same files.
		if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
		rmSync(fresh, { recursive: true });
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
