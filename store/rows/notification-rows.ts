import type { Micros } from "../../src/kernel/kernel.js";
import type { OwnedRow } from "./account-rows.js";

/** A subscription to briefings; its id is a capability to change it. Topic and sealed targets lie in `documents`. */
export interface ScheduleRow extends OwnedRow {
	/** What its first week was paid with. */
	readonly callId: string;
	/** True once that payment was seen to be captured. */
	readonly isPaid: boolean;
	/** Who pays for the weeks that follow; no one where absent. */
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
}

/** What of an account pays for renewals; judged again each time. */
export interface ScheduleRenewal {
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

/** One briefing that was due, or asked for; its id is made from schedule and slot. Its text is an artifact of the same id. */
export interface BriefingRunRow extends OwnedRow {
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
	readonly receiptId?: string | undefined;
}

/** An address for events; address, secrets and description lie sealed in `documents` under `documentId`. */
export interface WebhookRow extends OwnedRow {
	/** Notified of everything its owner does; else of what was done under its own grant alone. */
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
}

/** One event for one webhook; ids and closed words only. */
export interface WebhookDeliveryRow {
	/** Made from webhook and event: an event is delivered once, however often it is persisted. */
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
