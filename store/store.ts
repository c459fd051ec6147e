/** The store's port, its tables and what their rows hold. */

export {
	type BooksDigest,
	countFreedKeys,
	digestBooks,
	findDifferences,
	HOT_TABLES,
	type PartDigest,
	toOperations,
} from "./books-digest.js";
export {
	type BooksParts,
	type BooksSource,
	type CopyHooks,
	inGroups,
	type PlacedCommit,
} from "./books-parts.js";
export {
	addEntries,
	BufferedTransaction,
	type CommittedState,
	type Operation,
	type Row,
	sortById,
} from "./buffered-transaction.js";
export { assertDocumentId, assertExpiry } from "./document-ids.js";
export {
	DamagedVersion,
	type GraphVersionRow,
	type GraphVersions,
	type IndexSegment,
	type NewGraphVersion,
} from "./graph-versions.js";
export { createQueryBuffer, type QueryLine } from "./query-buffer.js";
export { messageOf, stopped } from "./refusals.js";
export { encodeObject, reviveMoney, withoutBigints } from "./row-json.js";
export type { AccountRow, ConnectionRow, KeyRow, OAuthRow, TokenRow } from "./rows/account-rows.js";
export type {
	HoldRow,
	IdempotencyRow,
	ReceiptRow,
	UsageCount,
	UsageRow,
} from "./rows/call-rows.js";
export type {
	BriefingRunRow,
	ScheduleChannel,
	ScheduleRenewal,
	ScheduleRow,
	WebhookDeliveryRow,
	WebhookRow,
} from "./rows/notification-rows.js";
export type {
	AuditRow,
	FeedSettingRow,
	KeyCheckRow,
	OperatorRole,
	OperatorRow,
	OperatorSessionRow,
	PriceVersionRow,
} from "./rows/operator-rows.js";
export type {
	InvoiceParty,
	InvoiceRow,
	PaymentMarkRow,
	PaymentRow,
	PaymentState,
	RefundRequestRow,
	RefundRow,
} from "./rows/payment-rows.js";
export type {
	ArtifactRow,
	ChatRow,
	FeedbackRow,
	JobRow,
	StreamRow,
	TaskRow,
	TurnTicket,
	WaitingTaskRow,
} from "./rows/result-rows.js";
export { sealTexts } from "./sealed-texts.js";
export { createSerialQueue, type SerialQueue } from "./serial-queue.js";
export {
	type AccountName,
	type BackupOptions,
	type CommittedTransaction,
	type DaySpan,
	type DocumentStore,
	exportLedger,
	findAndRename,
	findByAny,
	LEDGER_KEY_WINDOW_MS,
	type LedgerEntry,
	type LedgerKind,
	LedgerRefusal,
	type LedgerTransaction,
	type QueryLog,
	type QueryLogRow,
	type ReceiptPage,
	type StatementPage,
	type StatementRequest,
	type Store,
	type StoreBackup,
	type StoreDigest,
	type StoreHealth,
	type StoreProcesses,
	type StoreReader,
	type StoreTransaction,
	type TransactionOptions,
	type VerifyOptions,
} from "./store-port.js";
export { COLD_TABLES, TABLE_INDEXES, type TableName, type Tables } from "./tables.js";
