import { z } from "zod";
import type { Feeds } from "../../../skills/feeds/feeds.js";
import type {
	FeedSettingRow,
	JobRow,
	ScheduleRow,
	Store,
	StoreReader,
	WebhookRow,
} from "../../../store/store.js";
import { digitsField } from "../../contract/contract.js";
import type { Jobs } from "../../jobs/jobs.js";
import { formatUsd, invalidArgument, notFound, toIsoTime } from "../../kernel/kernel.js";

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
	readonly feeds: Pick<Feeds, "get" | "configure" | "mode" | "recall" | "registry">;
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
		/** All of them, and how their sources answered last. */
		async listFeeds() {
			const ids = [...(await feeds.registry()).keys()];
			const rows = await store.read((reader) => Promise.all(ids.map((id) => find(reader, id))));
			const items = await Promise.all(
				rows.map(async (row) => {
					const { reason, failures } = await feeds.recall(await feeds.get(row.id));
					return { ...(await show(row)), failures, problem: reason ?? null };
				}),
			);
			return { mode: feeds.mode, items };
		},
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

/** What callers let be done for them again and again, without its text: nothing here names a topic, an address or a secret. */
export function createSubscriptionLists({ store }: { readonly store: Store }) {
	return {
		/** Newest first. An id opens its schedule to anyone where no credential was shown, so its beginning alone is named. */
		async listSchedules() {
			const rows = await store.read((reader) => reader.list("schedules"));
			return { items: rows.map(toSchedule).reverse() };
		},
		/** Newest first. */
		async listWebhooks() {
			const rows = await store.read((reader) => reader.list("webhooks"));
			return { items: rows.map(toWebhook).reverse() };
		},
	};
}

const SCHEDULE_ID_CHARS = 14;

function toSchedule(row: ScheduleRow) {
	return {
		id: `${row.id.slice(0, SCHEDULE_ID_CHARS)}…`,
		owner: row.owner,
		frequency: row.frequency,
		timezone: row.timezone,
		hour: row.hour,
		status: row.status,
		reason: row.reason ?? null,
		channels: row.channels.map(({ kind, status }) => ({ kind, status })),
		week_price_usd: formatUsd(row.weekMicros),
		weeks_prepaid: row.prepaidWeeks,
		renews: row.renewal !== undefined,
		failed_runs: row.failedRuns,
		created_at: toIsoTime(row.createdAt),
	};
}

function toWebhook(row: WebhookRow) {
	return {
		id: row.id,
		owner: row.owner,
		/** Host of its address; the rest may be a secret. */
		target_masked: row.masked,
		events: row.events,
		status: row.status,
		reason: row.reason ?? null,
		failed_attempts: row.failedAttempts,
		created_at: toIsoTime(row.createdAt),
		last_delivered_at: row.deliveredAt === undefined ? null : toIsoTime(row.deliveredAt),
	};
}
