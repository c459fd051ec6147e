import type { Micros } from "../src/core/money.js";

/** Rows of the store's tables. Money is named `…Micros`: bigint in memory, a decimal string at rest. Times are epoch milliseconds. */

/** `cust:<id>`, `held:<id>`, `rev:<billing type>`, `cash:manual`, `cash:x402:<network>`, `promo:free_tier`, `refunds`, `suspense`. */
export type AccountName = string;

export interface HoldRow {
	readonly id: string;
	/** Account whose money is held: `cust:<id>` or `promo:free_tier`. */
	readonly from: AccountName;
	readonly held: AccountName;
	readonly amountMicros: Micros;
	readonly owner: string;
	readonly rail: string;
	readonly operationId: string;
	readonly billingType: string;
	readonly createdAt: number;
	readonly expiresAt: number;
	/** Quota counters to give back when the call is not billable. */
	readonly quotaKeys?: readonly string[] | undefined;
	readonly idempotencyId?: string | undefined;
	/** Row of `spending` this hold counts in. */
	readonly spendingId?: string | undefined;
	/** Further rows of `spending`: the key's caps and the account's budget. */
	readonly spendingIds?: readonly string[] | undefined;
	/** API key or connection token it was asked for with. */
	readonly keyId?: string | undefined;
	/** Payment on a chain whose money it holds. */
	readonly paymentId?: string | undefined;
	readonly graphIds?: readonly string[] | undefined;
	/** The job it belongs to, and ends with: it outlives its call and its process. */
	readonly jobId?: string | undefined;
}

/** A Shared Payment Token. Its balance is the ledger's `cust:<id>`; its secret is stored as a keyed hash only. */
export interface TokenRow {
	readonly id: string;
	readonly hash: string;
	readonly environment: "live" | "test";
	readonly label: string;
	readonly status: "active" | "suspended" | "revoked";
	readonly createdAt: number;
	readonly expiresAt: number | undefined;
	readonly maxPerCallMicros: Micros | undefined;
	/** Highest sum of prices it pays for on one UTC day. */
	readonly maxPerDayMicros?: Micros | undefined;
	/** Empty means every skill, every graph. */
	readonly skills: readonly string[];
	readonly graphs: readonly string[];
	/** The token this one was delegated from; its money came from there and goes back there. */
	readonly parentId?: string | undefined;
	/** Wallet (CAIP-10) that bought it or whose failed call it credits; absent for tokens an operator issued. */
	readonly owner?: string | undefined;
	readonly origin?: "operator" | "purchase" | "credit" | "delegation" | undefined;
	/** First time it paid for anything; absent until then. */
	readonly usedAt?: number | undefined;
	/** When its holder ended it; absent for tokens an operator revoked. */
	readonly closedAt?: number | undefined;
}

/** What a token has held or spent on one UTC day (`tok_…|2026-11-21`), an account or key in a month, a key ever (`key_…|total`). */
export interface SpendingRow {
	readonly id: string;
	readonly spentMicros: Micros;
	readonly expiresAt: number;
}

/**
 * One payment on a chain, from its reservation on; `id` is made of (network, asset, payer, nonce), so that one
 * authorization is reserved once.
 *
 * reserved → settling → settled → captured | credited; reserved → released; settling → refused → released | settled;
 * settling → unknown → settled | released.
 */
export interface PaymentRow {
	readonly id: string;
	readonly state: PaymentState;
	readonly rail: "x402" | "mpp";
	/** CAIP-2, e.g. `eip155:84532`. */
	readonly network: string;
	readonly asset: string;
	readonly payer: string;
	readonly nonce: string;
	readonly payTo: string;
	/** Epoch seconds, as signed. */
	readonly validAfter: number;
	/** Kept while the outcome is open, so that a facilitator can be asked again. */
	readonly signature?: string | undefined;
	readonly amountMicros: Micros;
	/** End of the authorization's validity: from then on nobody can settle it any more. */
	readonly validBefore: number;
	/** CAIP-10 account id of the payer; names its ledger accounts. */
	readonly owner: string;
	/** Hash of operation and input: what this payment may buy. */
	readonly fingerprint: string;
	/** Hash of the signed authorization, so that its nonce alone proves nothing once the signature is gone. */
	readonly authorizationHash: string;
	readonly operationId: string;
	readonly billingType: string;
	readonly graphIds: readonly string[];
	readonly idempotencyId?: string | undefined;
	readonly transactionHash?: string | undefined;
	/** Ledger transaction that booked the settlement. */
	readonly settlementId?: string | undefined;
	readonly holdId?: string | undefined;
	readonly receiptId?: string | undefined;
	/** Token that was bought with it, or that credits a failed call. */
	readonly tokenId?: string | undefined;
	/** Job that owns its money, or owned it. */
	readonly jobId?: string | undefined;
	/** Why it was refused or released. */
	readonly reason?: string | undefined;
	/** The whole answer was handed to the caller's connection, or is being given for the second and last time. */
	readonly isDelivered?: boolean | undefined;
	readonly createdAt: number;
	readonly updatedAt: number;
	/** When the row may be forgotten: never before `validBefore`, never while its outcome is open. */
	readonly expiresAt: number;
}

