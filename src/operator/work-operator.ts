import { z } from "zod";
import type { JobRow, Store } from "../../store/store.js";
import { digitsField } from "../contract/contract.js";
import type { Jobs } from "../jobs/jobs.js";
import { formatUsd, invalidArgument, notFound, toIsoTime } from "../kernel/kernel.js";

const PAGE = 50;
const PAGE_MAX = 500;

export const jobCommands = {
	list: z.strictObject({
		state: z.string().max(40).optional(),
		kind: z.string().max(80).optional(),
		limit: digitsField(PAGE_MAX).default(PAGE),
		cursor: z.string().max(80).optional(),
	}),
	one: z.strictObject({ job_id: z.string().min(1).max(80) }),
};

export interface JobOperatorDeps {
	readonly store: Store;
	readonly jobs: Pick<Jobs, "retry">;
}

/** Jobs of all owners, without what they were asked. */
export function createJobOperator({ store, jobs }: JobOperatorDeps) {
	return {
		/** Newest first. */
		async listJobs(question: z.input<typeof jobCommands.list>) {
			const { state, kind, limit, cursor } = jobCommands.list.parse(question);
			if (cursor !== undefined && !cursor.startsWith("job_")) {
				throw invalidArgument(
					'"cursor" is none of this list; take it from "next" of the page before.',
				);
			}
			const rows = await store.read((reader) => reader.list("jobs"));
			const found = rows
				.filter((row) => state === undefined || row.state === state)
				.filter((row) => kind === undefined || row.kind === kind)
				.filter(({ id }) => cursor === undefined || id < cursor)
				.reverse();
			const items = found.slice(0, limit).map(toWire);
			return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
		},
		/** Throws NOT_FOUND. */
		async getJob({ job_id: id }: z.output<typeof jobCommands.one>) {
			const row = await store.read((reader) => reader.get("jobs", id));
			if (row) return toWire(row);
			throw notFound(`No job is called "${id.slice(0, 80)}".`);
		},
		/** At no price; see `Jobs.retry`. */
		retryJob: async ({ job_id }: z.output<typeof jobCommands.one>) =>
			toWire(await jobs.retry(job_id)),
	};
}

function toWire(row: JobRow) {
	return {
		id: row.id,
		kind: row.kind,
		operation: row.operationId,
		owner: row.owner,
		state: row.state,
		reason: row.stopReason ?? null,
		percent: row.percent,
		price_usd: formatUsd(row.priceMicros),
		charged_usd: formatUsd(row.chargedMicros ?? 0n),
		receipt_id: row.receiptId ?? null,
		created_at: toIsoTime(row.createdAt),
		ended_at: row.endedAt === undefined ? null : toIsoTime(row.endedAt),
	};
}
