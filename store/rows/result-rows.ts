/** What can be read again after its call; its text lies in `documents`, or in what a row names. */

/** A result that can be read again; its text lives in `documents` under the same id. */
export interface ArtifactRow {
	readonly id: string;
	readonly owner: string;
	/** Key, connection token or other grant of the account that paid for it. */
	readonly grantId?: string | undefined;
	readonly kind: string;
	readonly createdAt: number;
	readonly expiresAt: number;
}

/** Which stream a caller's latest call of one input and retry key began; `id` is a hash of all three. */
export interface StreamRow {
	readonly id: string;
	readonly owner: string;
	/** The artifact that holds its events. */
	readonly streamId: string;
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
