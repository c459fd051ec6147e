import type { Micros } from "../../src/kernel/kernel.js";

export type OperatorRole = "owner" | "editor" | "reader";

/** A credential for the admin API; its secret is stored as a keyed hash only. */
export interface OperatorRow {
	readonly id: string;
	readonly name: string;
	readonly role: OperatorRole;
	readonly hash: string;
	readonly createdAt: number;
	readonly revokedAt?: number | undefined;
}

/** An operator who is signed in to the dashboard, named by the keyed hash of the secret that the browser has. */
export interface OperatorSessionRow {
	readonly id: string;
	/** Whose key opened it; absent for the admin token. */
	readonly operatorId?: string | undefined;
	/** Keyed hash of the admin token that opened it. */
	readonly adminHash?: string | undefined;
	readonly createdAt: number;
	/** Of its latest request, to the minute. */
	readonly seenAt: number;
	readonly expiresAt: number;
}

/**
 * One line of the audit log, never changed once it is written. A change has two: `begun` before it happens, and how it ended,
 * which names the first by `beginId`. Each holds the hash of the line before it.
 */
export interface AuditRow {
	readonly id: string;
	/** From 1 on, without gaps. */
	readonly sequence: number;
	readonly at: number;
	readonly actor: string;
	readonly role: OperatorRole;
	/** Where it was given, if not by the API or a command line. */
	readonly via?: "dashboard" | undefined;
	readonly command: string;
	readonly target: string;
	readonly outcome: "begun" | "done" | "failed" | "interrupted";
	/** Code of the error it failed with. */
	readonly code?: string | undefined;
	readonly beginId?: string | undefined;
	/** The process that began it. */
	readonly processId?: string | undefined;
	/** JSON of what was changed, as it was and as it is; no secrets, no query text. */
	readonly before?: string | undefined;
	readonly after?: string | undefined;
	readonly previousHash: string;
	readonly hash: string;
}

/** A retry key of an operator; the reply it is answered with is a sealed document of the same id. */
export interface OperatorRequestRow {
	readonly id: string;
	readonly fingerprint: string;
	readonly auditId: string;
	readonly isDone: boolean;
	readonly expiresAt: number;
}

/** What only the keys in the file of this name give; see `createKeyChecks`. */
export interface KeyCheckRow {
	readonly id: string;
	/** Of the newest key. */
	readonly check: string;
	/** Of older ones that are still in force, newest first. */
	readonly older?: readonly string[] | undefined;
	/** Of those that are kept only to read what was made with them. */
	readonly retired?: readonly string[] | undefined;
	readonly rotatedAt?: number | undefined;
}

/** Which process does what only one may do at a time; `id` names the work. */
export interface LeaderRow {
	readonly id: string;
	readonly processId: string;
}

/** The last moment at which the clock could be trusted. */
export interface TrustedTimeRow {
	readonly id: string;
	readonly at: number;
}

/** What an operator decided of a feed of supplemental data; its id is the feed's. */
export interface FeedSettingRow {
	readonly id: string;
	readonly isEnabled: boolean;
	readonly intervalMs?: number | undefined;
}

/** Prices that an operator set; the highest version counts, over the configuration. */
export interface PriceVersionRow {
	readonly id: string;
	readonly version: number;
	readonly at: number;
	readonly by: string;
	/** Every price that differs from the configured one. */
	readonly prices: Readonly<Record<string, { readonly amountMicros: Micros }>>;
}
