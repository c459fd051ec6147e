import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { instrument } from "./instrument.js";
import type { TracedFunction } from "./trace-summary.js";

/** What a checkout brings to its own build: where its folders lie is its own matter. */
interface OwnBuild {
	readonly compile: (project: string, outDir: string) => void;
	readonly bundle: (compiled: string) => Promise<void>;
}

/** What the folder of the copy makes itself. A package without the compiler's settings is not built again by its start. */
const OWN_ENTRIES = /^(\.git|bin|dist.*|package\.json|tsconfig\.build\.json)$/;

/**
 * Lays out in `folder` what installing the checkout would lay out, with compiled code that reports which functions it enters; the
 * checkout itself is only read. Returns the functions by their ids.
 */
export async function makeTracedPackage(root: string, folder: string): Promise<TracedFunction[]> {
	mkdirSync(folder, { recursive: true });
	for (const name of ["bin", "package.json"]) {
		cpSync(join(root, name), join(folder, name), { recursive: true });
	}
	for (const name of readdirSync(root)) {
		if (!OWN_ENTRIES.test(name)) symlinkSync(join(root, name), join(folder, name));
	}
	const { compile, bundle } = await ownBuild(root);
	const dist = join(folder, "dist");
	compile("tsconfig.build.json", dist);
	const functions: TracedFunction[] = [];
	for (const path of compiledBelow(dist)) {
		functions.push(...instrumentFile(path, { root, dist, firstId: functions.length }));
	}
	await bundle(dist);
	return functions;
}

async function ownBuild(root: string): Promise<OwnBuild> {
	const load = (name: string) => import(pathToFileURL(join(root, "bin", name)).href);
	const [{ compile }, { bundle }] = await Promise.all([load("build.mjs"), load("bundle.mjs")]);
	return { compile, bundle };
}

function compiledBelow(dist: string): string[] {
	return readdirSync(dist, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile() && /\.m?js$/.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
}

interface CompiledPlace {
	readonly root: string;
	readonly dist: string;
	readonly firstId: number;
}

function instrumentFile(path: string, { root, dist, firstId }: CompiledPlace): TracedFunction[] {
	const { code, functions } = instrument(readFileSync(path, "utf8"), firstId);
	writeFileSync(path, code);
	// Scripts in plain JavaScript are copied as they are written.
	if (path.endsWith(".mjs")) {
		const file = slashed(relative(dist, path));
		return functions.map(({ name, line }) => ({ file, line: line + 1, name }));
	}
	const payload = JSON.parse(readFileSync(`${path}.map`, "utf8"));
	const map = new SourceMap(payload);
	const file = slashed(relative(root, resolve(dirname(path), payload.sources[0])));
	return functions.map(({ name, line, column }) => {
		const origin = map.findEntry(line, column);
		return { file, line: ("originalLine" in origin ? origin.originalLine : line) + 1, name };
	});
}

function slashed(path: string): string {
	return path.split(sep).join("/");
}