export type PaymentState =
	| "reserved"
	| "settling"
	| "unknown"
	| "refused"
	| "settled"
	| "captured"
	| "credited"
	| "released";

/** Money on its way back: out of the ledger's `refunds` account once it is paid. */
export interface RefundRow {
	readonly id: string;
	/** The receipt or token it refunds. */
	readonly ref: string;
	readonly owner: string;
	readonly amountMicros: Micros;
	readonly reason: string;
	/** `paying` from before its transfer is sent until its outcome is known: it is never sent again meanwhile. */
	readonly state: "pending" | "paying" | "paid";
	/** CAIP-10 account it goes to; absent when the operator pays it by other means. */
	readonly destination?: string | undefined;
	readonly transactionHash?: string | undefined;
	/** Number of its transfer among those of our key; a second transfer of the same number replaces the first. */
	readonly nonce?: number | undefined;
	/** Transfers that were signed for it before; each of them may be the one that was carried out. */
	readonly earlierHashes?: readonly string[] | undefined;
	readonly createdAt: number;
	/** When its latest transfer was about to be sent. */
	readonly payingSince?: number | undefined;
	readonly paidAt?: number | undefined;
}

/** A transaction on a chain that a facilitator was believed to have settled with; never forgotten. */
export interface SettlementRow {
	/** 16 bytes of the hash of network and transaction. */
	readonly id: string;
}

export interface AccountRow {
	readonly id: string;
	/** Empty for accounts whose text is in their profile, a document that can vanish. */
	readonly label: string;
	readonly plan: "free";
	readonly hasPaymentMethod: boolean;
	readonly createdAt: number;
	/** When it was erased; what the ledger says of it stays, nothing that tells whose it was. */
	readonly closedAt?: number | undefined;
	/** When what its calls still wrote meanwhile was gone as well. */
	readonly erasedAt?: number | undefined;
	/** Keyed hash of issuer and claim, for accounts of an identity provider's subjects. */
	readonly subjectHash?: string | undefined;
	/** Keyed hash of the address that opened it by itself: its free calls are counted with all others of that address. */
	readonly quotaId?: string | undefined;
	/** "zero" keeps a hash of each query instead of its text; standard where absent. */
	readonly retention?: "standard" | "zero" | undefined;
	/** Whether its owner may choose zero retention. */
	readonly mayKeepNothing?: boolean | undefined;
	/** Most it spends in one UTC month. */
	readonly budgetMicros?: Micros | undefined;
	/** Percentages of the budget that its owner wants to know of. */
	readonly budgetAlerts?: readonly number[] | undefined;
}

/** What a key or a connection token may pay for; empty means every operation, every graph. */
interface GrantFields {
	readonly skills?: readonly string[] | undefined;
	readonly graphs?: readonly string[] | undefined;
	readonly expiresAt?: number | undefined;
	/** UTC day on which it last paid for anything. */
	readonly usedDay?: string | undefined;
}

export interface KeyRow extends GrantFields {
	readonly id: string;
	readonly hash: string;
	readonly accountId: string;
	/** Empty for keys whose label is in their account's profile. */
	readonly label: string;
	readonly status: "active" | "revoked";
	readonly createdAt: number;
	/** Whether it may change the account and its keys; true where absent. */
	readonly isManager?: boolean | undefined;
	readonly maxTotalMicros?: Micros | undefined;
	/** Most it spends in one UTC month. */
	readonly maxPerMonthMicros?: Micros | undefined;
	/** The secret before the latest rotation, good until `previousUntil`. */
	readonly previousHash?: string | undefined;
	readonly previousUntil?: number | undefined;
	readonly rotatedAt?: number | undefined;
	readonly revokedAt?: number | undefined;
}

