import {
	mkdir,
	mkdtemp,
	open,
	readdir,
	readFile,
	rename,
	rm,
	rmdir,
	stat,
	unlink,
	writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { invalidArgument, unavailable } from "../../kernel/kernel.js";
import { mapInBatches } from "../model/work-in-turns.js";
import type { BundleChanges } from "./bundle-change.js";
import { foldersAbove, isConfined } from "./bundle-document.js";

/** In a work folder: staged files by number, and, once it is there under this name, a promise to put them into place. */
const PLAN = "changes.json";
const PLAN_DRAFT = "changes.part";
const STAGE = "new";

const plan = z.strictObject({
	version: z.literal(1),
	/** Paths of the staged files, by their number. */
	put: z.array(z.string().refine(isConfined)),
	remove: z.array(z.string().refine(isConfined)),
});
type Plan = z.infer<typeof plan>;

/** Why a planned change is not finished yet, one sentence; undefined where it is. */
type Unfinished = string | undefined;

/**
 * Changes some files of a bundle, all or none: new files are staged beside it, then a plan is
 * written that a start carries out should the process be killed, then each file takes its place.
 * Resolves when the change is durable; what the disk refuses then is done before the next change or
 * at the next start. Throws INVALID_ARGUMENT for a path that leaves the bundle or is a folder, and
 * UNAVAILABLE when an earlier change cannot be finished: nothing has changed then.
 */
export async function updateBundle(
	folder: string,
	changes: BundleChanges,
	disk: BundleDisk = nodeBundleDisk,
): Promise<Unfinished> {
	const stray = [...changes.keys()].find((path) => !isConfined(path));
	if (stray !== undefined) {
		throw invalidArgument(`The path "${stray}" leaves the bundle.`);
	}
	const target = resolve(folder);
	await finishUpdates(target, disk);
	await assertRoom(target, changes, disk);
	const work = await disk.makeWorkFolder(join(dirname(target), `.${basename(target)}-`));
	try {
		await stageChanges(work, changes, disk);
	} catch (error) {
		await disk.removeFolder(work);
		throw error;
	}
	try {
		await carryOut(work, target, disk);
		return undefined;
	} catch (cause) {
		if (await withdraw(work, { target, changes }, disk).catch(() => false)) {
			throw unavailable(
				`The files of "${target}" cannot be changed (${messageOf(cause)}); nothing has changed. Put that right, and send the same again.`,
				{ cause },
			);
		}
		return toUnfinished(work, target, cause);
	}
}

/** Nothing that is no file of a bundle is overwritten; throws INVALID_ARGUMENT for the first folder in a file's place. */
async function assertRoom(target: string, changes: BundleChanges, disk: BundleDisk): Promise<void> {
	const leaving = [...changes].flatMap(([path, bytes]) => (bytes ? [] : foldersOf(path)));
	// Such a folder goes when it is left empty.
	const left = new Set(leaving);
	const coming = [...changes].flatMap(([path, bytes]) => (bytes && !left.has(path) ? path : []));
	await mapInBatches(coming, async (path) => {
		if (!(await disk.isFolder(join(target, path)))) return;
		throw invalidArgument(
			`The name "${path}" is that of a folder in "${target}"; take the folder away, or choose another name.`,
		);
	});
}

/** Withdraws a plan of which nothing has been done; false where something has, and all of it will be. */
async function withdraw(
	work: string,
	{ target, changes }: { readonly target: string; readonly changes: BundleChanges },
	disk: BundleDisk,
): Promise<boolean> {
	const removed = [...changes].flatMap(([path, bytes]) => (bytes ? [] : join(target, path)));
	const put = [...changes].flatMap(([path, bytes]) => (bytes ? path : []));
	const staged = put.map((_, number) => join(work, STAGE, String(number)));
	let isUntouched = true;
	await mapInBatches([...removed, ...staged], async (file) => {
		if (!(await disk.has(file))) isUntouched = false;
	});
	if (!isUntouched) return false;
	await disk.remove(join(work, PLAN));
	const tidy = async () => {
		await disk.syncFolder(work);
		await removeEmptyFolders(target, put, disk);
		await disk.removeFolder(work);
	};
	await tidy().catch(() => undefined);
	return true;
}

/** Removes the folders of these files, innermost first, where nothing else is in them. */
async function removeEmptyFolders(
	target: string,
	paths: readonly string[],
	disk: BundleDisk,
): Promise<void> {
	const folders = [...new Set(paths.flatMap(foldersOf))].filter((each) => each !== "").sort();
	for (const each of folders.reverse()) await disk.removeEmptyFolder(join(target, each));
}

function toUnfinished(work: string, target: string, cause: unknown): string {
	return `A change of "${target}" is not finished (${messageOf(cause)}): what is left of it waits in "${work}" for the next change or start. Put that right first.`;
}

function messageOf(cause: unknown): string {
	return cause instanceof Error ? cause.message : String(cause);
}

/** The folder beside a bundle in which its change is prepared: `.<name>-` and what `mkdtemp` adds. */
const WORK_FOLDER = /^\.(.+)-[A-Za-z0-9]{6}$/;

/** The bundle a name in a folder of bundles is the work folder of; undefined for all other names. */
export function bundleOfWorkFolder(name: string): string | undefined {
	return WORK_FOLDER.exec(name)?.[1];
}

/** Changes in a folder of bundles that were planned and not carried out, by the bundle's name; a missing one has none. */
export async function findPendingUpdates(
	parent: string,
	disk: BundleDisk = nodeBundleDisk,
): Promise<readonly { readonly bundle: string; readonly work: string }[]> {
	const found: { bundle: string; work: string }[] = [];
	for (const name of await readdir(parent).catch(() => [])) {
		const bundle = bundleOfWorkFolder(name);
		const work = join(parent, name);
		if (bundle !== undefined && (await disk.has(join(work, PLAN)))) found.push({ bundle, work });
	}
	return found;
}

/**
 * Carries out what earlier updates of this bundle had planned. Throws UNAVAILABLE where the disk
 * still refuses.
 */
export async function finishUpdates(
	folder: string,
	disk: BundleDisk = nodeBundleDisk,
): Promise<void> {
	for (const { bundle, work } of await findPendingUpdates(dirname(folder), disk)) {
		if (bundle !== basename(folder)) continue;
		await carryOut(work, folder, disk).catch((cause: unknown) => {
			throw unavailable(toUnfinished(work, folder, cause), { cause });
		});
	}
}

/** True for names that only an update leaves in its work folder. */
export function isUpdateFile(name: string): boolean {
	return name === STAGE || name === PLAN || name === PLAN_DRAFT;
}

/** Once this has returned, the change happens: now, or at the next start. */
export async function stageChanges(
	work: string,
	changes: BundleChanges,
	disk: BundleDisk = nodeBundleDisk,
): Promise<void> {
	const put = [...changes].flatMap(([path, bytes]) => (bytes ? [{ path, bytes }] : []));
	const remove = [...changes].flatMap(([path, bytes]) => (bytes ? [] : [path]));
	const promise: Plan = { version: 1, put: put.map(({ path }) => path), remove };
	const stage = join(work, STAGE);
	await disk.makeFolder(stage);
	await mapInBatches(put, ({ bytes }, number) => disk.write(join(stage, String(number)), bytes));
	await disk.syncFolder(stage);
	await disk.write(join(work, PLAN_DRAFT), new TextEncoder().encode(JSON.stringify(promise)));
	await disk.rename(join(work, PLAN_DRAFT), join(work, PLAN));
	await disk.syncFolder(work);
	await disk.syncFolder(dirname(work));
}

/** The changes that were staged in a folder. */
export async function readStaged(work: string): Promise<BundleChanges> {
	const { put, remove } = plan.parse(JSON.parse(await readFile(join(work, PLAN), "utf8")));
	const changes = new Map<string, Uint8Array | undefined>(remove.map((path) => [path, undefined]));
	for (const [number, path] of put.entries()) {
		changes.set(path, await readFile(join(work, STAGE, String(number))));
	}
	return changes;
}

/** May be cut off at any point and started again: what has been moved is not there to be moved again. */
export async function carryOut(
	work: string,
	target: string,
	disk: BundleDisk = nodeBundleDisk,
): Promise<void> {
	const { put, remove } = plan.parse(JSON.parse(await readFile(join(work, PLAN), "utf8")));
	const folders = new Set([...put, ...remove].flatMap(foldersOf));
	// What a removed file leaves may be what a new one needs: a name that was a folder becomes a file, or the reverse.
	await mapInBatches(remove, (path) => disk.remove(join(target, path)));
	await removeEmptyFolders(target, remove, disk);
	for (const folder of new Set(put.flatMap(foldersOf))) await disk.makeFolder(join(target, folder));
	await mapInBatches(put, async (path, number) => {
		const staged = join(work, STAGE, String(number));
		if (await disk.has(staged)) await disk.rename(staged, join(target, path));
	});
	for (const folder of folders) await disk.syncFolder(join(target, folder));
	// The promise goes first: kept twice, it would undo what comes after it.
	await disk.remove(join(work, PLAN));
	await disk.syncFolder(work);
	await disk.removeFolder(work).catch(() => undefined);
}

/** `""`, `a` and `a/b` for `a/b/c.md`. */
export function foldersOf(path: string): readonly string[] {
	return ["", ...foldersAbove(path)];
}

/** What an update asks of a disk; injected, so that tests can cut its power between any two calls. */
export interface BundleDisk {
	makeFolder(path: string): Promise<void>;
	/** A new folder: the prefix and six characters no one else has. */
	makeWorkFolder(prefix: string): Promise<string>;
	/** Resolves when every byte is on the disk. */
	write(path: string, bytes: Uint8Array): Promise<void>;
	rename(from: string, to: string): Promise<void>;
	has(path: string): Promise<boolean>;
	isFolder(path: string): Promise<boolean>;
	/** Leaves what is no file, and what is not there. */
	remove(path: string): Promise<void>;
	/** Leaves a folder that holds something, and one that is not there. */
	removeEmptyFolder(path: string): Promise<void>;
	removeFolder(path: string): Promise<void>;
	/** Asks the disk to remember the names; file systems that cannot are left alone. */
	syncFolder(path: string): Promise<void>;
}

export const nodeBundleDisk: BundleDisk = {
	async makeFolder(path) {
		await mkdir(path, { recursive: true });
	},
	makeWorkFolder: (prefix) => mkdtemp(prefix),
	write: (path, bytes) => writeFile(path, bytes, { mode: 0o644, flush: true }),
	rename: (from, to) => rename(from, to),
	has: async (path) => (await stat(path).catch(() => undefined)) !== undefined,
	isFolder: async (path) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false,
	async remove(path) {
		const found = await stat(path).catch(() => undefined);
		if (found?.isFile()) await unlink(path);
	},
	async removeEmptyFolder(path) {
		await rmdir(path).catch(() => undefined);
	},
	removeFolder: (path) => rm(path, { recursive: true, force: true }),
	async syncFolder(path) {
		const handle = await open(path, "r").catch(() => undefined);
		await handle?.sync().catch(() => undefined);
		await handle?.close();
	},
};
