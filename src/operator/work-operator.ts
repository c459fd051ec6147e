import { z } from "zod";
import type { Feeds } from "../../skills/feeds/feeds.js";
import type { FeedSettingRow, JobRow, Store, StoreReader } from "../../store/store.js";
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

const INTERVAL_SECONDS_MAX = 86_400;

export const feedCommands = {
	one: z.strictObject({ feed_id: z.string().min(1).max(120) }),
	set: z.strictObject({
		feed_id: z.string().min(1).max(120),
		/** Whether its source is asked and its values are shown. */
		enabled: z.boolean().optional(),
		/** Least seconds between two requests to its host; null for what the registry says. */
		interval_s: z.int().min(1).max(INTERVAL_SECONDS_MAX).nullable().optional(),
	}),
};

export interface FeedOperatorDeps {
	readonly store: Store;
	readonly feeds: Pick<Feeds, "get" | "configure">;
}

/** Feeds of supplemental data, as the operator of this server wants them. */
export function createFeedOperator({ store, feeds }: FeedOperatorDeps) {
	const show = async (row: FeedSettingRow) => {
		const { id, title, intervalMs } = await feeds.get(row.id);
		return { id, title, enabled: row.isEnabled, interval_s: (row.intervalMs ?? intervalMs) / 1000 };
	};
	const find = async (reader: StoreReader, id: string): Promise<FeedSettingRow> =>
		(await reader.get("feed_settings", id)) ?? { id, isEnabled: true };
	return {
		/** Throws NOT_FOUND, with near ids. */
		getFeed: async ({ feed_id: id }: z.output<typeof feedCommands.one>) =>
			show(await store.read((reader) => find(reader, id))),
		async setFeed({ feed_id: id, enabled, interval_s }: z.output<typeof feedCommands.set>) {
			await feeds.get(id);
			const row = await store.transaction(async (tx) => {
				const before = await find(tx, id);
				const changed: FeedSettingRow = {
					...before,
					...(enabled !== undefined && { isEnabled: enabled }),
					...(interval_s !== undefined && {
						intervalMs: interval_s === null ? undefined : interval_s * 1000,
					}),
				};
				await tx.put("feed_settings", changed);
				return changed;
			});
			feeds.configure(id, row);
			return show(row);
		},
	};
}

/** What an earlier process was given. */
export async function loadFeedSettings({ store, feeds }: FeedOperatorDeps): Promise<void> {
	for (const row of await store.read((reader) => reader.list("feed_settings"))) {
		feeds.configure(row.id, row);
	}
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