/** A secret in an MCP address, for clients that cannot send headers. */
export interface ConnectionRow extends GrantFields {
	readonly id: string;
	readonly hash: string;
	readonly accountId: string;
	readonly status: "active" | "revoked";
	readonly createdAt: number;
	readonly revokedAt?: number | undefined;
}

/** What an account was answered for on one UTC day (`acc_…|2026-11-21`) or, once that is long ago, in one month (`acc_…|2026-11`). */
export interface UsageRow {
	readonly id: string;
	readonly accountId: string;
	readonly operations: Readonly<Record<string, UsageCount>>;
	readonly graphs: Readonly<Record<string, UsageCount>>;
	readonly keys: Readonly<Record<string, UsageCount>>;
	readonly expiresAt: number;
}

export interface UsageCount {
	readonly calls: number;
	readonly spentMicros: Micros;
}

/** A money-like counter, e.g. `acc_…|2026-11` (month) or `acc_…|2026-11-21` (day), free calls used; by a keyed hash where accounts share it. */
export interface QuotaRow {
	readonly id: string;
	readonly used: number;
	readonly expiresAt: number;
}

/** Decision D4; `id` is the hash of (principal, operation, key). */
export interface IdempotencyRow {
	readonly id: string;
	readonly fingerprint: string;
	readonly state: "in_flight" | "done";
	readonly holdId: string;
	/** Absent while it is in flight, and for a job that was not charged. */
	readonly receiptId: string | undefined;
	/** Job that was begun with it: the same one whenever it is used again. */
	readonly jobId?: string | undefined;
	/** Key, connection token or other grant of the account it was used with. */
	readonly grantId?: string | undefined;
	readonly createdAt: number;
	readonly expiresAt: number;
}

export interface ReceiptRow {
	readonly id: string;
	readonly holdId: string;
	readonly transactionId: string;
	readonly owner: string;
	readonly rail: string;
	readonly operationId: string;
	readonly billingType: string;
	/** What the caller paid; zero for a call of the free plan. */
	readonly amountMicros: Micros;
	readonly balanceAfterMicros: Micros;
	readonly fingerprint: string;
	readonly at: number;
	readonly graphIds?: readonly string[] | undefined;
	readonly keyId?: string | undefined;
	/** Places of the units that were paid for, where that was not all of them. */
	readonly paidUnits?: readonly number[] | undefined;
	/** Where the money moved, for payments on a chain. */
	readonly settlement?: SettlementFacts | undefined;
}

interface SettlementFacts {
	/** CAIP-2. */
	readonly network: string;
	readonly transactionHash: string;
	readonly payer: string;
	readonly paymentId: string;
}

/** What an owner said of an answer; the note, if any, lives in `documents` under the same id. */
export interface FeedbackRow {
	readonly id: string;
	readonly owner: string;
	/** Key, connection token or other grant of the account it was given with. */
	readonly grantId?: string | undefined;
	readonly requestId?: string | undefined;
	readonly receiptId?: string | undefined;
	readonly trendId?: string | undefined;
	readonly isUseful: boolean;
	readonly hasNote: boolean;
	readonly at: number;
	readonly expiresAt: number;
}

/** A result that can be read again; its text lives in `documents` under the same id. */
export interface ArtefactRow {
	readonly id: string;
	readonly owner: string;
	/** Key, connection token or other grant of the account that paid for it. */
	readonly grantId?: string | undefined;
	readonly kind: string;
	readonly createdAt: number;
	readonly expiresAt: number;
}

/**
 * Work that outlives its call and owns its hold. queued → running → completed | failed; from queued or running also →
 * cancelling → cancelled. What it was asked and what it keeps between passes are documents: `<id>-input`, `<id>-work`.
 */
