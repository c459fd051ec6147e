export {
	type Actor,
	ADMIN_TOKEN,
	COMMAND_LINE,
	createAuditLog,
} from "./audit-log.js";
export {
	type CommandCall,
	type CommandReply,
	type CommandRunner,
	createCommandRunner,
	givenTo,
} from "./command-runner.js";
export {
	COMMAND_NAMES,
	COMMAND_ROOTS,
	COMMANDS,
	type CommandName,
	type CommandRoot,
	type CommandRow,
	readAddress,
} from "./command-table.js";
export { type ConceptReport, createConceptEditor } from "./concept-editor.js";
export {
	assertBooksKept,
	type BackupReport,
	bindProfile,
	createDataBackup,
	hasJournal,
	makeDataFolder,
	type RestoreReport,
	restoreData,
	toStartRefusal,
	wasInUse,
} from "./data-folder.js";
export { findDatabaseMark, removeBuiltJournal, writeDatabaseMark } from "./database-mark.js";
export { type GapReport, gapCommand } from "./gap-report.js";
export { createExpertEditor } from "./graph-expert.js";
export { createGraphImporter } from "./graph-importer.js";
export { createGraphOwner } from "./graph-owner.js";
export { createGraphPrices, type GraphPricesWire, graphPricesCommand } from "./graph-prices.js";
export { createGraphPublication } from "./graph-publication.js";
export type { QualityReport } from "./graph-quality.js";
export {
	createGraphReplication,
	type GraphReplication,
	type ReplicationServices,
} from "./graph-replication.js";
export { createGraphRepository } from "./graph-repository.js";
export { openHeldVersions } from "./held-versions.js";
export {
	createRetention,
	type Retention,
	startHousekeeping,
} from "./housekeeping.js";
export type { OnProgress } from "./import-command.js";
export { createImportJobs } from "./import-jobs.js";
export type { ImportReport } from "./import-report.js";
export {
	type ChainBooks,
	createChainBooks,
	type LedgerReportWire,
	type MovementWire,
	type ReconciliationWire,
	type RefundWire,
	type ReportSumsWire,
} from "./ledger-operator.js";
export type { MigrationReport, MigrationStage } from "./migration/migration.js";
export { moveToDatabase } from "./migration/to-database.js";
export { moveToJournal } from "./migration/to-journal.js";
export { createNodePublisher } from "./node-publisher.js";
export { createOperator, type Operator } from "./operator-interface.js";
export {
	createOperatorKeys,
	mayRun,
	OPERATOR_KEY_PREFIX,
	OPERATOR_ROLES,
	type OperatorKeys,
} from "./operator-keys.js";
export {
	createOperatorSessions,
	type OpenedSession,
	type OperatorSession,
	type OperatorSessions,
} from "./operator-sessions.js";
export { createPriceVersions } from "./price-versions.js";
export { rehearseOn } from "./rehearsal.js";
export {
	type AwaitedVectors,
	createAwaitedVectors,
	createSharedVectors,
} from "./shared-vectors.js";
export { createTrustedTime, type TrustedTime } from "./trusted-time.js";
export { loadFeedSettings } from "./work-operator.js";
