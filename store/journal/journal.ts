/** The default store, for one process: lowdb over an append journal, with backup and restore. */

export { messageOf } from "../store.js";
export {
	assertUnspoiled,
	type BackupFolder,
	copyChecked,
	type Manifest,
	openBackupFolder,
	readManifest,
} from "./backup-folder.js";
export { buildBeside, removeTree } from "./built-beside.js";
export { nodeFileSystem, replaceFile } from "./file-system.js";
export { type JournalStore, openJournalStore } from "./journal-store.js";
export { forgetInLeftJournal, removeTexts } from "./left-texts.js";
export { nodeProcessTable, type ProcessName, takeFolderLock } from "./lock.js";
export { restoreJournal } from "./restore.js";
export { writeJournal } from "./write-books.js";
