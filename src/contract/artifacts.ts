import type { Caller } from "./call.js";

/** Results that stay readable for a while; their text lives nowhere else (D5). */
export const ARTIFACT_KINDS = [
	"consultation",
	"verification",
	"verification_batch",
	"dossier",
	"brand",
	"report",
	"briefing",
	"stream",
] as const;

export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

/** What a skill asks to be kept of its answer. */
export interface KeptResult {
	readonly kind: ArtifactKind;
	/** Unguessable: it alone opens what a wallet paid for. */
	readonly id: string;
	/** JSON. */
	readonly data: unknown;
}

export interface Artifact extends KeptResult {
	readonly createdAt: number;
	readonly expiresAt: number;
}

export interface ArtifactPage {
	readonly items: readonly Omit<Artifact, "data">[];
	readonly next_cursor: string | null;
}

/**
 * One store for all result text: each piece belongs to anyone who paid for it, is read by no one else, and is gone when its
 * time is over or its owner deletes it. What a wallet paid for is opened by its id, as wallets have no session.
 */
export interface ArtifactRepository {
	/** Resolves to when it will be gone, durable before; undefined for callers whose account has zero retention: then nothing is kept. */
	keep(
		caller: Pick<Caller, "owner" | "access" | "keepsNoText">,
		result: KeptResult,
	): Promise<number | undefined>;
	/** Undefined alike when there is none, it is somebody else's, or its time is over. */
	find(
		caller: Pick<Caller, "owner" | "access">,
		kind: ArtifactKind,
		id: string,
	): Promise<Artifact | undefined>;
	/** Newest first; throws INVALID_ARGUMENT for a cursor of another list. */
	list(
		caller: Pick<Caller, "owner" | "access">,
		kind: ArtifactKind,
		page: { readonly limit: number; readonly cursor?: string | undefined },
	): Promise<ArtifactPage>;
	/** False when there was nothing of theirs to delete. */
	remove(
		caller: Pick<Caller, "owner" | "access">,
		kind: ArtifactKind,
		id: string,
	): Promise<boolean>;
}

/** Kind of the rows of turns at rest until they are paid for: results that no one is shown. */
export const STAGED_TURN = "chat_turn";

/** One event of a stream that is kept. */
export interface PlainEvent {
	readonly event: string;
	readonly data: unknown;
}

export interface KeptStream {
	readonly operation_id: string;
	readonly events: readonly PlainEvent[];
	/** How often it was begun anew; absent for the first. */
	readonly generation?: number | undefined;
}

/** Documents of an A2A task: what was said and answered, and who is notified when it changes. */
export const taskDocument = (taskId: string): string => `a2a-${taskId}`;
export const pushDocument = (taskId: string): string => `a2a-${taskId}-push`;

/** Files that a report can be had as. */
export const REPORT_FORMATS = ["md", "json", "html"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export const REPORT_MEDIA_TYPES: Readonly<Record<ReportFormat, string>> = {
	md: "text/markdown; charset=utf-8",
	json: "application/json; charset=utf-8",
	html: "text/html; charset=utf-8",
};

export interface ReportFile {
	readonly text: string | Uint8Array;
	readonly mediaType: string;
	readonly fileName: string;
}

/** A document that is served as it stands, with the hash its ETag is made of. */
export interface ServedDocument {
	readonly mediaType: string;
	readonly body: string | Uint8Array;
	readonly hash: string;
	/** Its address holds a secret: no cache may keep it. */
	readonly isSecret?: boolean;
	/** Content-Security-Policy that it is sent with; that of all replies, which allows nothing, where absent. */
	readonly policy?: string;
}
