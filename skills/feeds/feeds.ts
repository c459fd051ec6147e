export { createFeedDirectory, type FeedDirectory } from "./feed-directory.js";
export { createFeedFetcher, type FeedFetcher } from "./feed-fetcher.js";
export { FEED_LIMITS } from "./feed-limits.js";
export { createFeedReadings } from "./feed-readings.js";
export { readRegistry } from "./feed-registry.js";
export { createFeeds, type Feeds } from "./feed-service.js";
export { createFeedCache, readBundle } from "./feed-values.js";
export {
	comparedFeedSchema,
	correlationSchema,
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
	type SkippedFeedWire,
	sinceField,
	skippedFeedSchema,
	suggestedFeedSchema,
} from "./feed-wire.js";
export { newestOf, toDescribed } from "./observed-feed.js";
