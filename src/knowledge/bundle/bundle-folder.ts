import { constants, type Dirent, statSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { invalidArgument, notFound, type ServiceError } from "../../kernel/kernel.js";
import type { Finding, Graph } from "../model/graph.js";
import { entriesOf } from "../model/path-map.js";
import { mapInBatches, runInTurns, visitInSteps } from "../model/work-in-turns.js";
import type { Changeable } from "./bundle-change.js";
import { isConfined } from "./bundle-document.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { type BundleFiles, type BundleReading, readBundleInTurns } from "./bundle-reader.js";
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

/**
 * Writes a bundle so that readers see the old folder or the whole new one: everything goes to a
 * sibling folder first, which is then renamed. Throws INVALID_ARGUMENT for a path that leaves the
 * bundle, for an existing folder without `replace`, and for one that holds something else.
 */
export async function writeBundle(
	content: Graph | BundleFiles,
	folder: string,
	/** Replace the bundle that is there; without it an existing folder is refused. */
	{ replace = false }: { readonly replace?: boolean } = {},
): Promise<void> {
	const files = "concepts" in content ? toBundleFiles(content) : content;
	const stray = [...files.keys()].find((path) => !isConfined(path));
	if (stray !== undefined) {
		throw invalidArgument(`The path "${stray}" leaves the bundle.`);
	}
	const target = resolve(folder);
	await finishUpdates(target);
	const isTaken = await assertReplaceable(target, replace);
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

/**
 * Finishes or undoes what a killed write or update left in a folder of bundles; nothing else may
 * write there.
 */
export async function recoverBundles(parent: string) {
	/** Bundles of which some files were to change: they have. */
	const finished: string[] = [];
	/** Work folders of changes that cannot be finished; they are kept to be looked at. */
	const stuck: string[] = [];
	for (const { bundle, work } of await findPendingUpdates(parent)) {
		const folder = join(parent, bundle);
		// A start must not fail over one graph.
		const isDone =
			(await nodeBundleDisk.has(folder)) &&
			(await carryOut(work, folder).then(
				() => true,
				() => false,
			));
		if (isDone) finished.push(bundle);
		else stuck.push(work);
	}
	const names = await readdir(parent).catch(() => []);
	/** Bundles that had been moved aside and not been replaced: they are back. */
	const restored: string[] = [];
	for (const name of names) {
		const bundle = bundleOfWorkFolder(name);
		const work = join(parent, name);
		if (bundle === undefined || stuck.includes(work) || !(await isWorkFolder(work))) continue;
		const [target, old] = [join(parent, bundle), join(work, "old")];
		if (!(await nodeBundleDisk.has(target)) && (await nodeBundleDisk.has(old))) {
			await rename(old, target);
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

async function assertReplaceable(target: string, replace: boolean): Promise<boolean> {
	const found = await stat(target).catch(() => undefined);
	if (!found) return false;
	const entries = found.isDirectory() ? await readdir(target) : undefined;
	if (entries?.length === 0) return true;
	if (!entries?.some((name) => name === "index.md" || name === "graph.md")) {
		throw invalidArgument(
			`"${target}" exists and is not a knowledge bundle; choose another folder.`,
		);
	}
	if (replace) return true;
	throw invalidArgument(`"${target}" already holds a graph; import with --update to replace it.`);
}

/** Resolves when every byte and every name is on the disk. */
async function writeFiles(folder: string, files: BundleFiles): Promise<void> {
	const named = new Set([""]);
	const nameFolders = visitInSteps(files.keys(), (path) => {
		for (const folder of foldersOf(path)) named.add(folder);
	});
	await runInTurns(nameFolders);
	const folders = [...named].sort();
	for (const each of folders) await mkdir(join(folder, each), { recursive: true });
	await mapInBatches([...files], ([path, bytes]) =>
		nodeBundleDisk.write(join(folder, path), bytes),
	);
	for (const each of folders) await nodeBundleDisk.syncFolder(join(folder, each));
}

/** Disks that are asked for many files at once answer sooner; together they are at most as large as one limit allows. */
const READS_AT_ONCE = 32;
const STATS_PER_TURN = 250;

/**
 * Loads the bundle in a folder; files that cannot be concepts are reported to `onFinding`. Throws
 * NOT_FOUND for a missing folder, INVALID_ARGUMENT for one that is too large, has no usable id or
 * two files of one concept id.
 */
export async function readGraph(
	folder: string,
	{ onFinding }: { readonly onFinding?: (finding: Finding) => void } = {},
): Promise<Graph> {
	const { graph, findings } = await readBundleFolder(folder);
	for (const finding of findings) onFinding?.(finding);
	const collision = findings.find(({ rule }) => rule === "id-collision");
	if (collision) {
		throw invalidArgument(
			`The graph in "${folder}" is ambiguous at "${collision.file}". ${collision.message}`,
		);
	}
	return graph;
}

/** Like `readGraph`, but returns the findings and never refuses a collision: for linting. */
export async function readBundleFolder(folder: string): Promise<BundleReading> {
	const files = await readFiles(folder, (path) => /\.md$/i.test(path));
	return readBundleInTurns(files, { folder, fallbackId: toFallbackId(folder) });
}

/**
 * Every file `isWanted` accepts; hidden entries and symbolic links are passed over. Of a file above
 * the limit only as much is read as shows that it is too large. Throws NOT_FOUND, and
 * INVALID_ARGUMENT for too much.
 */
async function readFiles(
	folder: string,
	isWanted: (path: string) => boolean,
): Promise<Map<string, Uint8Array>> {
	const { paths } = await listFolderTree(folder);
	return readPaths(folder, paths.filter(isWanted));
}

/**
 * The files of these paths. One that cannot be read is reported to `onUnreadable`, or ends the reading where no one asks.
 * Throws INVALID_ARGUMENT for too much.
 */
export async function readPaths(
	folder: string,
	paths: readonly string[],
	{
		onUnreadable,
		signal,
	}: {
		readonly onUnreadable?: (path: string, error: unknown) => void;
		readonly signal?: AbortSignal | undefined;
	} = {},
): Promise<Map<string, Uint8Array>> {
	const files = new Map<string, Uint8Array>();
	let totalBytes = 0;
	const read = (path: string) =>
		readBounded(join(folder, path)).catch((error: unknown) => {
			if (!onUnreadable) throw error;
			onUnreadable(path, error);
			return undefined;
		});
	for (let from = 0; from < paths.length; from += READS_AT_ONCE) {
		if (paths.length > BUNDLE_LIMITS.files) throw tooLarge(folder);
		signal?.throwIfAborted();
		const batch = paths.slice(from, from + READS_AT_ONCE);
		const contents = await Promise.all(batch.map(read));
		for (const [index, path] of batch.entries()) {
			const bytes = contents[index];
			if (!bytes) continue;
			totalBytes += bytes.length;
			files.set(path, bytes);
		}
		if (totalBytes > BUNDLE_LIMITS.totalBytes) throw tooLarge(folder);
	}
	return files;
}

/** The files of a bundle on the disk, as they are. */
export function bundleFilesFrom({ folder, memory }: Changeable): Promise<BundleFiles> {
	return readPaths(
		folder,
		[...entriesOf(memory.files)].map(([path]) => path),
	);
}

function tooLarge(folder: string): ServiceError {
	return invalidArgument(
		`"${folder}" is too large for one graph: at most ${BUNDLE_LIMITS.files} files and ${BUNDLE_LIMITS.totalBytes} bytes are read.`,
	);
}

/**
 * Every file, or every one of these, with a stamp that changes whenever it does; undefined for one touched after
 * `trustedBeforeMs`, and for one that the system lets no one look at.
 */
export async function stampFiles(
	folder: string,
	trustedBeforeMs: number,
	paths?: readonly string[],
): Promise<Map<string, string | undefined>> {
	const stamps = new Map<string, string | undefined>();
	const root = join(folder, "/");
	for (const path of paths ?? (await listFolderTree(folder)).paths) {
		// A hundred thousand calls that wait for a thread each would take several times as long.
		const found = statAtOnce(root + path);
		if (found === "hidden") stamps.set(path, undefined);
		else if (found) {
			const { size, mtimeMs, ctimeMs, ino } = found;
			const isTrusted = Math.max(mtimeMs, ctimeMs) < trustedBeforeMs;
			stamps.set(path, isTrusted ? `${size} ${mtimeMs} ${ctimeMs} ${ino}` : undefined);
		}
		if (stamps.size % STATS_PER_TURN === 0) await setImmediate();
	}
	return stamps;
}

function statAtOnce(path: string) {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch {
		return "hidden";
	}
}

/** One file, or as much of it as shows that it is too large. Rejects for what is no file, as the system does for a folder. */
export async function readBounded(file: string): Promise<Uint8Array> {
	// A pipe that takes a file's place meanwhile must not be waited for.
	const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		const found = await handle.stat();
		if (!found.isFile()) throw noFile(file);
		if (found.size <= BUNDLE_LIMITS.fileBytes) return await handle.readFile();
		const { buffer } = await handle.read({ buffer: new Uint8Array(BUNDLE_LIMITS.fileBytes + 1) });
		return buffer;
	} finally {
		await handle.close();
	}
}

function noFile(file: string): Error {
	const error = new Error(`"${file}" is no ordinary file.`);
	return Object.assign(error, { code: "no ordinary file", syscall: "read" });
}

/** What a folder holds, and what of it is not even looked at, each with its reason. */
export async function listFolderTree(folder: string) {
	const root = await stat(folder).catch(() => undefined);
	if (!root?.isDirectory()) {
		throw notFound(`There is no folder "${folder}" to read a graph from.`);
	}
	const paths: string[] = [];
	const passedOver: { readonly path: string; readonly reason: string }[] = [];
	let level = [""];
	for (let depth = 0; depth <= BUNDLE_LIMITS.depth && level.length > 0; depth++) {
		const listings = await Promise.all(level.map((prefix) => listFolder(folder, prefix)));
		for (const { files, others } of listings) {
			for (const file of files) paths.push(file);
			passedOver.push(...others);
		}
		level = listings.flatMap((listing) => listing.folders);
	}
	const tooDeep = `The folder lies more than ${BUNDLE_LIMITS.depth} folders deep.`;
	passedOver.push(...level.map((path) => ({ path, reason: tooDeep })));
	return { paths: paths.sort(), passedOver };
}

const HIDDEN = "The name begins with a dot: hidden files are not read.";
const NO_FILE = "A symbolic link, or no ordinary file: what it leads to is not read.";

async function listFolder(folder: string, prefix: string) {
	const entries = await readdir(join(folder, prefix), { withFileTypes: true }).catch(
		(error: unknown) => {
			if (prefix === "") throw error;
			return unreadable(error);
		},
	);
	if (typeof entries === "string") {
		return { files: [], folders: [], others: [{ path: prefix, reason: entries }] };
	}
	const visible = entries.filter((entry) => !entry.name.startsWith("."));
	const others = entries.filter((entry) => entry.name.startsWith(".") || !isPlain(entry));
	return {
		files: visible.filter((entry) => entry.isFile()).map(({ name }) => `${prefix}${name}`),
		folders: visible.filter((entry) => entry.isDirectory()).map(({ name }) => `${prefix}${name}/`),
		others: others.map(({ name }) => ({
			path: `${prefix}${name}`,
			reason: name.startsWith(".") ? HIDDEN : NO_FILE,
		})),
	};
}

function isPlain(entry: Dirent): boolean {
	return entry.isFile() || entry.isDirectory();
}

/** One sentence on a file that the system does not let be read. */
export function unreadable(error: unknown): string {
	const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
	return `It cannot be read (${code}).`;
}

function toFallbackId(folder: string): string {
	const name = basename(resolve(folder))
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-");
	const id = name.replace(/^-+|-+$/g, "").slice(0, 63);
	return id.length >= 2 ? id : "graph";
}
