export {
	type Actor,
	ADMIN_TOKEN,
	COMMAND_LINE,
	createAuditLog,
} from "./access/audit-log.js";
export {
	createOperatorKeys,
	mayRun,
	OPERATOR_KEY_PREFIX,
	OPERATOR_ROLES,
	type OperatorKeys,
} from "./access/operator-keys.js";
export {
	createOperatorSessions,
	type OpenedSession,
	type OperatorSession,
	type OperatorSessions,
} from "./access/operator-sessions.js";
export {
	COMMAND_ROOTS,
	type CommandRoot,
	type CommandRow,
	readAddress,
} from "./commands/command-row.js";
export {
	type CommandCall,
	type CommandReply,
	type CommandRunner,
	createCommandRunner,
	givenTo,
} from "./commands/command-runner.js";
export { COMMAND_NAMES, COMMANDS, type CommandName } from "./commands/command-table.js";
export { createOperator, type Operator } from "./commands/operator-interface.js";
export { loadFeedSettings } from "./commands/work-operator.js";
export {
	type BackupReport,
	createDataBackup,
	type RestoreReport,
	restoreData,
} from "./data/data-backup.js";
export {
	assertBooksKept,
	bindProfile,
	hasJournal,
	makeDataFolder,
	toStartRefusal,
	wasInUse,
} from "./data/data-folder.js";
export { findDatabaseMark, removeBuiltJournal, writeDatabaseMark } from "./data/database-mark.js";
export {
	createRetention,
	type Retention,
	startHousekeeping,
} from "./data/housekeeping.js";
export { rehearseOn } from "./data/rehearsal.js";
export { createTrustedTime, type TrustedTime } from "./data/trusted-time.js";
export { type ConceptReport, createConceptEditor } from "./graphs/concept-editor.js";
export { createExpertEditor } from "./graphs/graph-expert.js";
export { createGraphOwner } from "./graphs/graph-owner.js";
export {
	createGraphPrices,
	type GraphPricesWire,
	graphPricesCommand,
} from "./graphs/graph-prices.js";
export { createNodePublisher } from "./graphs/node-publisher.js";
export { createPriceVersions } from "./graphs/price-versions.js";
export { createGraphImporter } from "./imports/graph-importer.js";
export type { QualityReport } from "./imports/graph-quality.js";
export type { OnProgress } from "./imports/import-command.js";
export { createImportJobs } from "./imports/import-jobs.js";
export type { ImportReport } from "./imports/import-report.js";
export type { MigrationReport, MigrationStage } from "./migration/migration.js";
export { moveToDatabase } from "./migration/to-database.js";
export { moveToJournal } from "./migration/to-journal.js";
export { createGraphPublication } from "./publication/graph-publication.js";
export {
	createGraphReplication,
	type GraphReplication,
	type ReplicationServices,
} from "./publication/graph-replication.js";
export { createGraphRepository } from "./publication/graph-repository.js";
export { openHeldVersions } from "./publication/held-versions.js";
export {
	type AwaitedVectors,
	createAwaitedVectors,
	createSharedVectors,
} from "./publication/shared-vectors.js";
export { type GapReport, gapCommand } from "./reports/gap-report.js";
export {
	type ChainBooks,
	createChainBooks,
	type LedgerReportWire,
	type MovementWire,
	type ReconciliationWire,
	type RefundWire,
	type ReportSumsWire,
} from "./reports/ledger-operator.js";
