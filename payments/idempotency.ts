import { hash } from "node:crypto";
import { type AccountAccess, grantIdOf, LIMITS, maySeeAgain } from "../src/contract/contract.js";
import { ServiceError, toCanonicalJson } from "../src/kernel/kernel.js";
import type { IdempotencyRow, StoreReader, StoreTransaction } from "../store/store.js";

/** Decision D4: what a repeated key means. */
export type Attempt =
	| { readonly kind: "first" }
	/** Paid and delivered before: the same receipt, the work again at price zero. */
	| { readonly kind: "replay"; readonly receiptId: string }
	/** It launched a job, which is running or has ended, charged or not. */
	| { readonly kind: "job"; readonly jobId: string };

/** A retry key as one call uses it. */
type KeyUse = Pick<IdempotencyRow, "id" | "fingerprint"> & {
	readonly access?: AccountAccess | undefined;
	readonly now: number;
};

/** sha256 of operation and canonical input: what a payment or a key was used for. */
export function fingerprintOf(operationId: string, input: unknown): string {
	return hash("sha256", `${operationId}\n${toCanonicalJson(input)}`, "base64url");
}

/** Keys of different callers or operations never meet. */
export function idempotencyIdOf(owner: string, operationId: string, key: string): string {
	return hash("sha256", `${owner}\n${operationId}\n${key}`, "base64url");
}

/** What a repeated key means, inside the admission's transaction. Throws IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_FLIGHT. */
export async function judgeAttempt(
	reader: StoreReader,
	{ id, fingerprint, access, now }: KeyUse,
): Promise<Attempt> {
	const row = await reader.get("idempotency", id);
	if (!row || (row.expiresAt <= now && !(await hasOpenJob(reader, row)))) return { kind: "first" };
	if (!maySeeAgain(access, await grantOf(reader, row, access))) {
		throw new ServiceError(
			"IDEMPOTENCY_MISMATCH",
			"This idempotency key was used with another credential of the account; use a new idempotency key.",
		);
	}
	if (row.fingerprint !== fingerprint) {
		throw new ServiceError(
			"IDEMPOTENCY_MISMATCH",
			"This idempotency key was used for another request; use a new key for a new request.",
		);
	}
	if (row.jobId !== undefined) return judgeJob(reader, row.jobId);
	if (row.state === "done" && row.receiptId !== undefined) {
		return { kind: "replay", receiptId: row.receiptId };
	}
	// A crash may leave the row without its hold: then no call is in progress.
	if (!(await reader.get("holds", row.holdId))) return { kind: "first" };
	throw new ServiceError(
		"IDEMPOTENCY_IN_FLIGHT",
		"A request with this idempotency key is still being answered; send it again in a moment.",
		{ retryAfterSeconds: LIMITS.retryAfterSeconds },
	);
}

/** A job whose question was lost before it began cost nothing and did nothing: its caller, who has the question, launches it anew. */
async function judgeJob(reader: StoreReader, jobId: string): Promise<Attempt> {
	const job = await reader.get("jobs", jobId);
	const isLost = job?.state === "failed" && job.stopReason === "lost" && job.passesBegun === 0;
	return isLost ? { kind: "first" } : { kind: "job", jobId };
}

/** The grant a row was made under; for rows without one, the key that paid, else the grant of the caller. */
async function grantOf(
	reader: StoreReader,
	{ grantId, receiptId, holdId }: IdempotencyRow,
	access: AccountAccess | undefined,
): Promise<string | undefined> {
	if (grantId !== undefined) return grantId;
	const paid =
		receiptId === undefined
			? await reader.get("holds", holdId)
			: await reader.get("receipts", receiptId);
	return paid?.keyId ?? grantIdOf(access);
}

/** Marks the key as being worked on under this hold, and the capture marks it done in its own transaction; without a hold it is done. */
export async function beginAttempt(
	tx: StoreTransaction,
	input: KeyUse & Partial<Pick<IdempotencyRow, "holdId" | "jobId">>,
): Promise<void> {
	const row: IdempotencyRow = {
		id: input.id,
		fingerprint: input.fingerprint,
		state: input.holdId === undefined ? "done" : "in_flight",
		holdId: input.holdId ?? "",
		receiptId: undefined,
		...(input.jobId !== undefined && { jobId: input.jobId }),
		grantId: grantIdOf(input.access),
		createdAt: input.now,
		expiresAt: input.now + LIMITS.idempotencyTtlMs,
	};
	await tx.put("idempotency", row);
}

/** Whether the work an attempt began still holds its price: a job may outlive the key it was begun with. */
export async function hasOpenJob(
	reader: StoreReader,
	{ jobId, holdId }: IdempotencyRow,
): Promise<boolean> {
	return jobId !== undefined && (await reader.get("holds", holdId)) !== undefined;
}
