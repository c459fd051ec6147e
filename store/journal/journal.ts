export { type BackupFolder, openBackupFolder } from "./backup-folder.js";
export { assertUnspoiled, copyChecked, type Manifest, readManifest } from "./backup-manifest.js";
export { buildBeside } from "./built-beside.js";
export { messageOf } from "./damage.js";
export { nodeFileSystem } from "./file-system.js";
export { openJournalStore } from "./journal-store.js";
export { nodeProcessTable, type ProcessName } from "./process-table.js";
export { type RestoredStore, restoreJournal } from "./restore.js";
