import { answer, defineSkill, noAnswer, type Skill } from "../../src/contract/contract.js";
import { toIsoTime } from "../../src/kernel/kernel.js";
import { FEED_LIMITS } from "./feed-limits.js";
import type { FeedSkillDeps } from "./feed-skill.js";
import {
	feedContextInput,
	feedContextOutput,
	feedSeriesInput,
	feedSeriesOutput,
	type ObservedFeedWire,
} from "./feed-wire.js";

/** What public statistics, central banks and news say of a topic. */
export const createSupplementalContext = ({
	feeds,
	clock,
}: FeedSkillDeps): Skill<"supplemental.context"> =>
	defineSkill({
		operationId: "supplemental.context",
		title: "Supplemental data for a topic",
		description: `Last values, changes and observations of up to ${FEED_LIMITS.feedsMax} macroeconomic and institutional feeds, named or chosen for a topic, each with its source and licence. Sources that did not answer are always listed under skipped. Not charged when no feed has anything.`,
		tags: ["supplemental", "statistics", "macroeconomics", "news"],
		examples: ["What are the latest oil prices?", "Inflation in the euro area"],
		exampleInput: { topic: "oil price", limit: 3 },
		input: feedContextInput,
		output: feedContextOutput,
		capture: "onResult",
		queryOf: ({ topic }) => topic,
		graphsOf: () => [],
		prepare: async ({ feeds: ids }) => {
			for (const id of ids ?? []) await feeds.get(id);
		},
		toText: ({ data }) => data.feeds.map(toLine).join("\n"),
		async run({ topic, feeds: feedIds, since, limit }) {
			const data = await feeds.observe({ feedIds, topic, since, limit });
			const isAnswer = data.feeds.some(hasSomething);
			const skipped = [...data.skipped];
			const result = {
				ok: true as const,
				data: { feeds: isAnswer ? [...data.feeds] : data.feeds.map(withoutFigures), skipped },
				meta: { topic: topic ?? null, mode: feeds.mode, as_of: toIsoTime(clock.now()) },
			};
			return isAnswer ? answer(result) : noAnswer(result);
		},
	});

/** Observations or items of one feed. */
export const createSupplementalSeries = ({
	feeds,
	clock,
}: FeedSkillDeps): Skill<"supplemental.series"> =>
	defineSkill({
		operationId: "supplemental.series",
		title: "Observations of one feed",
		description: `Up to ${FEED_LIMITS.seriesMax} observations or items of one feed, with its last value, change, source and licence. Not charged when it has none.`,
		tags: ["supplemental", "statistics", "time series"],
		examples: ["Brent crude oil prices since 2024"],
		exampleInput: { feed_id: "eia:brent", since: "2025", limit: 24 },
		input: feedSeriesInput,
		output: feedSeriesOutput,
		capture: "onResult",
		queryOf: () => undefined,
		graphsOf: () => [],
		prepare: async ({ feed_id }) => void (await feeds.get(feed_id)),
		toText: ({ data }) => [toLine(data), ...data.observations.map(toValueLine)].join("\n"),
		async run({ feed_id, since, limit }) {
			const spec = await feeds.get(feed_id);
			const { feeds: found, skipped } = await feeds.observe({ feedIds: [feed_id], since, limit });
			const known = found[0] ?? feeds.describe(spec);
			const isAnswer = hasSomething(known);
			const told = isAnswer ? known : withoutFigures(known);
			const result = {
				ok: true as const,
				data: { ...told, skipped: [...skipped] },
				meta: { mode: feeds.mode, as_of: toIsoTime(clock.now()) },
			};
			return isAnswer ? answer(result) : noAnswer(result);
		},
	});

function hasSomething({ observations, items }: ObservedFeedWire): boolean {
	return observations.length + items.length > 0;
}

/** A reply that is not charged holds no figure: that of a feed whose last value is older than what was asked for. */
function withoutFigures(feed: ObservedFeedWire): ObservedFeedWire {
	return { ...feed, last: null, change: null };
}

function toLine({ title, last, unit, items, provider, stale }: ObservedFeedWire): string {
	const note = stale ? ", not fetched now" : "";
	if (last) return `${title}: ${last.value_text} ${unit} (${last.period}${note}; ${provider})`;
	return `${title}: ${items[0]?.title ?? "nothing"} (${provider}${note})`;
}

function toValueLine({
	period,
	value_text,
}: {
	readonly period: string;
	readonly value_text: string;
}) {
	return `${period} ${value_text}`;
}
