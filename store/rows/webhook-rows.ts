/** Who is told of events, and what became of it. */

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
