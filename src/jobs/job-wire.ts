import type { JobRow, Store } from "../../store/store.js";
import { type JobStatus, OPERATION_ADDRESSES } from "../contract/contract.js";
import { type Clock, formatUsd, ServiceError, toIsoTime } from "../kernel/kernel.js";
import { toJobCost } from "./job-cost.js";
import { readJob } from "./job-rows.js";
import type { JobWire } from "./job-schemas.js";

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

/** What a launch tells of its job, from the rows alone. Throws NOT_FOUND. */
export function createLaunchedJobs({
	store,
	clock,
}: {
	readonly store: Pick<Store, "transaction">;
	readonly clock: Clock;
}): (jobId: string) => Promise<JobWire> {
	return async (jobId) => {
		const row = await readJob(store, jobId);
		if (row) return toJobWire(row, clock.now());
		throw new ServiceError("NOT_FOUND", `No job is called "${jobId}".`);
	};
}
