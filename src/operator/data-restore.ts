import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
	assertUnspoiled,
	buildBeside,
	copyChecked,
	nodeFileSystem as fileSystem,
	type Manifest,
	type RestoredStore,
	readManifest,
	restoreJournal,
} from "../../store/journal/journal.js";
import { assertKeysWhole } from "../accounts/accounts.js";
import { ServiceError, systemClock, systemRandom, toIsoTime } from "../kernel/kernel.js";
import { DATA_BACKUP, isWithin, NEEDED } from "./data-backup.js";
import type { OnProgress } from "./import-request.js";

export interface RestoreRequest {
	/** Folder of a backup. */
	readonly from: string;
	/** The data folder to be; empty or missing. */
	readonly data: string;
}

/** Shape of `tollgraph restore --json`. */
export interface RestoreReport {
	readonly data: string;
	readonly profile: string;
	/** When the backup was made: what came later is not in it. */
	readonly created_at: string;
	readonly transactions: number;
	readonly accounts: number;
	readonly files: number;
	readonly bytes: number;
}

/**
 * Makes a data folder from a backup, once every file has the hash it was backed up with and the journal adds up. Throws,
 * and leaves the place as it was, when the place is not empty or anything is missing or damaged.
 */
export async function restoreData(
	request: RestoreRequest,
	onProgress?: OnProgress,
): Promise<RestoreReport> {
	const [from, data] = [resolve(request.from), resolve(request.data)];
	if (isWithin(data, from)) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`"${data}" is inside the backup; restore into a folder apart from it.`,
		);
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
		const restored: RestoredStore = await restoreJournal({
			fileSystem,
			clock: systemClock,
			from: journal,
			to: join(folder, "journal"),
			onProgress,
		});
		await fileSystem.syncFolder(folder);
		return { restored, profile: readFileSync(join(folder, "profile"), "utf8") };
	});
	const { restored, profile } = built;
	const { transactions, accounts } = restored;
	return {
		data,
		profile,
		created_at: toIsoTime(restored.createdAt),
		transactions,
		accounts,
		files: parts.files.length + restored.files,
		bytes: restored.bytes + parts.files.reduce((sum, { bytes }) => sum + bytes, 0),
	};
}

function assertComplete({ files }: Manifest, from: string): void {
	const hasJournal = files.some(({ path }) => path.startsWith("journal/"));
	const missing = hasJournal
		? NEEDED.find((needed) => !files.some(({ path }) => path === needed))
		: "journal";
	if (missing === undefined) return;
	throw new ServiceError(
		"UNAVAILABLE",
		`The backup "${from}" holds no "${missing}", and what it makes would not be what was backed up. Nothing was restored; use another backup.`,
		{ retryable: false },
	);
}
