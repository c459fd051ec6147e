import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import {
	assertUnspoiled,
	type BackupFolder,
	buildBeside,
	copyChecked,
	nodeFileSystem as fileSystem,
	type Manifest,
	messageOf,
	openBackupFolder,
	readManifest,
	restoreJournal,
} from "../../../store/journal/journal.js";
import type { Store } from "../../../store/store.js";
import {
	assertKeysWhole,
	type KeyFolder,
	type KeyRotation,
	LASTING_KEYS,
} from "../../accounts/accounts.js";
import {
	invalidArgument,
	ServiceError,
	systemClock,
	systemRandom,
	toIsoTime,
	unavailable,
} from "../../kernel/kernel.js";
import { COMMAND_LINE, createAuditLog } from "../access/audit-log.js";
import type { GraphImporter } from "../imports/graph-importer.js";
import type { OnProgress } from "../imports/import-command.js";

/** Of the manifest at the top; the journal within has its own. */
const DATA_BACKUP = { kind: "tollgraph data folder", version: 1 } as const;
/** Beside the journal, whose moment comes after theirs. Indexes and the demo chain are made again. */
const PARTS = ["profile", "keys", "graphs", "graph-history"] as const;

/** What a start would rebuild where it is missing, and then as another one's. */
const NEEDED: readonly string[] = ["profile", ...LASTING_KEYS.map((name) => `keys/${name}`)];

interface BackupServices {
	readonly store: Store;
	readonly importer: GraphImporter;
	readonly rotation: Pick<KeyRotation, "whileNoneChanges">;
	readonly keys: Pick<KeyFolder, "rings">;
	/** Absolute path of the data folder. */
	readonly folder: string;
}

export type DataBackup = ReturnType<typeof createDataBackup>;
export type BackupReport = Awaited<ReturnType<DataBackup>>;

/**
 * Backs up the data folder while it is in use: journal, keys, profile and imported graphs, each file with its hash. It is
 * built beside its place and then takes the name, so that nothing but its own work is ever removed. Throws
 * INVALID_ARGUMENT for a place that is relative, not empty or inside the data folder, UNAVAILABLE while another one is made.
 */
export function createDataBackup(deps: BackupServices) {
	let isRunning = false;
	return async ({ folder: target }: { readonly folder: string }, onProgress?: OnProgress) => {
		const place = toPlace(target, deps.folder);
		if (isRunning) {
			throw unavailable(
				"A backup is being made already; wait until it is done, and then make another one.",
			);
		}
		isRunning = true;
		try {
			const built = await buildBeside({ fileSystem, random: systemRandom }, place, (folder) =>
				deps.rotation
					.whileNoneChanges(() => build(deps, folder, onProgress))
					.catch((error: unknown) => {
						throw toRefusal(error, { store: deps.store, folder, target });
					}),
			);
			// Pepper and signing keys are in it.
			return { folder: target, ...built, holds_secrets: true as const };
		} finally {
			isRunning = false;
		}
	};
}

async function build(
	{ store, importer, keys, folder: data }: BackupServices,
	folder: string,
	onProgress: OnProgress | undefined,
) {
	// Before any key is copied.
	if (store.health().kind !== "journal") await store.backup(folder);
	const backup = await openBackupFolder(fileSystem, folder);
	// An import would exchange a graph's files amid the copy.
	const textKey = keys.rings["text-key"].isGiven ? [] : ["keys/text-key"];
	const needed = [...NEEDED, ...textKey];
	const parts = await importer.whileNoneRuns(() =>
		copyParts(backup, { folder: data, needed, onProgress }),
	);
	assertKeysWhole(join(folder, "keys"), join(data, "keys"));
	const held = await store.backup(join(folder, "journal"), {
		onProgress: ({ done, total }) => onProgress?.({ done: parts + done, total: parts + total }),
	});
	await backup.takeIn(`journal/${held.manifest}`);
	const { sequence, transactions } = held;
	// Of the ledger in it; keys and graphs are of a moment before, text that can vanish of one after.
	const created_at = toIsoTime(held.createdAt);
	const own = await backup.finish({ ...DATA_BACKUP, created_at, sequence, transactions });
	const files = own.files + held.files;
	return { created_at, transactions, files, bytes: own.bytes + held.bytes };
}

/** A full disk may have stopped the store as well. `folder` is where it was built, and gone by the time anyone reads of it. */
function toRefusal(
	error: unknown,
	{ store, folder, target }: { store: Store; folder: string; target: string },
): ServiceError {
	if (error instanceof ServiceError) {
		const { code, retryable } = error;
		return new ServiceError(code, error.message.replaceAll(folder, target), {
			retryable,
			cause: error,
		});
	}
	const { reason } = store.health();
	const outcome =
		reason === undefined
			? "Sales go on; make room there or name another folder, and run it again."
			: `The store has stopped, too: ${reason}`;
	return unavailable(`The backup into "${target}" was not made (${messageOf(error)}). ${outcome}`, {
		cause: error,
	});
}

/** Returns how many there were; files that vanish meanwhile, such as a secret being replaced, are not part of it. */
async function copyParts(
	backup: BackupFolder,
	{
		folder,
		needed,
		onProgress,
	}: {
		readonly folder: string;
		readonly needed: readonly string[];
		readonly onProgress: OnProgress | undefined;
	},
): Promise<number> {
	const copied = new Set<string>();
	const paths = PARTS.flatMap((part) => filesBelow(folder, part));
	for (const [index, path] of paths.entries()) {
		if (await backup.copy(join(folder, path), path)) copied.add(path);
		// The journal's files are still to come.
		onProgress?.({ done: index + 1, total: paths.length + 1 });
	}
	const missing = needed.find((path) => !copied.has(path));
	if (missing !== undefined) throw incomplete(join(folder, missing), "is missing");
	return paths.length;
}

