import { z } from "zod";
import {
	comparedFeedSchema,
	correlationSchema,
	FEED_LIMITS,
	feedCompareInput,
	feedCompareOutput,
	feedContextInput,
	feedContextOutput,
	feedDetailSchema,
	feedHealthSchema,
	feedIdField,
	feedSeriesOutput,
	feedTopicField,
	listedFeedSchema,
	observedFeedSchema,
	sinceField,
	skippedFeedSchema,
	suggestedFeedSchema,
} from "../../skills/feeds/feeds.js";
import {
	cursorField,
	digitsField,
	replyComponent,
	requestComponent,
	toReply,
} from "../contract/contract.js";

/** Paths, queries and bodies of the operations on supplemental feeds. */

replyComponent("ObservedFeed", observedFeedSchema);
replyComponent("SkippedFeed", skippedFeedSchema);
replyComponent("ComparedFeed", comparedFeedSchema);
replyComponent("SeriesCorrelation", correlationSchema);
replyComponent("Feed", listedFeedSchema);

export const feedContextBody = requestComponent("SupplementalContextRequest", feedContextInput);
export const feedCompareBody = requestComponent("SeriesComparisonRequest", feedCompareInput);

export const feedContextReply = toReply("SupplementalContextReply", feedContextOutput);
export const feedSeriesReply = toReply("FeedSeriesReply", feedSeriesOutput);
export const feedCompareReply = toReply("SeriesComparisonReply", feedCompareOutput);

export const feedPath = z.strictObject({ feed_id: feedIdField });

export const feedSeriesQuery = z.strictObject({
	since: sinceField.optional(),
	limit: digitsField(FEED_LIMITS.seriesMax)
		.default(FEED_LIMITS.seriesDefault)
		.describe("Newest observations or items"),
});

export const feedSuggestQuery = z.strictObject({
	q: feedTopicField.describe("A topic, such as oil price"),
	limit: digitsField(FEED_LIMITS.suggestMax)
		.default(FEED_LIMITS.suggestDefault)
		.describe("Number of items wanted"),
});

export const feedListQuery = z.strictObject({
	provider: z
		.string()
		.trim()
		.min(1)
		.max(100)
		.describe("Part of a provider's name, in either case")
		.optional(),
	kind: z.enum(["series", "items"]).optional(),
	limit: digitsField(FEED_LIMITS.listMax)
		.default(FEED_LIMITS.listDefault)
		.describe("Items on a page"),
	cursor: cursorField.optional(),
});

export const feedSuggestionsData = replyComponent(
	"FeedSuggestions",
	z.object({ items: z.array(suggestedFeedSchema) }),
);
export const feedListData = replyComponent(
	"FeedList",
	z.object({ items: z.array(listedFeedSchema) }),
);
export const feedDetailData = replyComponent("FeedDetail", feedDetailSchema);
export const feedHealthData = replyComponent("FeedHealth", feedHealthSchema);
