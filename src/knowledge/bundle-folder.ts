import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ServiceError } from "../kernel/kernel.js";
import { isConfined } from "./bundle-document.js";
import type { BundleFiles } from "./bundle-reader.js";
import {
	bundleOfWorkFolder,
	carryOut,
	findPendingUpdates,
	finishUpdates,
	foldersOf,
	isUpdateFile,
	nodeBundleDisk,
} from "./bundle-update.js";
import { toBundleFiles } from "./bundle-writer.js";
import type { Graph } from "./graph.js";
import { mapInBatches } from "./work-in-turns.js";

export interface WriteBundleOptions {
	/** Replace the bundle that is there; without it an existing folder is refused. */
	readonly replace?: boolean;
}

/**
 * Writes a bundle so that readers see the old folder or the whole new one: everything goes to a
 * sibling folder first, which is then renamed. Throws INVALID_ARGUMENT for a path that leaves the
 * bundle, for an existing folder without `replace`, and for one that holds something else.
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
	await finishUpdates(target);
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
		await nodeBundleDisk.syncFolder(work);
		await nodeBundleDisk.syncFolder(parent);
	} finally {
		await rm(work, { recursive: true, force: true });
	}
}

export interface BundleRecovery {
	/** Bundles that had been moved aside and not been replaced: they are back. */
	readonly restored: readonly string[];
	/** Bundles of which some files were to change: they have. */
	readonly finished: readonly string[];
	/** Work folders of changes that cannot be finished; they are kept to be looked at. */
	readonly stuck: readonly string[];
}

/**
 * Finishes or undoes what a killed write or update left in a folder of bundles; nothing else may
 * write there.
 */
export async function recoverBundles(parent: string): Promise<BundleRecovery> {
	const finished: string[] = [];
	const stuck: string[] = [];
	for (const { bundle, work } of await findPendingUpdates(parent)) {
		const folder = join(parent, bundle);
		// A start must not fail over one graph.
		const isDone =
			(await exists(folder)) &&
			(await carryOut(work, folder).then(
				() => true,
				() => false,
			));
		if (isDone) finished.push(bundle);
		else stuck.push(work);
	}
	const names = await readdir(parent).catch(() => []);
	const restored: string[] = [];
	for (const name of names) {
		const bundle = bundleOfWorkFolder(name);
		const work = join(parent, name);
		if (bundle === undefined || stuck.includes(work) || !(await isWorkFolder(work))) continue;
		if (!(await exists(join(parent, bundle))) && (await exists(join(work, "old")))) {
			await rename(join(work, "old"), join(parent, bundle));
			await nodeBundleDisk.syncFolder(parent);
			restored.push(bundle);
		}
		await rm(work, { recursive: true, force: true });
	}
	return { restored, finished, stuck };
}

/** Only what we could have made is ours to remove. */
async function isWorkFolder(folder: string): Promise<boolean> {
	const names = await readdir(folder).catch(() => undefined);
	return names?.every((name) => name === "old" || isUpdateFile(name)) ?? false;
}

async function exists(path: string): Promise<boolean> {
	return (await stat(path).catch(() => undefined)) !== undefined;
}

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

/** Resolves when every byte and every name is on the disk. */
async function writeFiles(folder: string, files: BundleFiles): Promise<void> {
	const folders = [...new Set(["", ...[...files.keys()].flatMap(foldersOf)])].sort();
	for (const each of folders) await mkdir(join(folder, each), { recursive: true });
	await mapInBatches([...files], ([path, bytes]) =>
		nodeBundleDisk.write(join(folder, path), bytes),
	);
	for (const each of folders) await nodeBundleDisk.syncFolder(join(folder, each));
}
