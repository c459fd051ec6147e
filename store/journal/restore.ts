import { resolve } from "node:path";
import { type Random, ServiceError, systemRandom } from "../../src/kernel/kernel.js";
import type { Store, StoreBackup } from "../store.js";
import { BACKUP_KIND, BACKUP_VERSION } from "./backup.js";
import { copyChecked, type Manifest, readManifest, spoiled } from "./backup-folder.js";
import { buildBeside } from "./built-beside.js";
import { type JournalStoreDeps, openJournalStore } from "./journal-store.js";

export interface RestoreDeps
	extends Pick<JournalStoreDeps, "fileSystem" | "clock" | "processes" | "random"> {
	readonly from: string;
	readonly to: string;
	readonly onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
	/** Writes what is new in the restored store, which was found sound; nothing is left where it rejects. */
	readonly onSound?: (store: Store, backup: { readonly createdAt: number }) => Promise<void>;
}

/** What was restored, counted in the restored store itself. */
interface RestoredStore extends Omit<StoreBackup, "manifest"> {
	/** That have or had a balance. */
	readonly accounts: number;
}

/**
 * Restores a backup once its files were checked and the store was opened and verified; else throws
 * and leaves nothing.
 */
export async function restoreJournal(deps: RestoreDeps): Promise<RestoredStore> {
	const { fileSystem, random = systemRandom } = deps;
	const [from, to] = [resolve(deps.from), resolve(deps.to)];
	const expected = { kind: BACKUP_KIND, version: BACKUP_VERSION };
	const manifest = await readManifest(fileSystem, from, expected);
	return buildBeside({ fileSystem, random }, to, async (folder) => {
		let done = 0;
		const total = manifest.files.length;
		const onFile = () => deps.onProgress?.({ done: ++done, total });
		await copyChecked(fileSystem, { from, to: folder, manifest, onFile });
		return openAndCount({ ...deps, random, from }, { folder, manifest });
	});
}

async function openAndCount(
	{ from, onSound, ...deps }: RestoreDeps & { readonly random: Random },
	{ folder, manifest }: { readonly folder: string; readonly manifest: Manifest },
): Promise<RestoredStore> {
	try {
		const store = await openJournalStore({ ...deps, folder });
		try {
			const { transactions } = await store.verify();
			const { sequence } = store.health();
			const accounts = (await store.read((reader) => reader.balances())).size;
			if (sequence !== manifest.sequence || transactions !== manifest.transactions) {
				throw spoiled(
					from,
					`its journal has ${transactions} transactions up to frame ${sequence}, its manifest says ${manifest.transactions} up to ${manifest.sequence}`,
				);
			}
			const { crc } = store.head();
			if (crc !== manifest.crc) {
				throw spoiled(
					from,
					`its last frame has checksum ${crc}, its manifest says ${manifest.crc ?? "none"}`,
				);
			}
			const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
			const createdAt = Date.parse(manifest.created_at);
			await onSound?.(store, { createdAt });
			return { transactions, sequence, accounts, bytes, files: manifest.files.length, createdAt };
		} finally {
			await store.close();
		}
	} catch (error) {
		if (!(error instanceof ServiceError) || error.retryable) throw error;
		if (error.message.startsWith("The backup is damaged")) throw error;
		// The sentence names a folder that is gone by then, and goes on about restoring a backup.
		const [problem = ""] = error.message.replaceAll(folder, from).split(" Nothing was changed.");
		throw spoiled(from, problem.replace(/\.$/, ""));
	}
}
