export {
	assertBooksKept,
	bindProfile,
	createDataBackup,
	type RestoreReport,
	restoreData,
} from "./data-folder.js";
export { createGraphImporter, type ImportReport, type OnProgress } from "./graph-importer.js";
export {
	type ConceptReport,
	createConceptEditor,
	createGraphRepository,
} from "./graph-repository.js";
export {
	createRetention,
	type HousekeepingDeps,
	type Retention,
	startHousekeeping,
} from "./housekeeping.js";
export {
	createChainBooks,
	type LedgerOperator,
	type LedgerReportWire,
	type MovementWire,
	type ReconciliationWire,
	type RefundWire,
	type ReportSumsWire,
} from "./ledger-operator.js";
export { type BackupReport, createOperator, type Operator } from "./operator-interface.js";
