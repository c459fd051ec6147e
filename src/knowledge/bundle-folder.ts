import { mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ServiceError } from "../core/errors.js";
import { type BundleFiles, isConfined } from "./bundle-reader.js";
import { toBundleFiles } from "./bundle-writer.js";
import type { Graph } from "./graph.js";

export interface WriteBundleOptions {
	/** Replace the bundle that is there; without it an existing folder is refused. */
	readonly replace?: boolean;
}

/**
 * Writes a bundle so that readers see the old folder or the whole new one, never a half: everything goes to a sibling
 * folder first, which is then renamed. Throws INVALID_ARGUMENT for a path that leaves the bundle, for an existing folder
 * without `replace`, and for one that holds something other than a bundle.
 */
export async function writeBundle(
	content: Graph | BundleFiles,
	folder: string,
	options: WriteBundleOptions = {},
): Promise<void> {
	const files = "concepts" in content ? toBundleFiles(content) : content;
	const stray = [...files.keys()].find((path) => !isConfined(path));
	if (stray !== undefined) {
		throw new ServiceError("INVALID_ARGUMENT", `The path "${stray}" leaves the bundle.`);
	}
	const target = resolve(folder);
	const isTaken = await assertReplaceable(target, options.replace ?? false);
	const parent = dirname(target);
	await mkdir(parent, { recursive: true });
	const work = await mkdtemp(join(parent, `.${basename(target)}-`));
	try {
		const fresh = join(work, "new");
		await writeFiles(fresh, files);
		const old = join(work, "old");
		if (isTaken) await rename(target, old);
		try {
			await rename(fresh, target);
		} catch (error) {
			if (isTaken) await rename(old, target);
			throw error;
		}
		await syncFolder(parent);
	} finally {
		await rm(work, { recursive: true, force: true });
	}
}

/** True when something is there that may be replaced. */
async function assertReplaceable(target: string, replace: boolean): Promise<boolean> {
	const found = await stat(target).catch(() => undefined);
	if (!found) return false;
	const entries = found.isDirectory() ? await readdir(target) : undefined;
	if (entries?.length === 0) return true;
	if (!entries?.some((name) => name === "index.md" || name === "graph.md")) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`"${target}" exists and is not a knowledge bundle; choose another folder.`,
		);
	}
	if (replace) return true;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${target}" already holds a graph; import with --update to replace it.`,
	);
}

async function writeFiles(folder: string, files: BundleFiles): Promise<void> {
	const folders = new Set([...files.keys()].map((path) => dirname(join(folder, path))));
	await mkdir(folder, { recursive: true });
	for (const each of folders) await mkdir(each, { recursive: true });
	for (const [path, bytes] of files) await writeFile(join(folder, path), bytes, { mode: 0o644 });
	await syncFolder(folder);
}

/** Asks the disk to remember the names; file systems that cannot are left alone. */
async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, "r").catch(() => undefined);
	await handle?.sync().catch(() => undefined);
	await handle?.close();
}
