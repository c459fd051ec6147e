export {
	type AccountName,
	LEDGER_KEY_WINDOW_MS,
	type LedgerEntry,
	type LedgerKind,
	LedgerRefusal,
	type LedgerTransaction,
} from "./ledger.js";
export { exportLedger } from "./ledger-export.js";
export type { AccountRow, ConnectionRow, KeyRow } from "./rows/account-rows.js";
export type { HoldRow, IdempotencyRow, ReceiptRow } from "./rows/call-rows.js";
export type { UsageCount, UsageRow } from "./rows/counter-rows.js";
export type { JobRow } from "./rows/job-row.js";
export type { OAuthRow } from "./rows/oauth-row.js";
export type { PaymentRow, PaymentState, RefundRow } from "./rows/payment-rows.js";
export type { ArtifactRow, ChatRow, FeedbackRow, TaskRow } from "./rows/result-rows.js";
export type {
	BriefingRunRow,
	ScheduleChannel,
	ScheduleRenewal,
	ScheduleRow,
} from "./rows/schedule-rows.js";
export type { TokenRow } from "./rows/token-row.js";
export type { WebhookDeliveryRow, WebhookRow } from "./rows/webhook-rows.js";
export type { BackupOptions, StoreBackup } from "./store-backup.js";
export type {
	CommittedTransaction,
	DocumentStore,
	QueryLog,
	QueryLogRow,
	ReceiptPage,
	StatementPage,
	StatementRequest,
	Store,
	StoreHealth,
	StoreReader,
	StoreTransaction,
	TransactionOptions,
	VerifyOptions,
} from "./store-port.js";
export { COLD_TABLES, TABLE_INDEXES, type TableName, type Tables } from "./tables.js";
