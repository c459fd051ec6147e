export {
	assertBooksKept,
	type BackupReport,
	bindProfile,
	createDataBackup,
	makeDataFolder,
	type RestoreReport,
	restoreData,
} from "./data-folder.js";
export { type GapReport, gapCommand } from "./gap-report.js";
export { createGraphImporter } from "./graph-importer.js";
export { createGraphOwner, graphCommands } from "./graph-owner.js";
export { createGraphPrices, type GraphPricesWire, graphPricesCommand } from "./graph-prices.js";
export type { QualityReport } from "./graph-quality.js";
export {
	type ConceptReport,
	conceptCommands,
	createConceptEditor,
	createGraphRepository,
} from "./graph-repository.js";
export {
	createRetention,
	type Retention,
	startHousekeeping,
} from "./housekeeping.js";
export { importCommand, type OnProgress } from "./import-command.js";
export type { ImportReport } from "./import-report.js";
export {
	createChainBooks,
	type LedgerOperator,
	type LedgerReportWire,
	ledgerCommands,
	type MovementWire,
	type ReconciliationWire,
	type RefundWire,
	type ReportSumsWire,
} from "./ledger-operator.js";
export { createOperator, type Operator, operatorCommands } from "./operator-interface.js";
