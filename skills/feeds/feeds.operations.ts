import { z } from "zod";
import {
	answer,
	dataOperation,
	digitsField,
	noAnswer,
	pageQueryUpTo,
	paidOperation,
	type Services,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { toIsoTime } from "../../src/kernel/kernel.js";
import { FEED_LIMITS } from "./feed-limits.js";
import {
	FEED_BILLING,
	feedContextInput,
	feedContextOutput,
	feedDetailSchema,
	feedHealthSchema,
	feedIdField,
	feedListSchema,
	feedSeriesInput,
	feedSeriesOutput,
	feedSuggestionsSchema,
	feedTopicField,
	type ObservedFeedWire,
	sinceField,
} from "./feed-wire.js";

const EXAMPLE_FEED = "eia:brent";

type Reading = Pick<SkillServices, "clock" | "research">;
type Choosing = Reading & Pick<SkillServices, "search">;
const params = z.strictObject({ feed_id: feedIdField });

/** What public statistics, central banks and news say of a topic. Spec: Endpoints, paid operations. */
export const supplementalContext = paidOperation({
	id: "supplemental.context",
	at: "POST /v1/supplemental/context",
	agent: {
		name: "supplemental_context",
		tool: {
			title: "Figures from public feeds",
			description: "Latest values of public data series on a topic, each with its source and age.",
			fields: {
				topic: "Topic in a few words, or name feeds",
				feeds: "These feed ids",
				since: "From this day on, YYYY-MM-DD",
				limit: "Newest values of each feed; 12 if left out",
			},
		},
	},
	summary: "Supplemental data for a topic",
	description: `Last values, changes and observations of macroeconomic and institutional feeds, named, or chosen for a topic when they measure it: the same place, time, unit and attribute. Each has its source, licence and age. Feeds that search are asked by name alone. ${FEED_BILLING}`,
	body: feedContextInput,
	reply: toReply("SupplementalContextReply", feedContextOutput),
	about: `Last values, changes and observations of up to ${FEED_LIMITS.feedsMax} macroeconomic and institutional feeds, named, or chosen for a topic when they measure it for that place and time, each with its source, licence and age. Sources that did not answer are always listed under skipped. Not charged when no feed has anything.`,
	tags: ["supplemental", "statistics", "macroeconomics", "news"],
	examples: ["What are the latest oil prices?", "Inflation in the euro area"],
	output: feedContextOutput,
	toText: ({ data }) =>
		data.feeds.map(toLine).join("\n") ||
		"No feed measures what was asked, for that place and time.",
	create: ({ clock, research, search }: Choosing) => ({
		exampleInput: () => ({ topic: "oil price", limit: 3 }),
		prepare: async ({ feeds: ids }) => {
			for (const id of ids ?? []) await research.feeds.get(id);
		},
		async run({ topic, feeds: named, since, limit }, { signal }) {
			const { feeds: chosen, years } = named
				? { feeds: [], years: undefined }
				: await research.feeds.choose(topic ?? "", search, signal);
			const feedIds = named ?? chosen.map(({ id }) => id);
			const data = await research.feeds.observe({ feedIds, topic, since, years, limit });
			const isAnswer = data.feeds.some(hasSomething);
			const skipped = [...data.skipped];
			// Of a time that was asked for, a feed that has none of it says nothing.
			const told = years ? data.feeds.filter(hasSomething) : data.feeds;
			const feeds = isAnswer ? [...told] : data.feeds.map(withoutFigures);
			const result = {
				ok: true as const,
				data: { feeds, skipped },
				meta: { topic: topic ?? null, mode: research.feeds.mode, as_of: toIsoTime(clock.now()) },
			};
			return isAnswer ? answer(result) : noAnswer(result);
		},
	}),
	example: { body: { topic: "oil price", limit: 2 } },
});

/** Observations or items of one feed. Additive to the contract. */
export const supplementalSeries = paidOperation({
	id: "supplemental.series",
	at: "GET /v1/supplemental/series/{feed_id}",
	summary: "Observations of one feed",
	description: `The newest observations or items of one feed, with its last value, change, source and licence. ${FEED_BILLING}`,
	params,
	query: z.strictObject({
		since: sinceField.optional(),
		limit: digitsField(FEED_LIMITS.seriesMax)
			.default(FEED_LIMITS.seriesDefault)
			.describe("Newest observations or items"),
	}),
	reply: toReply("FeedSeriesReply", feedSeriesOutput),
	about: `Up to ${FEED_LIMITS.seriesMax} observations or items of one feed, with its last value, change, source and licence. Not charged when it has none.`,
	tags: ["supplemental", "statistics", "time series"],
	examples: ["Brent crude oil prices since 2024"],
	input: feedSeriesInput,
	output: feedSeriesOutput,
	toText: ({ data }) => {
		const values = data.observations.map(({ period, value_text: value }) => `${period} ${value}`);
		return [toLine(data), ...values].join("\n");
	},
	create: ({ clock, research }: Reading) => ({
		exampleInput: () => ({ feed_id: EXAMPLE_FEED, since: "2025", limit: 24 }),
		prepare: async ({ feed_id }) => void (await research.feeds.get(feed_id)),
		async run({ feed_id, since, limit }) {
			const spec = await research.feeds.get(feed_id);
			const { feeds: found, skipped } = await research.feeds.observe({
				feedIds: [feed_id],
				since,
				limit,
			});
			const known = found[0] ?? research.feeds.describe(spec);
			const isAnswer = hasSomething(known);
			const told = isAnswer ? known : withoutFigures(known);
			const result = {
				ok: true as const,
				data: { ...told, skipped: [...skipped] },
				meta: { mode: research.feeds.mode, as_of: toIsoTime(clock.now()) },
			};
			return isAnswer ? answer(result) : noAnswer(result);
		},
	}),
	example: { params: { feed_id: EXAMPLE_FEED }, query: { since: "2026", limit: "2" } },
});

function hasSomething({ observations, items }: ObservedFeedWire): boolean {
	return observations.length + items.length > 0;
}

/** An answer that is not charged holds no figure: a feed whose last value is older than what was asked for. */
function withoutFigures(feed: ObservedFeedWire): ObservedFeedWire {
	return { ...feed, last: null, change: null };
}

function toLine({ title, provider, headline, stale }: ObservedFeedWire): string {
	return `${headline ?? `${title}: nothing; ${provider}`}${stale ? " (not fetched now)" : ""}`;
}

type Directory = Pick<Services, "feedDirectory">;

/** Feeds for a topic. Spec: Endpoints, free operations. */
export const feedSuggestions = dataOperation({
	id: "supplemental.suggest",
	at: "GET /v1/supplemental/suggest",
	summary: "Suggest feeds",
	description: "Supplemental feeds that tell of a topic, best first, and why each was chosen.",
	query: z.strictObject({
		q: feedTopicField.describe("A topic, such as oil price"),
		limit: digitsField(FEED_LIMITS.suggestMax)
			.default(FEED_LIMITS.suggestDefault)
			.describe("Number of items wanted"),
	}),
	isList: true,
	freshness: "catalog",
	data: feedSuggestionsSchema,
	answer: ({ feedDirectory }: Directory, { query }) => feedDirectory.suggest(query.q, query.limit),
	example: { query: { q: "oil price", limit: "2" } },
});

/** Additive to the contract, as all that follow. */
export const feedList = dataOperation({
	id: "supplemental.feeds.list",
	at: "GET /v1/supplemental/feeds",
	summary: "List supplemental feeds",
	description: "Every feed of the registry in the order of the ids, page by page.",
	query: z.strictObject({
		provider: z
			.string()
			.trim()
			.min(1)
			.max(100)
			.describe("Part of a provider's name, in either case")
			.optional(),
		kind: z.enum(["series", "items"]).optional(),
		...pageQueryUpTo(FEED_LIMITS.listMax, FEED_LIMITS.listDefault),
	}),
	isList: true,
	freshness: "catalog",
	data: feedListSchema,
	answer: (services: Directory, request) => services.feedDirectory.list(request.query),
	example: { query: { kind: "series", limit: "5" } },
});

export const feed = dataOperation({
	id: "supplemental.feeds.get",
	at: "GET /v1/supplemental/feeds/{feed_id}",
	summary: "One supplemental feed",
	description:
		"What it tells, its licence and terms, how often its host is asked, and how it does.",
	params,
	data: feedDetailSchema,
	answer: (services: Directory, request) => services.feedDirectory.get(request.params.feed_id),
	example: { params: { feed_id: EXAMPLE_FEED } },
});

export const feedHealth = dataOperation({
	id: "supplemental.health",
	at: "GET /v1/supplemental/health",
	summary: "How the feeds do",
	description:
		"For each feed when its source last answered, how old its newest value is, and why it does not answer. Asks no source.",
	data: feedHealthSchema,
	answer: (services: Directory) => services.feedDirectory.health(),
});
