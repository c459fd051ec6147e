import { join } from "node:path";
import type { Clock } from "../../src/kernel/kernel.js";
import type { Store, TransactionOptions } from "../store.js";
import { removeTree } from "./built-beside.js";
import { openDocuments } from "./documents.js";
import type { FileSystem } from "./file-system.js";
import { createQueryLog } from "./query-log.js";

interface LeftJournal {
	readonly fileSystem: FileSystem;
	readonly clock: Clock;
	/** Of a journal whose books are in another store now. */
	readonly folder: string;
}

/** The same store; what it forgets of the texts of callers is forgotten in a journal that was left as well. */
export async function forgetInLeftJournal<
	S extends Pick<Store, "documents" | "queryLog" | "close">,
>(store: S, { fileSystem, clock, folder }: LeftJournal): Promise<S> {
	const left = await openDocuments({ fileSystem, clock, folder: join(folder, "documents") });
	const log = createQueryLog({ fileSystem, clock, folder: join(folder, "queries") });
	return {
		...store,
		documents: {
			...store.documents,
			async delete(id: string, options?: TransactionOptions) {
				await store.documents.delete(id, options);
				await left.delete(id);
			},
			async sweep(now: number) {
				const swept = await store.documents.sweep(now);
				await left.sweep(now);
				return swept;
			},
		},
		queryLog: {
			...store.queryLog,
			async dropBefore(day: string) {
				const dropped = await store.queryLog.dropBefore(day);
				await log.dropBefore(day);
				return dropped;
			},
			async erase(owner: string) {
				const erased = await store.queryLog.erase(owner);
				await log.erase(owner);
				return erased;
			},
		},
		async close() {
			await store.close();
			await left.close();
			await log.close();
		},
	};
}

/** Removes the texts of callers from a journal whose books, texts included, are in another one. */
export async function removeTexts(fileSystem: FileSystem, folder: string): Promise<void> {
	for (const name of ["documents", "queries"]) await removeTree(fileSystem, join(folder, name));
}
