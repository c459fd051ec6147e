import { z } from "zod";
import { type FeedSpec, toFeedSpec } from "./feed-spec.js";

const fileSchema = z.strictObject({
	sources: z.array(z.looseObject({ feeds: z.array(z.looseObject({ id: z.string() })).min(1) })),
});

/** Every feed there is, by its id. */
export type FeedRegistry = ReadonlyMap<string, FeedSpec>;

/**
 * Reads feeds/registry.json: what a source says holds for its feeds, unless they say otherwise. Throws when a feed lacks
 * something, has an address that is not https, or the id of another one.
 */
export function readRegistry(text: string): FeedRegistry {
	const { sources } = fileSchema.parse(JSON.parse(text));
	const feeds = sources.flatMap(({ feeds: own, ...shared }) =>
		own.map((feed) => toFeedSpec({ ...shared, ...feed })),
	);
	for (const { id, url } of feeds) {
		if (new URL(url).protocol !== "https:") throw new Error(`The feed "${id}" is not on https.`);
	}
	return toRegistry(feeds);
}

/** Throws when two have one id. */
export function toRegistry(feeds: readonly FeedSpec[]): FeedRegistry {
	const registry = new Map(feeds.map((feed) => [feed.id, feed]));
	if (registry.size === feeds.length) return registry;
	const twice = feeds.find((feed) => registry.get(feed.id) !== feed);
	throw new Error(`Two feeds are called "${twice?.id}".`);
}
