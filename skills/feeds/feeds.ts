export { createFeedDirectory, type FeedDirectory } from "./feed-directory.js";
export { createFeedFetcher, type FeedFetcher } from "./feed-fetcher.js";
export { FEED_LIMITS } from "./feed-limits.js";
export { readRegistry } from "./feed-registry.js";
export { createFeeds, type Feeds, type FeedTest } from "./feed-service.js";
export {
	createFeedCache,
	createSharedFeedCache,
	type FeedCache,
	readBundle,
} from "./feed-values.js";
export { newestOf, toDescribed } from "./observed-feed.js";
