import type { Micros } from "../../src/kernel/kernel.js";
import type { OwnedRow } from "./account-rows.js";

/** A result that can be read again; its text lives in `documents` under the same id. */
export interface ArtifactRow extends OwnedRow {
	readonly kind: string;
	/** The process that follows a turn of a chat until it is paid for. */
	readonly processId?: string | undefined;
	readonly createdAt: number;
}

/** Which stream a caller's latest call of one input and retry key began; `id` is a hash of all three. */
export interface StreamRow {
	readonly id: string;
	readonly owner: string;
	/** The artifact that holds its events, once it has ended. */
	readonly streamId: string;
	/** The process that writes it, while it is being written. */
	readonly processId?: string | undefined;
	readonly grantId?: string | undefined;
	/** Until when its process may take; a process that lives and writes no longer does not matter from then on. */
	readonly writtenUntil?: number | undefined;
	/** What it was paid for by. */
	readonly receiptId?: string | undefined;
	/** In its own row: the row that names it. */
	readonly name?: string | undefined;
	/** How often it was begun anew before. */
	readonly generation?: number | undefined;
	/** The stream that was written in its place, where its process ended before it did. */
	readonly replacedBy?: string | undefined;
	readonly expiresAt: number;
}

/** A research chat; its text (messages, ids of what was cited) lives in `documents` under the same id. */
export interface ChatRow extends OwnedRow {
	/** Hash of owner, grant and the client's own name for it. */
	readonly key: string;
	readonly createdAt: number;
	/** Its latest turn. */
	readonly usedAt: number;
}

/** Who has or awaits a turn, in the order in which they came; a row that says none is deleted. */
export interface TurnQueueRow {
	readonly id: string;
	readonly waiting: readonly TurnTicket[];
}

export interface TurnTicket {
	readonly processId: string;
	/** Its number, among those of its process. */
	readonly n: number;
	readonly until: number;
}

/** Where an A2A task stands; its text (messages, artifacts) lives in `documents`, under `documentId`. */
export interface TaskRow extends OwnedRow {
	readonly contextId: string;
	readonly messageId: string;
	readonly state: string;
	readonly documentId: string;
	/** The job behind it, for work that outlives its call. */
	readonly jobId?: string | undefined;
	/** The process that works on it while it is not at an end. */
	readonly processId?: string | undefined;
	/** A push notification of its end is still to be sent. */
	readonly isPushed?: boolean | undefined;
	readonly updatedAt: number;
}

/**
 * An A2A task that waits for its payment, where several processes share the books; what was asked lives in `documents`, under
 * `documentId`, a new one with every change.
 */
export interface WaitingTaskRow {
	readonly id: string;
	readonly documentId: string;
	/** Grows with every change and every claim: who writes names the one it saw. */
	readonly version: number;
	/** The process that counts it, and that works on its payment while there is one. */
	readonly processId: string;
	/** Hash of the payment that is under way. */
	readonly paying?: string | undefined;
	/** Since when: a claim that was lost by its process ends by itself. */
	readonly payingSince?: number | undefined;
	readonly expiresAt: number;
}

/** What an owner said of an answer; the note, if any, lives in `documents` under the same id. */
export interface FeedbackRow extends OwnedRow {
	readonly requestId?: string | undefined;
	readonly receiptId?: string | undefined;
	readonly trendId?: string | undefined;
	readonly isUseful: boolean;
	readonly hasNote: boolean;
	readonly at: number;
}

/**
 * Work that outlives its call and owns its hold. queued → running → completed | failed; from queued or running also →
 * canceling → cancelled. What it was asked and what it keeps between passes are documents: `<id>-input`, `<id>-work`.
 */
export interface JobRow extends OwnedRow {
	readonly kind: string;
	readonly operationId: string;
	readonly billingType: string;
	readonly rail: string;
	readonly priceMicros: Micros;
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
	/** The process that works on it, or lets it wait, while it is open; another takes it up once that has ended. */
	readonly processId?: string | undefined;
	/** Ids up to this one were given to events, or skipped. */
	readonly lastEventId: number;
	readonly stopReason?: string | undefined;
	/** What was taken of the price when it ended. */
	readonly chargedMicros?: Micros | undefined;
	readonly receiptId?: string | undefined;
	/** Token that holds what a payment on a chain refunded; `creditShownAt` is when its secret was sent. */
	readonly creditTokenId?: string | undefined;
	readonly creditMicros?: Micros | undefined;
	readonly creditShownAt?: number | undefined;
	/** False once its id was sent to a caller who may not be its payer: then no secret is. */
	readonly isProven: boolean;
	readonly createdAt: number;
	readonly startedAt?: number | undefined;
	readonly updatedAt: number;
	readonly endedAt?: number | undefined;
	/** When its report is gone; absent where there is none. */
	readonly reportExpiresAt?: number | undefined;
}
