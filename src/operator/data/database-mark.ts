import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	nodeFileSystem as fileSystem,
	removeTree,
	replaceFile,
} from "../../../store/journal/journal.js";

/** Which database the books of a data folder are in. */
export interface DatabaseMark {
	/** Given to the database when its tables were made. */
	readonly id: string;
	/** Where it was when the books were moved there, without who may enter it. */
	readonly place: string | undefined;
}

/** Two lines at most; books that were in a database from the beginning have the first one alone. */
const pathOf = (folder: string) => join(folder, "database");

/** Undefined for a folder whose books are in its journal, or that has none. */
export function findDatabaseMark(folder: string): DatabaseMark | undefined {
	const path = pathOf(folder);
	if (!existsSync(path)) return undefined;
	const [id = "", place] = readFileSync(path, "utf8").trim().split("\n");
	return { id: id.trim(), place };
}

/** Durable once it resolves. */
export async function writeDatabaseMark(
	folder: string,
	{ id, place }: DatabaseMark,
): Promise<void> {
	const path = pathOf(folder);
	const lines = place === undefined ? `${id}\n` : `${id}\n${place}\n`;
	await replaceFile(fileSystem, {
		path,
		temporaryPath: `${path}.new`,
		chunks: [Buffer.from(lines)],
	});
}

/** Durable once it resolves. */
export async function removeDatabaseMark(folder: string): Promise<void> {
	await fileSystem.remove(pathOf(folder));
	await fileSystem.syncFolder(folder);
}

/** Where a journal is built from a database, until it is whole. */
export const builtJournalOf = (folder: string) => join(folder, "journal.new");

/** Removes what a move that was not done left of a journal, with the texts in it. */
export async function removeBuiltJournal(folder: string): Promise<void> {
	await removeTree(fileSystem, builtJournalOf(folder));
}
