export { createInvariantGuard, type InvariantGuard } from "./invariants.js";
export {
	createLedgerReport,
	netOf,
	REPORT_KEYS,
	type ReportKey,
	type ReportSums,
} from "./ledger-report.js";
