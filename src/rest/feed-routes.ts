import { z } from "zod";
import type { FreeOperationId, PaidOperationId } from "../contract/contract.js";
import { toDataReply } from "../contract/contract.js";
import { dataRoute } from "./define-route.js";
import { FEED, HEALTH_ITEM, OBSERVED, SKIPPED, SUGGESTED } from "./feed-examples.js";
import {
	feedCompareBody,
	feedCompareReply,
	feedContextBody,
	feedContextReply,
	feedDetailData,
	feedHealthData,
	feedListData,
	feedListQuery,
	feedPath,
	feedSeriesQuery,
	feedSeriesReply,
	feedSuggestionsData,
	feedSuggestQuery,
} from "./feed-schemas.js";
import type { DataRoute, PaidRoute } from "./route.js";

type PaidFeedId = Extract<PaidOperationId, `supplemental.${string}`>;
type FreeFeedId = Extract<FreeOperationId, `supplemental.${string}`>;

const nothing = z.strictObject({});
const META = { mode: "bundled", as_of: "2026-11-22T12:00:00.000Z" };
const BILLING =
	"Paid per call; unknown feeds, and an answer without any value, cost nothing. Sources that did not answer stand under skipped, with the reason and what is shown in their place.";

const {
	last: _last,
	change: _change,
	observations: _observations,
	items: _items,
	total: _total,
	...about
} = OBSERVED;
const OTHER = { ...about, feed_id: "eia:wti", title: "West Texas Intermediate crude oil price" };

/** What public sources say, for a price. Spec: Endpoints, paid operations; series and comparison are additive. */
export const PAID_FEED_ROUTES: Readonly<Record<PaidFeedId, PaidRoute>> = {
	"supplemental.context": {
		kind: "paid",
		operationId: "supplemental.context",
		summary: "Supplemental data for a topic",
		description: `Last values, changes and observations of macroeconomic and institutional feeds, named or chosen for a topic, each with its source and licence. ${BILLING}`,
		path: nothing,
		query: nothing,
		body: feedContextBody,
		reply: feedContextReply,
		example: {
			body: { topic: "oil price", limit: 2 },
			reply: toDataReply(
				{ feeds: [OBSERVED], skipped: [SKIPPED] },
				{ topic: "oil price", ...META },
			),
		},
	},
	"supplemental.series": {
		kind: "paid",
		operationId: "supplemental.series",
		summary: "Observations of one feed",
		description: `The newest observations or items of one feed, with its last value, change, source and licence. ${BILLING}`,
		path: feedPath,
		query: feedSeriesQuery,
		reply: feedSeriesReply,
		example: {
			path: { feed_id: OBSERVED.feed_id },
			query: { since: "2026", limit: "2" },
			reply: toDataReply({ ...OBSERVED, total: 7, skipped: [SKIPPED] }, META),
		},
	},
	"supplemental.compare": {
		kind: "paid",
		operationId: "supplemental.compare",
		summary: "Compare series",
		description: `Series at their coarsest frequency, finer ones as the mean of each whole period, with Pearson's correlation of each pair over the periods both have. ${BILLING}`,
		path: nothing,
		query: nothing,
		body: feedCompareBody,
		reply: feedCompareReply,
		example: {
			body: { feeds: [OBSERVED.feed_id, OTHER.feed_id], since: "2026-06" },
			reply: toDataReply(
				{
					frequency: "monthly",
					transform: "none",
					feeds: [about, OTHER],
					rows: [
						{ period: "2026-06", values: { "eia:brent": 85.4, "eia:wti": 84.81 } },
						{ period: "2026-07", values: { "eia:brent": 83.76, "eia:wti": 80.46 } },
					],
					correlations: [{ feeds: ["eia:brent", "eia:wti"], r: null, n: 2, is_small_sample: true }],
					notes: ["Fewer than 12 periods in common: a correlation says little."],
					skipped: [SKIPPED, { ...SKIPPED, feed_id: OTHER.feed_id }],
				},
				META,
			),
		},
	},
};

/** Which feeds there are and how they do, for nothing. Suggestions are the contract's, the rest is additive. */
export const FREE_FEED_ROUTES: Readonly<Record<FreeFeedId, DataRoute>> = {
	"supplemental.suggest": dataRoute({
		operationId: "supplemental.suggest",
		summary: "Suggest feeds",
		description: "Supplemental feeds that tell of a topic, best first, and why each was chosen.",
		path: nothing,
		query: feedSuggestQuery,
		isList: true,
		freshness: "catalog",
		data: feedSuggestionsData,
		answer: (free, { query }) => free.feedDirectory.suggest(query.q, query.limit),
		example: { query: { q: "oil price", limit: "2" }, data: { items: [SUGGESTED] } },
	}),
	"supplemental.feeds.list": dataRoute({
		operationId: "supplemental.feeds.list",
		summary: "List supplemental feeds",
		description: "Every feed of the registry in the order of the ids, page by page.",
		path: nothing,
		query: feedListQuery,
		isList: true,
		freshness: "catalog",
		data: feedListData,
		answer: (free, { query }) => free.feedDirectory.list(query),
		example: { query: { kind: "series", limit: "5" }, data: { items: [FEED] } },
	}),
	"supplemental.feeds.get": dataRoute({
		operationId: "supplemental.feeds.get",
		summary: "One supplemental feed",
		description:
			"What it tells, its licence and terms, how often its host is asked, and how it does.",
		path: feedPath,
		query: nothing,
		isList: false,
		freshness: "live",
		data: feedDetailData,
		answer: (free, { path }) => free.feedDirectory.get(path.feed_id),
		example: {
			path: { feed_id: FEED.feed_id },
			data: { ...FEED, host: "fred.stlouisfed.org", min_interval_s: 0.5, status: HEALTH_ITEM },
		},
	}),
	"supplemental.health": dataRoute({
		operationId: "supplemental.health",
		summary: "How the feeds do",
		description:
			"For each feed when its source last answered, how old its newest value is, and why it does not answer. Asks no source.",
		path: nothing,
		query: nothing,
		isList: false,
		freshness: "live",
		data: feedHealthData,
		answer: (free) => free.feedDirectory.health(),
		example: {
			data: {
				mode: "bundled",
				registered: 175,
				known: 50,
				failing: 0,
				items: [{ feed_id: FEED.feed_id, ...HEALTH_ITEM }],
			},
		},
	}),
};
