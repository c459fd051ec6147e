import { DataTable } from "./data-table.js";
import { Shown, useLoad } from "./loading.js";
import { Button, count, type PartProps, state, time, usd } from "./part.js";

/** What runs for callers: jobs, schedules, feeds and webhooks. */

interface Job {
	readonly id: string;
	readonly kind: string;
	readonly operation: string;
	readonly owner: string;
	readonly state: string;
	readonly reason: string | null;
	readonly percent: number;
	readonly price_usd: string;
	readonly charged_usd: string;
	readonly created_at: string;
}

export function JobsPart({ admin, change }: PartProps) {
	const loaded = useLoad(() =>
		admin.ask<{ items: readonly Job[]; next: string | null }>("/jobs", { query: { limit: "500" } }),
	);
	const retry = ({ id }: Job) =>
		change({
			title: `Begin ${id} again`,
			words: "It runs again at no price.",
			verb: "Begin it again",
			rehearses: false,
			toOrder: () => ({ method: "POST", path: `/jobs/${encodeURIComponent(id)}/retry` }),
			onDone: loaded.reload,
		});
	return (
		<Shown of={loaded}>
			{({ items, next }) => (
				<DataTable<Job>
					title="Jobs, newest first"
					rows={items}
					columns={[
						{ name: "Job", value: ({ id }) => id, kind: "code" },
						{ name: "Operation", value: ({ operation }) => operation, kind: "code" },
						{ name: "Owner", value: ({ owner }) => owner, kind: "code" },
						state("State", (row) => row.state),
						{ name: "Reason", value: ({ reason }) => reason },
						count("Percent", ({ percent }) => percent, false),
						usd("Held, USD", ({ price_usd }) => price_usd, false),
						usd("Charged, USD", ({ charged_usd }) => charged_usd),
						time("Begun", ({ created_at }) => created_at),
					]}
					keyOf={({ id }) => id}
					none="No long work was asked for yet."
					foot={next !== null && "The latest 500 are shown; GET /v1/admin/jobs has all of them."}
					actions={
						admin.may("editor")
							? (row) =>
									row.state === "failed" && (
										<Button label="Again" of={row.id} onClick={() => retry(row)} />
									)
							: undefined
					}
				/>
			)}
		</Shown>
	);
}

interface Schedule {
	readonly id: string;
	readonly owner: string;
	readonly frequency: string;
	readonly timezone: string;
	readonly hour: number;
	readonly status: string;
	readonly reason: string | null;
	readonly channels: readonly { readonly kind: string; readonly status: string }[];
	readonly week_price_usd: string;
	readonly weeks_prepaid: number;
	readonly renews: boolean;
	readonly failed_runs: number;
	readonly created_at: string;
}

export function Schedules({ admin }: PartProps) {
	const loaded = useLoad(() => admin.ask<{ items: readonly Schedule[] }>("/schedules"));
	return (
		<Shown of={loaded}>
			{({ items }) => (
				<DataTable<Schedule>
					title="Schedules of briefings"
					rows={items}
					columns={[
						{ name: "Schedule", value: ({ id }) => id, kind: "code" },
						{ name: "Owner", value: ({ owner }) => owner, kind: "code" },
						{
							name: "Rhythm",
							value: ({ frequency, hour, timezone }) => `${frequency}, ${hour}:00 ${timezone}`,
						},
						state("State", ({ status }) => status),
						{ name: "Reason", value: ({ reason }) => reason },
						{
							name: "Channels",
							value: ({ channels }) =>
								channels.map(({ kind, status }) => `${kind} ${status}`).join(", "),
						},
						count("Weeks prepaid", ({ weeks_prepaid }) => weeks_prepaid),
						{ name: "Renews", value: ({ renews }) => (renews ? "yes" : "no") },
						count("Failed runs", ({ failed_runs }) => failed_runs),
						usd("Week, USD", ({ week_price_usd }) => week_price_usd),
					]}
					keyOf={({ id, created_at }, at) => `${id} ${created_at} ${at}`}
					none="No one has ordered briefings yet."
				/>
			)}
		</Shown>
	);
}

interface Feed {
	readonly id: string;
	readonly title: string;
	readonly enabled: boolean;
	readonly interval_s: number;
	readonly failures: number;
	readonly problem: string | null;
}

export function FeedsPart({ admin, change }: PartProps) {
	const loaded = useLoad(() => admin.ask<{ mode: string; items: readonly Feed[] }>("/feeds"));
	const toggle = ({ id, title, enabled }: Feed) =>
		change({
			title: `Switch ${title} ${enabled ? "off" : "on"}`,
			words: enabled
				? "Its source is not asked, and its values are not shown."
				: "Its source is asked, and its values are shown.",
			verb: enabled ? "Switch it off" : "Switch it on",
			isStop: enabled,
			rehearses: true,
			toOrder: () => ({
				method: "PATCH",
				path: `/feeds/${encodeURIComponent(id)}`,
				body: { enabled: !enabled },
			}),
			onDone: loaded.reload,
		});
	return (
		<Shown of={loaded}>
			{({ mode, items }) => (
				<DataTable<Feed>
					title="Feeds of supplemental data"
					aside={
						<span class="muted small">
							{mode === "live" ? "sources are asked" : "no source is asked"}
						</span>
					}
					rows={items}
					columns={[
						{ name: "Feed", value: ({ title }) => title },
						{ name: "Id", value: ({ id }) => id, kind: "code" },
						state("State", ({ enabled }) => (enabled ? "on" : "off")),
						count("Seconds between requests", ({ interval_s }) => interval_s, false),
						count("Failures in a row", ({ failures }) => failures, false),
						{ name: "What its source said", value: ({ problem }) => problem },
					]}
					keyOf={({ id }) => id}
					none="There are no feeds."
					actions={
						admin.may("editor")
							? (row) => (
									<Button
										label={row.enabled ? "Off" : "On"}
										of={row.title}
										onClick={() => toggle(row)}
									/>
								)
							: undefined
					}
				/>
			)}
		</Shown>
	);
}

interface Webhook {
	readonly id: string;
	readonly owner: string;
	readonly target_masked: string;
	readonly events: readonly string[];
	readonly status: string;
	readonly reason: string | null;
	readonly failed_attempts: number;
	readonly last_delivered_at: string | null;
}

export function Webhooks({ admin }: PartProps) {
	const loaded = useLoad(() => admin.ask<{ items: readonly Webhook[] }>("/webhooks"));
	return (
		<Shown of={loaded}>
			{({ items }) => (
				<DataTable<Webhook>
					title="Webhooks of callers"
					rows={items}
					columns={[
						{ name: "Webhook", value: ({ id }) => id, kind: "code" },
						{ name: "Owner", value: ({ owner }) => owner, kind: "code" },
						{ name: "Host", value: ({ target_masked }) => target_masked, kind: "code" },
						{ name: "Events", value: ({ events }) => events.join(", ") },
						state("State", ({ status }) => status),
						{ name: "Reason", value: ({ reason }) => reason },
						count("Failed attempts", ({ failed_attempts }) => failed_attempts),
						time("Last taken", ({ last_delivered_at }) => last_delivered_at),
					]}
					keyOf={({ id }) => id}
					none="No one subscribed to events yet."
				/>
			)}
		</Shown>
	);
}
