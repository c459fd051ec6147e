import type { JobRow } from "../../store/store.js";
import type { JobJson } from "../contract/contract.js";
import { type Clock, formatUsd } from "../kernel/kernel.js";
import type { Jobs } from "./job-control.js";
import type { JobEvent } from "./job-events.js";
import { JOB_LIMITS } from "./job-limits.js";
import type { JobWire } from "./job-schemas.js";
import { toJobWire } from "./job-wire.js";

/** Where a job stands, for a transport that has its own records of who may know. */
export interface JobView {
	readonly job: JobWire;
	readonly owner: string;
	/** Epoch milliseconds. */
	readonly updatedAt: number;
	/** When nothing of it is to be read any more, in epoch milliseconds. */
	readonly expiresAt: number;
	/** What a payment on a chain got back; its secret is told with the job's own status alone. */
	readonly credit?: { readonly id: string; readonly balance_usd: string } | undefined;
}

/**
 * Jobs for transports that show them as something of their own, e.g. A2A as tasks. Nothing here asks who the caller is:
 * whoever comes has found a record of theirs that names the job.
 */
export interface JobViews {
	/** Undefined once it is deleted or past its time. */
	find(jobId: string): Promise<JobView | undefined>;
	/** The report while it is kept: its data, and the same as Markdown. */
	reportOf(jobId: string): Promise<{ readonly report: JobJson; readonly text: string } | undefined>;
	/** Asks for its end; one that has ended stays as it is. */
	cancel(jobId: string): Promise<void>;
	/** Everything it tells from its first event on; undefined for none. Throws RATE_LIMITED while too many read it. */
	follow(
		jobId: string,
		signal: AbortSignal,
	): Promise<AsyncGenerator<JobEvent, void, undefined> | undefined>;
	/** Told of every job that ends here. */
	onEnded(listener: (ended: { readonly jobId: string; readonly owner: string }) => void): void;
}

export function createJobViews({ jobs, clock }: { jobs: Jobs; clock: Clock }): JobViews {
	return {
		async find(jobId) {
			const row = await jobs.find(jobId);
			return row && toJobView(row, clock.now());
		},
		async reportOf(jobId) {
			const row = await jobs.find(jobId);
			const report = row && (await jobs.reportOf(row));
			return report && { report, text: jobs.workOf(row.kind).exportOf(report, "md") };
		},
		async cancel(jobId) {
			await jobs.cancel(jobId);
		},
		async follow(jobId, signal) {
			const row = await jobs.find(jobId);
			return row && jobs.events(row, 0, signal);
		},
		onEnded(listener) {
			jobs.onEnded(({ id: jobId, owner }) => listener({ jobId, owner }));
		},
	};
}

function toJobView(row: JobRow, now: number): JobView {
	const { owner, createdAt, endedAt, reportExpiresAt, creditTokenId, creditMicros = 0n } = row;
	const { lifeMs, reportTtlMs } = JOB_LIMITS;
	return {
		job: toJobWire(row, now),
		owner,
		updatedAt: row.updatedAt,
		expiresAt: reportExpiresAt ?? (endedAt ?? createdAt + lifeMs) + reportTtlMs,
		...(creditTokenId && {
			credit: { id: creditTokenId, balance_usd: formatUsd(creditMicros) },
		}),
	};
}
