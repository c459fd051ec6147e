import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type BackupFolder, MANIFEST, openBackupFolder } from "../store/journal/backup-folder.js";
import { removeTree } from "../store/journal/built-beside.js";
import { messageOf } from "../store/journal/damage.js";
import { nodeFileSystem } from "../store/journal/file-system.js";
import type { Store } from "../store/store.js";
import { toIsoTime } from "./core/clock.js";
import { ServiceError } from "./core/errors.js";
import type { GraphImporter } from "./service/graph-importer.js";
import type { Operator } from "./service/operator.js";

/** Of the manifest at the top; the journal within has its own. */
export const DATA_BACKUP = { kind: "tollgraph data folder", version: 1 } as const;
/** Beside the journal, which comes last; indexes and the demo chain are made again. */
const PARTS = ["profile", "keys", "graphs"] as const;

/** Made when it is missing, and then another one. */
const NEEDED = ["profile", "keys/pepper"];

export interface DataBackupDeps {
	readonly store: Store;
	readonly importer: GraphImporter;
	/** Absolute path of the data folder. */
	readonly folder: string;
}

/**
 * Backs up the data folder while it is in use: journal, keys, profile and imported graphs, each file with its hash. Throws
 * INVALID_ARGUMENT for a target that is relative, not empty or inside the data folder; what a failure leaves is no backup.
 */
export function createDataBackup(deps: DataBackupDeps): Operator["backUp"] {
	const { store, importer, folder } = deps;
	return async ({ folder: target }, onProgress) => {
		assertPlace(target, folder);
		let backup: BackupFolder | undefined;
		try {
			const opened = await openBackupFolder(nodeFileSystem, target);
			backup = opened;
			// An import would exchange a graph's files amid the copy.
			await importer.whileNoneRuns(() => copyParts(opened, folder));
			const held = await store.backup(join(target, "journal"), { onProgress });
			await opened.add(`journal/${MANIFEST}`, async () => undefined);
			const { sequence, transactions } = held;
			const created_at = toIsoTime(held.createdAt);
			const own = await opened.finish({ ...DATA_BACKUP, created_at, sequence, transactions });
			return {
				folder: target,
				created_at,
				transactions,
				files: own.files + held.files,
				bytes: own.bytes + held.bytes,
				holds_secrets: true,
			};
		} catch (error) {
			if (backup) await removeTree(nodeFileSystem, join(target, "journal")).catch(() => undefined);
			await backup?.abandon();
			if (error instanceof ServiceError) throw error;
			throw new ServiceError(
				"UNAVAILABLE",
				`The backup into "${target}" was not made (${messageOf(error)}). Nothing is harmed; make room there or name another folder, and run it again.`,
				{ cause: error },
			);
		}
	};
}

/** Files that vanish meanwhile, such as a secret being replaced, are not part of it. */
async function copyParts(backup: BackupFolder, folder: string): Promise<void> {
	const copied = new Set<string>();
	for (const path of PARTS.flatMap((part) => filesBelow(folder, part))) {
		if (await backup.copy(join(folder, path), path)) copied.add(path);
	}
	const missing = NEEDED.find((path) => !copied.has(path));
	if (missing === undefined) return;
	throw new ServiceError(
		"UNAVAILABLE",
		`No backup was made: "${join(folder, missing)}" is missing, and a restored folder would not be this one. Put it back from an earlier backup first.`,
		{ retryable: false },
	);
}

/** Paths within the folder, with forward slashes; links are followed, hidden names are work under way. */
function filesBelow(folder: string, path: string): string[] {
	const found = statSync(join(folder, path), { throwIfNoEntry: false });
	if (!found?.isDirectory()) return found?.isFile() ? [path] : [];
	return readdirSync(join(folder, path))
		.filter((name) => !name.startsWith("."))
		.flatMap((name) => filesBelow(folder, `${path}/${name}`));
}

function assertPlace(target: string, data: string): void {
	if (!isAbsolute(target)) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`"${target}" is relative; name the backup's folder from the root, because the server has a working folder of its own.`,
		);
	}
	if (!isWithin(target, data) && !isWithin(data, target)) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`A backup inside the data folder, or around it, is lost with it: name a folder apart from "${data}", best on another disk.`,
	);
}

/** True for the folder itself and whatever is below it, by whichever links it is reached. */
export function isWithin(path: string, folder: string): boolean {
	const way = relative(realPathOf(folder), realPathOf(path));
	return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Also of what does not exist yet: its nearest ancestor decides. */
function realPathOf(path: string): string {
	const full = resolve(path);
	if (existsSync(full)) return realpathSync(full);
	const above = dirname(full);
	return above === full ? full : join(realPathOf(above), relative(above, full));
}
