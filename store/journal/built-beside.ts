import { join } from "node:path";
import { ServiceError } from "../../src/core/errors.js";
import type { Random } from "../../src/core/random.js";
import { assertEmpty, syncOwnName } from "./backup-folder.js";
import { messageOf } from "./damage.js";
import type { FileSystem } from "./file-system.js";

/**
 * Puts a whole folder into place: `build` fills one beside it, which then takes its name at once. Throws, and leaves the
 * place as it was, when the place is not empty or anything fails.
 */
export async function buildBeside<T>(
	{ fileSystem, random }: { readonly fileSystem: FileSystem; readonly random: Random },
	folder: string,
	build: (folder: string) => Promise<T>,
): Promise<T> {
	await assertEmpty(fileSystem, folder);
	// A name of its own, so that two restores never share a folder.
	const beside = `${folder}.restoring-${Buffer.from(random.bytes(6)).toString("hex")}`;
	try {
		await fileSystem.makeFolder(beside);
		const built = await build(beside);
		// Renaming over an empty folder is not possible everywhere; one that was filled meanwhile stays.
		await fileSystem.remove(folder);
		await fileSystem.rename(beside, folder);
		await syncOwnName(fileSystem, folder);
		return built;
	} catch (error) {
		await removeTree(fileSystem, beside).catch(() => undefined);
		if (error instanceof ServiceError) throw error;
		throw new ServiceError(
			"UNAVAILABLE",
			`"${folder}" could not be made (${messageOf(error)}). It is built beside and renamed, so the folder above must be writable and have room; a mount point itself cannot be renamed: name a folder within it.`,
			{ cause: error },
		);
	}
}

/** Removes a folder with all that is in it. */
export async function removeTree(fileSystem: FileSystem, path: string): Promise<void> {
	// A file has no names in it.
	const names = await fileSystem.list(path).catch(() => []);
	for (const name of names) await removeTree(fileSystem, join(path, name));
	await fileSystem.remove(path);
}
