import type { JobBilling, JobPaid } from "../../payments/refunds/refunds.js";
import type { DocumentStore, JobRow, Store, StoreTransaction } from "../../store/store.js";
import {
	inputDocument,
	type JobJson,
	type JobState,
	type JobWork,
	jobDocuments,
	type WorkEnd,
	workDocument,
} from "../contract/contract.js";
import { type Clock, type Ids, type Logger, type Micros, ServiceError } from "../kernel/kernel.js";
import type { JobEvent } from "./job-events.js";
import { changeJob } from "./job-rows.js";
import { JOB_LIMITS } from "./job-schemas.js";

/** What jobs run on. */
export interface JobServices {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
	readonly billing: JobBilling;
	readonly works: readonly JobWork[];
	readonly reportTtlMs?: number | undefined;
	/** How many work at once. */
	readonly running?: number | undefined;
}

/** How jobs end: each time the money, the receipt and the row in one transaction, and only once. */
export type JobEndings = ReturnType<typeof createJobEndings>;

/** Why a job failed, as its owner sees it. */
export type FailureReason = "error" | "time" | "restarts" | "lost" | "size";

interface Ended {
	readonly end: WorkEnd;
	readonly lastEventId: number;
}

const WORKING: readonly JobState[] = ["running", "cancelling"];
const OPEN: readonly JobState[] = ["queued", ...WORKING];

export function createJobEndings({
	store,
	clock,
	billing,
	notes,
	reportTtlMs = JOB_LIMITS.reportTtlMs,
}: JobServices & { readonly notes: JobNotes }) {
	/** Text first: a row never points to a report that is missing. */
	const keepReport = async (id: string, end: WorkEnd | undefined) => {
		if (!end) return undefined;
		const text = JSON.stringify(end.report);
		if (text.length > JOB_LIMITS.reportChars) {
			throw new ServiceError(
				"INTERNAL",
				`The report is longer than ${JOB_LIMITS.reportChars} characters.`,
			);
		}
		const expiresAt = clock.now() + reportTtlMs;
		await notes.writeReport(id, text, expiresAt);
		return expiresAt;
	};

	const end = async (id: string, ended: Partial<Ended>, outcome: Outcome) => {
		const reportExpiresAt = await keepReport(id, ended.end);
		const now = clock.now();
		return store.transaction((tx) =>
			changeJob(tx, { id, from: outcome.from, now }, async (row) => {
				const { state, stopReason, amountMicros } = outcome.judge(row);
				const paid = await billing.capture(tx, row, amountMicros);
				if (reportExpiresAt !== undefined) await putReport(tx, row, { now, reportExpiresAt });
				return {
					state,
					stopReason,
					...toMoney(paid),
					...(state === "completed" && { percent: 100, passesDone: row.passes.length }),
					...(reportExpiresAt !== undefined && { reportExpiresAt }),
					endedAt: now,
					lastEventId: Math.max(ended.lastEventId ?? 0, row.lastEventId) + LAST_EVENTS,
				};
			}),
		);
	};

	return {
		/** The work is done: captured for an answer, released without one. A job being cancelled ends as cancelled. */
		complete: (id: string, ended: Ended) =>
			end(id, ended, {
				from: WORKING,
				judge(row) {
					if (row.state === "cancelling") return cancelled(row, ended.end);
					const { isAnswer, stopReason } = ended.end;
					const amountMicros = isAnswer ? row.priceMicros : 0n;
					return { state: "completed", stopReason, amountMicros };
				},
			}),

		/** Passes that were not begun are released, and all of it without an answer; whatever report there is yet stays its owner's. */
		cancel: (id: string, ended: Partial<Ended>) =>
			end(id, ended, { from: OPEN, judge: (row) => cancelled(row, ended.end) }),

		/** All of the price is released. */
		fail(id: string, reason: FailureReason, lastEventId: number): Promise<JobRow | undefined> {
			const now = clock.now();
			return store.transaction((tx) =>
				changeJob(tx, { id, from: OPEN, now }, async (row) => {
					const why = reason === "time" ? "timeout" : "failed";
					return {
						state: "failed",
						stopReason: reason,
						...toMoney(await billing.release(tx, row, why)),
						endedAt: now,
						lastEventId: Math.max(lastEventId, row.lastEventId) + LAST_EVENTS,
					};
				}),
			);
		},
	};
}

/** What a job costs and its last event take an id each. */
const LAST_EVENTS = 2;

interface Outcome {
	readonly from: readonly JobState[];
	readonly judge: (row: JobRow) => {
		readonly state: "completed" | "cancelled";
		readonly stopReason: string;
		readonly amountMicros: Micros;
	};
}

/**
 * The price of the passes that were begun: price × begun / passes, rounded down to a micro-USD. Cancelled or not, what is no
 * answer costs nothing (D3).
 */
function cancelled({ priceMicros, passesBegun, passes }: JobRow, end: WorkEnd | undefined) {
	const begunMicros = (priceMicros * BigInt(passesBegun)) / BigInt(passes.length);
	const amountMicros = end?.isAnswer ? begunMicros : 0n;
	return { state: "cancelled" as const, stopReason: "cancelled", amountMicros };
}

function toMoney({ chargedMicros, receiptId, credit }: JobPaid) {
	return {
		chargedMicros,
		...(receiptId !== undefined && { receiptId }),
		...(credit && { creditTokenId: credit.tokenId, creditMicros: credit.amountMicros }),
	};
}

async function putReport(
	tx: StoreTransaction,
	{ id, owner, grantId }: JobRow,
	{ now, reportExpiresAt }: { now: number; reportExpiresAt: number },
): Promise<void> {
	await tx.put("artefacts", {
		id,
		owner,
		...(grantId !== undefined && { grantId }),
		kind: "report",
		createdAt: now,
		expiresAt: reportExpiresAt,
	});
}

/** Where the work stands between two passes, and the events until then. */
export interface Checkpoint {
	readonly done: number;
	/** Absent once the job has ended. */
	readonly state?: JobJson | undefined;
	readonly events: readonly JobEvent[];
}

/** The text of jobs: what was asked, what is kept between passes. Durable when a write resolves. */
export type JobNotes = ReturnType<typeof createJobNotes>;

export function createJobNotes(documents: DocumentStore) {
	const read = async <T>(name: string): Promise<T | undefined> => {
		const text = await documents.get(name);
		return text === undefined ? undefined : (JSON.parse(text) as T);
	};
	return {
		writeInput: ({ id, expiresAt }: JobRow, input: JobJson) =>
			documents.put(inputDocument(id), JSON.stringify(input), expiresAt),
		readInput: (id: string) => read<JobJson>(inputDocument(id)),
		writeWork: (row: JobRow, checkpoint: Checkpoint) =>
			documents.put(workDocument(row.id), JSON.stringify(checkpoint), workExpiry(row)),
		readWork: (id: string) => read<Checkpoint>(workDocument(id)),
		writeReport: (id: string, text: string, expiresAt: number) =>
			documents.put(id, text, expiresAt),
		readReport: (id: string) => read<JobJson>(id),
		/** All of it. */
		async forget(id: string): Promise<void> {
			for (const name of [id, ...jobDocuments(id)]) await documents.delete(name);
		},
	};
}

/** As long as the report can be read; while it is open, longer than it may stay so. */
function workExpiry({ createdAt, endedAt, reportExpiresAt }: JobRow): number {
	if (endedAt === undefined) return createdAt + JOB_LIMITS.lifeMs + JOB_LIMITS.reportTtlMs;
	return reportExpiresAt ?? endedAt + JOB_LIMITS.reportTtlMs;
}
