import { dirname, join, resolve } from "node:path";
import {
	invalidArgument,
	type Random,
	ServiceError,
	unavailable,
} from "../../src/kernel/kernel.js";
import { messageOf } from "../store.js";
import { assertEmpty, syncOwnName } from "./backup-folder.js";
import type { FileSystem } from "./file-system.js";

/**
 * Puts a whole folder into place: `build` fills a new one beside it, `<folder>.making-<nonce>`,
 * which is then renamed over nothing or an empty folder. When anything fails before that it removes
 * only what it made itself and throws; what `build` throws goes through.
 */
export async function buildBeside<T>(
	{ fileSystem, random }: { readonly fileSystem: FileSystem; readonly random: Random },
	target: string,
	build: (folder: string) => Promise<T>,
): Promise<T> {
	const folder = resolve(target);
	await assertUsable(fileSystem, folder);
	const beside = `${folder}.making-${Buffer.from(random.bytes(6)).toString("hex")}`;
	const made: string[] = [];
	let built: T;
	try {
		await makeDurableFolder(fileSystem, dirname(folder), made);
		await fileSystem.makeNewFolder(beside);
		made.push(beside);
		built = await build(beside);
		await fileSystem.syncFolder(beside);
		await takeName(fileSystem, beside, folder);
	} catch (error) {
		throw await undone(fileSystem, { made, beside, folder, error });
	}
	await assertNamed(fileSystem, folder);
	return built;
}

/** Makes a folder and the missing ones above it, durably; adds what it made, outermost first. */
async function makeDurableFolder(
	fileSystem: FileSystem,
	folder: string,
	made: string[],
): Promise<void> {
	if ((await fileSystem.kindOf(folder)) !== undefined) return;
	await makeDurableFolder(fileSystem, dirname(folder), made);
	try {
		await fileSystem.makeNewFolder(folder);
	} catch (error) {
		// Another process made it first.
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
		throw error;
	}
	made.push(folder);
	await syncOwnName(fileSystem, folder);
}

/** Removes a folder with all that is in it; of a link only the link. */
export async function removeTree(fileSystem: FileSystem, path: string): Promise<void> {
	const kind = await fileSystem.kindOf(path);
	const names = kind === "folder" ? await fileSystem.list(path) : [];
	for (const name of names) await removeTree(fileSystem, join(path, name));
	await fileSystem.remove(path);
}

async function assertUsable(fileSystem: FileSystem, folder: string): Promise<void> {
	if ((await fileSystem.kindOf(folder).catch(() => undefined)) === "link") {
		throw invalidArgument(
			`"${folder}" is a link and cannot be replaced by a folder; name the folder it leads to.`,
		);
	}
	await assertEmpty(fileSystem, folder);
	if (!(await fileSystem.isMountPoint(folder).catch(() => false))) return;
	throw invalidArgument(
		`"${folder}" is where a disk is mounted, and cannot be replaced; name a folder within it, which need not be there.`,
	);
}

async function takeName(fileSystem: FileSystem, from: string, to: string): Promise<void> {
	try {
		await fileSystem.rename(from, to);
	} catch (error) {
		// It may have been filled meanwhile: that error is clearer.
		await assertUsable(fileSystem, to);
		if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
		// Windows renames over no folder, not even an empty one.
		const wasThere = await fileSystem.remove(to);
		await fileSystem.rename(from, to).catch(async (again: unknown) => {
			if (wasThere) await fileSystem.makeNewFolder(to);
			throw again;
		});
	}
}

/** Removes what was made, and returns what to throw. */
async function undone(
	fileSystem: FileSystem,
	failed: { made: readonly string[]; beside: string; folder: string; error: unknown },
): Promise<ServiceError> {
	const { made, beside, folder, error } = failed;
	let left = "";
	for (const path of made.toReversed()) {
		if (path !== beside) {
			// Stays when another process put something there.
			await fileSystem.remove(path).catch(() => undefined);
			continue;
		}
		await removeTree(fileSystem, path).catch((cause: unknown) => {
			left = ` What was written is left in "${path}" (${messageOf(cause)}): delete it.`;
		});
	}
	if (error instanceof ServiceError && left === "") return error;
	const known = error instanceof ServiceError ? error : undefined;
	const problem =
		known?.message ??
		`"${folder}" could not be made (${messageOf(error)}). It is built beside and renamed, so the folder above must be writable and have room; a mount point itself cannot be renamed: name a folder within it.`;
	return new ServiceError(known?.code ?? "UNAVAILABLE", `${problem}${left}`, {
		cause: error,
		...(known && { retryable: known.retryable }),
	});
}

/** By now the folder has its name: nothing is undone. */
async function assertNamed(fileSystem: FileSystem, folder: string): Promise<void> {
	await syncOwnName(fileSystem, folder).catch((error: unknown) => {
		throw unavailable(
			`"${folder}" is in place, whole, but its name may not survive a power cut (${messageOf(error)}): have the disk looked at, and make it again elsewhere.`,
			{ retryable: false, cause: error },
		);
	});
}
