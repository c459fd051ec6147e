import type { JobRow, Store } from "../../store/store.js";
import { type JobStatus, OPERATION_ADDRESSES } from "../contract/contract.js";
import { type Clock, formatUsd, notFound, toIsoTime } from "../kernel/kernel.js";
import type { Jobs } from "./job-control.js";
import { toJobCost } from "./job-events.js";
import { readJob } from "./job-rows.js";
import { JOB_LIMITS, type JobWire } from "./job-schemas.js";

/** Where a job stands, for a transport that has its own records of who may know. */
export interface JobView {
	readonly job: JobWire;
	readonly owner: string;
	/** Epoch milliseconds. */
	readonly updatedAt: number;
	/** When nothing of it is to be read any more, in epoch milliseconds. */
	readonly expiresAt: number;
	/** What a payment on a chain got back; its secret is shown with the job's own status alone. */
	readonly credit?: { readonly id: string; readonly balance_usd: string } | undefined;
}

/**
 * Jobs for transports that show them as something of their own, e.g. A2A as tasks. Nothing here asks who the caller is:
 * anyone who comes has found a record of theirs that names the job.
 */
export type JobViews = ReturnType<typeof createJobViews>;

export function createJobViews({ jobs, clock }: { jobs: Jobs; clock: Clock }) {
	return {
		/** Undefined once it is deleted or past its time. */
		async find(jobId: string): Promise<JobView | undefined> {
			const row = await jobs.find(jobId);
			return row && toJobView(row, clock.now());
		},
		/** The report while it is kept: its data, and the same as Markdown. */
		async reportOf(jobId: string) {
			const row = await jobs.find(jobId);
			const report = row && (await jobs.reportOf(row));
			return report && { report, text: jobs.workOf(row.kind).exportOf(report, "md") };
		},
		/** Asks for its end; one that has ended stays as it is. */
		async cancel(jobId: string): Promise<void> {
			await jobs.cancel(jobId);
		},
		/** Its events from the first one on; undefined for none. Throws RATE_LIMITED while too many read it. */
		async follow(jobId: string, signal: AbortSignal) {
			const row = await jobs.find(jobId);
			return row && jobs.events(row, 0, signal);
		},
		/** Called with every job that ends here. */
		onEnded(listener: (ended: { readonly jobId: string; readonly owner: string }) => void): void {
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

/** Where a job stands, for its owner. */
export function toJobWire(row: JobRow, now: number): JobWire {
	const { startedAt, endedAt, reportExpiresAt } = row;
	return {
		job_id: row.id,
		operation: row.operationId,
		status: statusOf(row, now),
		mode: row.mode ?? null,
		percent: row.percent,
		pass: row.passes[row.passesBegun - 1] ?? null,
		pass_number: row.passesBegun,
		passes: row.passes.length,
		sources_considered: row.considered,
		sources_read: row.read,
		stop_reason: row.stopReason ?? null,
		price_usd: formatUsd(row.priceMicros),
		cost: toJobCost(row),
		created_at: toIsoTime(row.createdAt),
		started_at: startedAt === undefined ? null : toIsoTime(startedAt),
		ended_at: endedAt === undefined ? null : toIsoTime(endedAt),
		report_expires_at: reportExpiresAt === undefined ? null : toIsoTime(reportExpiresAt),
		links: linksOf(row.id),
	};
}

function statusOf({ state, reportExpiresAt }: JobRow, now: number): JobStatus {
	const isOver = reportExpiresAt !== undefined && reportExpiresAt <= now;
	return state === "completed" && isOver ? "expired" : (state as JobStatus);
}

function linksOf(jobId: string): JobWire["links"] {
	const at = (operation: keyof typeof OPERATION_ADDRESSES) =>
		OPERATION_ADDRESSES[operation].path.replace("{job_id}", jobId);
	return {
		status: at("research.deep_dive.status"),
		events: at("research.deep_dive.events"),
		cancel: at("research.deep_dive.cancel"),
		sources: at("research.deep_dive.sources"),
		export: at("research.deep_dive.export"),
	};
}

/** What a launch answers of its job, from the rows alone; the function returned throws NOT_FOUND. */
export function createLaunchedJobs({ store, clock }: { store: Store; clock: Clock }) {
	return async (jobId: string): Promise<JobWire> => {
		const row = await readJob(store, jobId);
		if (row) return toJobWire(row, clock.now());
		throw notFound(`No job is called "${jobId}".`);
	};
}
