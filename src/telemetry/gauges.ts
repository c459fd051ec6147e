import type { InvariantGuard } from "../../payments/audit/audit.js";
import type { OnchainPayments, OpenPayments } from "../../payments/onchain/onchain.js";
import type { Feeds } from "../../skills/feeds/feeds.js";
import type { Jobs } from "../jobs/jobs.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import type { Sample } from "./recorder.js";
import type { WatchServices } from "./watch-calls.js";

/** What has a state of its own, and is looked at when it is exported. */
export interface Observed {
	readonly jobs: Pick<Jobs, "load">;
	readonly guard: Pick<InvariantGuard, "isSelling">;
	/** Payments on a chain; undefined while none is configured. */
	readonly onchain: Pick<OnchainPayments, "openPayments"> | undefined;
	readonly catalog: Pick<GraphCatalog, "list">;
	readonly feeds: Pick<Feeds, "registry" | "recall">;
}

export function observeState(
	{ recorder, clock }: WatchServices,
	{ jobs, guard, onchain, catalog, feeds }: Observed,
): void {
	const beganMs = clock.monotonicMs();
	recorder.observe(() => {
		const { waiting, running } = jobs.load();
		return [
			{ metric: "tollgraph_jobs", value: waiting, labels: { state: "waiting" } },
			{ metric: "tollgraph_jobs", value: running, labels: { state: "running" } },
			{ metric: "tollgraph_ledger_sound", value: Number(guard.isSelling()) },
			{ metric: "tollgraph_graphs", value: catalog.list().length },
			{ metric: "tollgraph_resident_memory_bytes", value: process.memoryUsage.rss() },
			{ metric: "tollgraph_uptime_seconds", value: (clock.monotonicMs() - beganMs) / 1000 },
			...(onchain ? toPaymentSamples(onchain.openPayments()) : []),
		];
	});
	recorder.observe(() => readFeeds(feeds, clock.now()));
}

function toPaymentSamples({ unknown, refused, settled }: OpenPayments): Sample[] {
	return Object.entries({ unknown, refused, undelivered: settled }).map(([state, value]) => ({
		metric: "tollgraph_payments_open",
		value,
		labels: { state },
	}));
}

/** As they are kept: no source is asked. A feed without a value has no age. */
async function readFeeds(feeds: Observed["feeds"], now: number): Promise<readonly Sample[]> {
	const all = [...(await feeds.registry()).values()];
	const states = await Promise.all(
		all.map(async (feed) => ({ feed: feed.id, ...(await feeds.recall(feed)) })),
	);
	return states.flatMap(({ feed, kept, failures }): Sample[] => [
		...(failures > 0
			? [{ metric: "tollgraph_feed_failures" as const, value: failures, labels: { feed } }]
			: []),
		...(kept
			? [
					{
						metric: "tollgraph_feed_age_seconds" as const,
						value: Math.max(0, now - kept.retrievedAt) / 1000,
						labels: { feed, origin: kept.origin },
					},
				]
			: []),
	]);
}