export interface JobRow {
	readonly id: string;
	readonly owner: string;
	/** Key, connection token or other grant of the account it was begun with. */
	readonly grantId?: string | undefined;
	/** Which work it is. */
	readonly kind: string;
	readonly operationId: string;
	readonly billingType: string;
	readonly rail: string;
	readonly priceMicros: Micros;
	/** Hash of operation and input. */
	readonly fingerprint: string;
	readonly graphIds: readonly string[];
	/** Absent where it costs nothing. */
	readonly holdId?: string | undefined;
	readonly state: string;
	/** How it is done, as its caller asked for it, e.g. "fast". */
	readonly mode?: string | undefined;
	readonly passes: readonly string[];
	/** Passes that were begun, and those that were completed; never fewer than before. */
	readonly passesBegun: number;
	readonly passesDone: number;
	/** How often the pass under way was begun, and how long the completed ones took. */
	readonly passStarts: number;
	readonly ranMs: number;
	/** 0 to 100, never less than before, nor are the two counts behind it. */
	readonly percent: number;
	readonly considered: number;
	readonly read: number;
	/** Ids up to this one were given to events, or skipped. */
	readonly lastEventId: number;
	readonly stopReason?: string | undefined;
	/** What was taken of the price when it ended. */
	readonly chargedMicros?: Micros | undefined;
	readonly receiptId?: string | undefined;
	/** Token that holds what a payment on a chain gave back; `creditShownAt` is when its secret was told. */
	readonly creditTokenId?: string | undefined;
	readonly creditMicros?: Micros | undefined;
	readonly creditShownAt?: number | undefined;
	/** False once its id was told to somebody who may not be its payer: then no secret is. */
	readonly isProven: boolean;
	readonly createdAt: number;
	readonly startedAt?: number | undefined;
	readonly updatedAt: number;
	readonly endedAt?: number | undefined;
	/** When its report is gone; absent where there is none. */
	readonly reportExpiresAt?: number | undefined;
	/** When the row may be forgotten; long after it ended. */
	readonly expiresAt: number;
}

/** A research chat; its text (messages, ids of what was cited) lives in `documents` under the same id. */
export interface ChatRow {
	readonly id: string;
	/** Hash of owner, grant and the client's own name for it. */
	readonly key: string;
	readonly owner: string;
	/** Key, connection token or other grant of the account that holds it. */
	readonly grantId?: string | undefined;
	readonly createdAt: number;
	/** Its latest turn. */
	readonly usedAt: number;
	readonly expiresAt: number;
}

/** Which stream a caller's latest call of one input and retry key began; `id` is a hash of all three. */
export interface StreamRow {
	readonly id: string;
	readonly owner: string;
	/** The artefact that holds its events. */
	readonly streamId: string;
	readonly expiresAt: number;
}

/** An address that is told of events. Address, secrets and description lie sealed in `documents` under `documentId`. */
export interface WebhookRow {
	readonly id: string;
	readonly owner: string;
	/** Key, connection token or other grant of the account it was made with. */
	readonly grantId?: string | undefined;
	/** Told of everything its owner does; else of what was done under its own grant alone. */
	readonly isForAll: boolean;
	readonly documentId: string;
	/** The address as lists may show it. */
	readonly masked: string;
	readonly events: readonly string[];
	readonly status: "active" | "paused";
	readonly reason?: string | undefined;
	/** Attempts that failed one after the other, and since when. */
	readonly failedAttempts: number;
	readonly failingSince?: number | undefined;
	readonly createdAt: number;
	readonly deliveredAt?: number | undefined;
	/** Until when the secret before the last rotation signs too. */
	readonly previousUntil?: number | undefined;
	readonly expiresAt: number;
}

/** One event for one webhook; ids and closed words only. */
export interface WebhookDeliveryRow {
	/** Made from webhook and event: an event is delivered once, however often it is written down. */
	readonly id: string;
	readonly owner: string;
	readonly webhookId: string;
	readonly eventId: string;
	readonly type: string;
	readonly data: Readonly<Record<string, string>>;
	readonly occurredAt: number;
	readonly state: "pending" | "delivered" | "failed" | "skipped";
	/** All attempts, and those that failed since it was begun or begun again. */
	readonly attempts: number;
	readonly tries: number;
	/** The latest first. */
	readonly lastAttempts: readonly {
		readonly at: number;
		readonly httpStatus?: number | undefined;
		readonly failure?: string | undefined;
	}[];
	readonly nextAt: number;
	readonly updatedAt: number;
	readonly deliveredAt?: number | undefined;
	readonly expiresAt: number;
}

/** Where an A2A task stands; its text (messages, artifacts) lives in `documents`, under `documentId`. */
export interface TaskRow {
	readonly id: string;
	readonly owner: string;
	/** Key, connection token or other grant of the account that paid for it. */
	readonly grantId?: string | undefined;
	readonly contextId: string;
	readonly messageId: string;
	readonly state: string;
	readonly documentId: string;
	/** The job behind it, for work that outlives its call. */
	readonly jobId?: string | undefined;
	/** Somebody is still to be told of its end. */
	readonly isPushed?: boolean | undefined;
	readonly updatedAt: number;
	readonly expiresAt: number;
}

