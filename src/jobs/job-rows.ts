import type { JobHold } from "../../payments/payments.js";
import type { JobRow, Store, StoreTransaction } from "../../store/store.js";
import {
	type Caller,
	grantIdOf,
	isOpenJob,
	type JobJson,
	type JobState,
} from "../contract/contract.js";
import { recordJobEnd } from "../webhooks/webhooks.js";
import { JOB_LIMITS } from "./job-limits.js";

/** Who did not have to show who they are, because it cost nothing: the job's id opens it. */
export const UNPAID_OWNER = "unpaid:anyone";

/** What a job is before money is spoken of. */
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
	held: Omit<JobHold, "hold"> & Partial<Pick<JobHold, "hold">> & { readonly now: number },
): JobRow {
	const { caller, kind, operationId, mode, passes } = order;
	const { hold, quote, fingerprint, graphIds, isProven, now } = held;
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
		isProven,
		createdAt: now,
		updatedAt: now,
		expiresAt: now + JOB_LIMITS.rowTtlMs,
	};
}

type Changed = Partial<JobRow> | undefined;

/**
 * The row of an open job in one of these states, changed; undefined when it is gone, at an end or elsewhere. What may not
 * go back does not, whatever the change says.
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

/** The row as it is on the disk: nobody is told what a crash could take back. */
export function readJob(
	store: Pick<Store, "transaction">,
	id: string,
): Promise<JobRow | undefined> {
	return store.transaction((tx) => tx.get("jobs", id));
}

/** How much of the work is done; 100 is for jobs that have ended with it. */
export function percentOf({ passes, passesDone }: JobRow, share: number): number {
	const done = (passesDone + Math.min(1, Math.max(0, share))) / passes.length;
	return Math.min(99, Math.floor(100 * done));
}
