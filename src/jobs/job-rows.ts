import {
	beginAttempt,
	idempotencyIdOf,
	type JobHold,
	judgeAttempt,
	type Quote,
} from "../../payments/payments.js";
import type { JobRow, Store, StoreTransaction } from "../../store/store.js";
import {
	type Caller,
	grantIdOf,
	isOpenJob,
	type JobJson,
	type JobState,
} from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import { recordJobEnd } from "../webhooks/webhooks.js";
import { JOB_LIMITS } from "./job-schemas.js";

/** Owner of jobs that cost nothing and were asked for without a credential: the job's id opens it. */
export const UNPAID_OWNER = "unpaid:anyone";

/** What a job is, apart from money. */
export interface JobOrder {
	readonly kind: string;
	readonly operationId: string;
	readonly input: JobJson;
	readonly mode?: string | undefined;
	readonly passes: readonly string[];
	readonly caller: Caller | undefined;
}

export function toJobRow(
	id: string,
	order: JobOrder,
	held: Omit<JobHold, "hold"> &
		Partial<Pick<JobHold, "hold">> & { readonly now: number; readonly processId: string },
): JobRow {
	const { caller, kind, operationId, mode, passes } = order;
	const { hold, quote, fingerprint, graphIds, isProven, now, processId } = held;
	const grantId = grantIdOf(caller?.access);
	return {
		id,
		owner: caller?.owner ?? UNPAID_OWNER,
		...(grantId !== undefined && { grantId }),
		kind,
		operationId,
		billingType: quote.billingType,
		rail: caller?.rail ?? "free",
		priceMicros: quote.amountMicros,
		fingerprint,
		graphIds,
		...(hold && { holdId: hold.id }),
		state: "queued",
		...(mode !== undefined && { mode }),
		passes,
		passesBegun: 0,
		passesDone: 0,
		passStarts: 0,
		ranMs: 0,
		percent: 0,
		considered: 0,
		read: 0,
		lastEventId: 1,
		processId,
		isProven,
		createdAt: now,
		updatedAt: now,
		expiresAt: now + JOB_LIMITS.rowTtlMs,
	};
}

type Changed = Partial<JobRow> | undefined;

/**
 * The row of an open job of this process in one of these states, changed; undefined when it is gone, at an end, in another state or
 * another process's by now. What may not go back does not, whatever the change says.
 */
export async function changeJob(
	tx: StoreTransaction,
	{ id, from, now }: { id: string; from: readonly JobState[]; now: number },
	change: (row: JobRow) => Changed | Promise<Changed>,
): Promise<JobRow | undefined> {
	const row = await tx.get("jobs", id);
	if (!row || !isOpenJob(row.state) || !(from as readonly string[]).includes(row.state)) {
		return undefined;
	}
	if (row.processId !== undefined && row.processId !== tx.processId) return undefined;
	const changes = await change(row);
	if (!changes) return undefined;
	const next = { ...row, ...changes, updatedAt: now };
	const changed: JobRow = {
		...next,
		percent: Math.max(row.percent, next.percent),
		considered: Math.max(row.considered, next.considered),
		read: Math.max(row.read, next.read),
		passesBegun: Math.max(row.passesBegun, next.passesBegun),
		passesDone: Math.max(row.passesDone, next.passesDone),
		lastEventId: Math.max(row.lastEventId, next.lastEventId),
	};
	await tx.put("jobs", changed);
	await recordJobEnd(tx, changed, now);
	return changed;
}

/**
 * Makes an open job this process's, unless it is another's that has not ended; undefined then. Ids that events may have been
 * given after its last checkpoint are given to no other event.
 */
export async function takeOverJob(
	tx: StoreTransaction,
	{ id, now }: { id: string; now: number },
): Promise<JobRow | undefined> {
	const row = await tx.get("jobs", id);
	if (!row || !isOpenJob(row.state)) return undefined;
	const { processId, startedAt, lastEventId } = row;
	const isOthers = processId !== undefined && processId !== tx.processId;
	if (isOthers && (await tx.isAlive(processId))) return undefined;
	const skipped = startedAt === undefined ? 0 : JOB_LIMITS.eventGap;
	const taken = { ...row, processId: tx.processId, lastEventId: lastEventId + skipped };
	await tx.put("jobs", { ...taken, updatedAt: now });
	return taken;
}

/** The row as it is on the disk: no reply shows what a crash could take back. */
export function readJob(store: Store, id: string): Promise<JobRow | undefined> {
	return store.transaction((tx) => tx.get("jobs", id));
}

/** How much of the work is done; 100 is for jobs that have ended with it. */
export function percentOf({ passes, passesDone }: JobRow, share: number): number {
	const done = (passesDone + Math.min(1, Math.max(0, share))) / passes.length;
	return Math.min(99, Math.floor(100 * done));
}

/** What a job without a price is persisted with. */
export interface UnpaidTerms {
	readonly quote: Quote;
	readonly fingerprint: string;
	readonly idempotencyKey: string | undefined;
}

interface UnpaidOrder extends UnpaidTerms {
	readonly id: string;
	readonly order: JobOrder;
	/** Takes the job's place in the queue, or throws. */
	readonly reserve: () => void;
}

/**
 * A job that costs nothing: opened for this call, or by an earlier one with the same retry key, which is judged in the
 * transaction that writes the row. Throws IDEMPOTENCY_MISMATCH.
 */
export function openUnpaidJob(
	{ store, clock }: { readonly store: Store; readonly clock: Clock },
	{ id, order, reserve, quote, fingerprint, idempotencyKey }: UnpaidOrder,
) {
	const attemptId =
		idempotencyKey && attemptIdOf(order, { key: idempotencyKey, fingerprint, quote });
	const access = order.caller?.access;
	return store.transaction(async (tx) => {
		const now = clock.now();
		const earlier =
			attemptId && (await judgeAttempt(tx, { id: attemptId, fingerprint, access, now }));
		if (earlier && earlier.kind === "job") return { jobId: earlier.jobId, isNew: false };
		reserve();
		if (attemptId) await beginAttempt(tx, { id: attemptId, fingerprint, jobId: id, access, now });
		const { processId } = tx;
		const free = { quote, fingerprint, graphIds: [], isProven: false, now, processId };
		await tx.put("jobs", toJobRow(id, order, free));
		return { jobId: id, isNew: true };
	});
}

/** Callers without a credential do not meet under one key, unless they ask the same. */
function attemptIdOf(
	{ caller }: JobOrder,
	{ key, fingerprint, quote }: { key: string; fingerprint: string; quote: Quote },
): string {
	const { operationId } = quote;
	if (caller) return idempotencyIdOf(caller.owner, operationId, key);
	return idempotencyIdOf(UNPAID_OWNER, operationId, `${fingerprint}\n${key}`);
}
