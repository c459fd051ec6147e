import type { AccountRow, ConnectionRow, KeyRow, OAuthRow, TokenRow } from "./rows/account-rows.js";
import type {
	HoldRow,
	IdempotencyRow,
	QuotaRow,
	ReceiptRow,
	SpendingRow,
	UsageRow,
} from "./rows/call-rows.js";
import type {
	BriefingRunRow,
	ScheduleRow,
	WebhookDeliveryRow,
	WebhookRow,
} from "./rows/notification-rows.js";
import type {
	AuditRow,
	FeedSettingRow,
	KeyCheckRow,
	LeaderRow,
	OperatorRequestRow,
	OperatorRow,
	OperatorSessionRow,
	PriceVersionRow,
	TrustedTimeRow,
} from "./rows/operator-rows.js";
import type {
	CounterRow,
	InvoiceRow,
	PaymentMarkRow,
	PaymentRow,
	RefundRequestRow,
	RefundRow,
	SettlementRow,
	UndeliveredRow,
} from "./rows/payment-rows.js";
import type {
	ArtifactRow,
	ChatRow,
	FeedbackRow,
	JobRow,
	StreamRow,
	TaskRow,
	TurnQueueRow,
	WaitingTaskRow,
} from "./rows/result-rows.js";

/** The store's tables. Money is named `…Micros`: bigint in memory, a decimal string at rest. Times are epoch milliseconds. */

export interface Tables {
	holds: HoldRow;
	tokens: TokenRow;
	accounts: AccountRow;
	keys: KeyRow;
	quotas: QuotaRow;
	idempotency: IdempotencyRow;
	receipts: ReceiptRow;
	tasks: TaskRow;
	waiting_tasks: WaitingTaskRow;
	payments: PaymentRow;
	payment_marks: PaymentMarkRow;
	refunds: RefundRow;
	refund_requests: RefundRequestRow;
	undelivered: UndeliveredRow;
	invoices: InvoiceRow;
	counters: CounterRow;
	spending: SpendingRow;
	settlements: SettlementRow;
	connections: ConnectionRow;
	usage: UsageRow;
	feedback: FeedbackRow;
	artefacts: ArtifactRow;
	schedules: ScheduleRow;
	briefing_runs: BriefingRunRow;
	streams: StreamRow;
	chats: ChatRow;
	turn_queues: TurnQueueRow;
	jobs: JobRow;
	webhooks: WebhookRow;
	webhook_deliveries: WebhookDeliveryRow;
	oauth_records: OAuthRow;
	operators: OperatorRow;
	operator_requests: OperatorRequestRow;
	operator_sessions: OperatorSessionRow;
	audit: AuditRow;
	price_versions: PriceVersionRow;
	feed_settings: FeedSettingRow;
	key_checks: KeyCheckRow;
	leaders: LeaderRow;
	trusted_times: TrustedTimeRow;
}
export type TableName = keyof Tables;

/**
 * Fields a table can be searched by; equality only. Adapters keep these indexed. A field that is added needs a step of the
 * schema in store/postgres, for the rows that are there and for processes of the build before.
 */
export const TABLE_INDEXES = {
	holds: ["owner", "from"],
	tokens: ["hash", "parentId", "owner"],
	accounts: ["subjectHash"],
	keys: ["hash", "previousHash", "accountId"],
	quotas: [],
	idempotency: [],
	receipts: [],
	tasks: ["owner"],
	waiting_tasks: [],
	payments: ["owner", "idempotencyId", "state"],
	payment_marks: ["key"],
	refunds: ["ref", "transactionHash"],
	refund_requests: ["owner", "receiptId"],
	undelivered: ["owner"],
	invoices: ["accountId"],
	counters: [],
	spending: [],
	settlements: [],
	connections: ["hash", "accountId"],
	usage: ["accountId"],
	feedback: ["owner"],
	artefacts: ["owner"],
	schedules: ["owner"],
	briefing_runs: ["owner", "scheduleId"],
	streams: ["owner", "streamId"],
	chats: ["key", "owner"],
	turn_queues: [],
	jobs: ["owner", "state"],
	webhooks: ["owner"],
	webhook_deliveries: ["owner", "webhookId", "state"],
	oauth_records: ["owner", "keyId", "clientId"],
	operators: ["hash", "name"],
	operator_requests: [],
	operator_sessions: [],
	audit: ["outcome", "command"],
	price_versions: [],
	feed_settings: [],
	key_checks: [],
	leaders: [],
	trusted_times: [],
} as const satisfies { [T in TableName]: readonly (keyof Tables[T])[] };

/** Receipts are many and rarely read: written once, found again by the time in their id. */
export const COLD_TABLES: ReadonlySet<TableName> = new Set<TableName>(["receipts"]);