function incomplete(path: string, problem: string): ServiceError {
	return unavailable(
		`No backup was made: "${path}" ${problem}, and a restored folder would not be this one. Put it back, from an earlier backup if need be, first.`,
		{ retryable: false },
	);
}

/** Paths within the folder, with forward slashes; links are followed, hidden names are work under way. */
function filesBelow(folder: string, path: string): string[] {
	const fullPath = join(folder, path);
	const found = statSync(fullPath, { throwIfNoEntry: false });
	if (!found && lstatSync(fullPath, { throwIfNoEntry: false })?.isSymbolicLink()) {
		throw incomplete(fullPath, "is a link to nothing");
	}
	if (!found?.isDirectory()) return found?.isFile() ? [path] : [];
	return readdirSync(fullPath)
		.filter((name) => !name.startsWith("."))
		.flatMap((name) => filesBelow(folder, `${path}/${name}`));
}

/** Where the folder really is, by whichever links it was named. */
function toPlace(target: string, data: string): string {
	if (target.includes("\0")) {
		throw invalidArgument("The name of a folder holds no NUL character.");
	}
	if (!isAbsolute(target)) {
		throw invalidArgument(
			`"${target}" is relative; name the backup's folder from the root, because the server has a working folder of its own.`,
		);
	}
	if (isBelowFile(target)) {
		throw invalidArgument(`"${target}" is no folder that can be used; name an empty or a new one.`);
	}
	if (isWithin(target, data) || isWithin(data, target)) {
		throw invalidArgument(
			`A backup inside the data folder, or around it, is lost with it: name a folder apart from "${data}", best on another disk.`,
		);
	}
	return realPathOf(target);
}

function isBelowFile(path: string): boolean {
	const above = dirname(path);
	if (above === path) return false;
	return existsSync(above) ? !statSync(above).isDirectory() : isBelowFile(above);
}

/** True for the folder itself and whatever is below it, by whichever links it is reached. */
function isWithin(path: string, folder: string): boolean {
	const way = relative(realPathOf(folder), realPathOf(path));
	return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Also of what does not exist yet: its nearest ancestor decides. */
function realPathOf(path: string): string {
	const full = resolve(path);
	if (existsSync(full)) return realpathSync(full);
	if (lstatSync(full, { throwIfNoEntry: false })) {
		throw invalidArgument(`"${full}" is a link to nothing; name a folder.`);
	}
	const above = dirname(full);
	return above === full ? full : join(realPathOf(above), relative(above, full));
}

/** Shape of `tollgraph restore --json`. */
export type RestoreReport = Awaited<ReturnType<typeof restoreData>>;

/**
 * Makes a data folder from a backup, once every file has the hash it was backed up with and the journal adds up. Throws,
 * and leaves the place as it was, when the place is not empty or anything is missing or damaged.
 */
export async function restoreData(
	request: {
		/** Folder of a backup. */
		readonly from: string;
		/** The data folder to be; empty or missing. */
		readonly data: string;
	},
	onProgress?: OnProgress,
) {
	const [from, data] = [resolve(request.from), resolve(request.data)];
	if (isWithin(data, from)) {
		throw invalidArgument(`"${data}" is inside the backup; restore into a folder apart from it.`);
	}
	const manifest = await readManifest(fileSystem, from, DATA_BACKUP);
	assertComplete(manifest, from);
	const journal = join(from, "journal");
	// The store's own manifest, which vouches for the rest of it.
	const isJournal = ({ path }: { path: string }) => path.startsWith("journal/");
	for (const own of manifest.files.filter(isJournal)) {
		await assertUnspoiled(fileSystem, from, own);
	}
	const parts = { ...manifest, files: manifest.files.filter((file) => !isJournal(file)) };

	const built = await buildBeside({ fileSystem, random: systemRandom }, data, async (folder) => {
		await copyChecked(fileSystem, { from, to: folder, manifest: parts });
		assertKeysWhole(join(folder, "keys"), join(from, "keys"));
		const restored = await restoreJournal({
			fileSystem,
			clock: systemClock,
			from: journal,
			to: join(folder, "journal"),
			onProgress,
			onSound: noteRestored,
		});
		await fileSystem.syncFolder(folder);
		return { restored, profile: readFileSync(join(folder, "profile"), "utf8") };
	});
	const { restored, profile } = built;
	const { transactions, accounts } = restored;
	return {
		data,
		profile,
		/** When the backup was made: what came later is not in it. */
		created_at: toIsoTime(restored.createdAt),
		transactions,
		accounts,
		files: parts.files.length + restored.files,
		bytes: restored.bytes + parts.files.reduce((sum, { bytes }) => sum + bytes, 0),
	};
}

/** What is on the books is of an earlier moment from here on. */
async function noteRestored(store: Store, { createdAt }: { createdAt: number }): Promise<void> {
	const audit = createAuditLog({ store, clock: systemClock });
	const change = { actor: COMMAND_LINE, command: "restore", target: "data folder" };
	const state = { backup_of: toIsoTime(createdAt), restored_at: toIsoTime(systemClock.now()) };
	await audit.note(change, JSON.stringify(state));
}

function assertComplete({ files }: Manifest, from: string): void {
	const hasJournal = files.some(({ path }) => path.startsWith("journal/"));
	const missing = hasJournal
		? NEEDED.find((needed) => !files.some(({ path }) => path === needed))
		: "journal";
	if (missing === undefined) return;
	throw unavailable(
		`The backup "${from}" holds no "${missing}", and what it makes would not be what was backed up. Nothing was restored; use another backup.`,
		{ retryable: false },
	);
}
