export { createChainBooks, type MovementWire, type ReconciliationWire } from "./chain-books.js";
export { type ConceptReport, createConceptEditor } from "./concept-editor.js";
export { createDataBackup } from "./data-backup.js";
export { assertBooksKept, bindProfile } from "./data-profile.js";
export { type RestoreReport, restoreData } from "./data-restore.js";
export { createGraphImporter } from "./graph-importer.js";
export { createGraphRepository } from "./graph-repository.js";
export { type HousekeepingDeps, startHousekeeping } from "./housekeeping.js";
export type { ImportReport, OnProgress } from "./import-request.js";
export type {
	LedgerOperator,
	LedgerReportWire,
	RefundWire,
	ReportSumsWire,
} from "./ledger-operator.js";
export { type BackupReport, createOperator, type Operator } from "./operator-interface.js";
export { createRetention, type Retention } from "./retention.js";