/** A subscription to briefings. Its topic and targets lie in `documents` under `documentId`, the targets sealed. */
export interface ScheduleRow {
	/** A capability: whoever knows it can change the schedule. */
	readonly id: string;
	readonly owner: string;
	/** Key, connection token or other grant of the account it was made with. */
	readonly grantId?: string | undefined;
	/** What its first week was paid with. */
	readonly callId: string;
	/** True once that payment was seen to be captured. */
	readonly isPaid: boolean;
	/** Who pays for the weeks that follow; nobody where absent. */
	readonly renewal?: ScheduleRenewal | undefined;
	readonly frequency: "daily" | "weekly";
	readonly timezone: string;
	readonly hour: number;
	readonly weekday: string;
	readonly status: "active" | "paused" | "failing" | "cancelled";
	readonly reason?: string | undefined;
	readonly channels: readonly ScheduleChannel[];
	readonly documentId: string;
	/** What a week costs, as agreed on when it was made. */
	readonly weekMicros: Micros;
	/** Weeks paid for that have not begun. */
	readonly prepaidWeeks: number;
	/** Last local day of the week that has begun. */
	readonly coveredThrough?: string | undefined;
	readonly createdAt: number;
	/** What was due before is none of its slots. */
	readonly startsAt: number;
	/** The scheduled run that is under way or waits for its next attempt. */
	readonly openRunId?: string | undefined;
	readonly lastRunId?: string | undefined;
	/** Runs that failed one after the other. */
	readonly failedRuns: number;
	/** Mails beside briefings on one UTC day. */
	readonly extraMails?: { readonly day: string; readonly count: number } | undefined;
	readonly textExpiresAt: number;
	readonly expiresAt: number;
}

/** What of an account pays for renewals; judged anew each time. */
export interface ScheduleRenewal {
	/** `tok_…` or `acc_…`. */
	readonly owner: string;
	readonly keyId?: string | undefined;
	readonly grantId?: string | undefined;
	readonly scope?:
		| { readonly skills: readonly string[]; readonly graphs: readonly string[] }
		| undefined;
}

export interface ScheduleChannel {
	readonly kind: "email" | "slack";
	/** The target as lists may show it. */
	readonly masked: string;
	readonly status: "ready" | "unconfirmed" | "unsubscribed" | "not_configured";
	/** Names the target in links; a new one with every new target. */
	readonly ref: string;
	/** A confirmation is to be mailed; how often that was tried. */
	readonly confirmTries?: number | undefined;
}

/** One briefing that was due, or asked for. Its text is an artefact of the same id while it can be picked up. */
export interface BriefingRunRow {
	/** Made from schedule and slot: a slot has one run, whoever comes first. */
	readonly id: string;
	readonly owner: string;
	readonly grantId?: string | undefined;
	readonly scheduleId: string;
	readonly kind: "scheduled" | "manual";
	/** Local day it is for. */
	readonly slot: string;
	readonly dueAt: number;
	readonly status: string;
	/** Counted from 1; what an earlier attempt finds out later does not count. */
	readonly attempt: number;
	/** Since when and until when the attempt, or the wait for the next, lasts. */
	readonly leasedAt: number;
	readonly leaseUntil: number;
	readonly channels: readonly {
		readonly kind: "email" | "slack";
		readonly ref: string;
		readonly status: "waiting" | "sending" | "sent" | "failed" | "unknown";
	}[];
	readonly startedAt: number;
	readonly finishedAt?: number | undefined;
	/** Receipt of the week that began with it. */
	readonly receiptId?: string | undefined;
	readonly expiresAt: number;
}

/**
 * What an authorization server keeps: a client, a grant, a code or a refresh token. What it says is a document of the
 * same id; the id is a keyed hash, so that no code and no token can be read from it.
 */
export interface OAuthRow {
	readonly id: string;
	/** Account it belongs to; the same for all clients, which belong to nobody. */
	readonly owner: string;
	readonly kind: "client" | "grant" | "code" | "refresh_token";
	/** API key that stands for the grant. */
	readonly keyId?: string | undefined;
	/** Row of the client that a grant was given to. */
	readonly clientId?: string | undefined;
	/** Keys of earlier grants that end once the code of this one is redeemed. */
	readonly replaces?: readonly string[] | undefined;
	/** When it was used for the only time it can be. */
	readonly consumedAt?: number | undefined;
	/** Whether anybody gave a client consent. */
	readonly isUsed?: boolean | undefined;
	/** Until when the key of a grant was last prolonged; whoever changed the key since has the last word. */
	readonly prolongedTo?: number | undefined;
	readonly createdAt: number;
	readonly expiresAt: number;
}
