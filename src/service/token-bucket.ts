import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";

export interface TokenBucketDeps {
	readonly clock: Clock;
	/** Calls each key may make a minute; as many at once after a pause. */
	readonly perMinute: number;
	/** Keys remembered; beyond, the one that called longest ago is forgotten. */
	readonly keysMax: number;
}

const MINUTE_MS = 60_000;

/** Lets each key call so often a minute; the returned function throws RATE_LIMITED with the time to wait. */
export function createTokenBucket({ clock, perMinute, keysMax }: TokenBucketDeps) {
	const costMs = MINUTE_MS / perMinute;
	const buckets = new Map<string, { readonly savedMs: number; readonly atMs: number }>();
	return (key: string): void => {
		const atMs = clock.monotonicMs();
		const bucket = buckets.get(key) ?? { savedMs: MINUTE_MS, atMs };
		const savedMs = Math.min(MINUTE_MS, bucket.savedMs + atMs - bucket.atMs);
		const isLetIn = savedMs >= costMs;
		// Deleted first, so that the map's order is that of the latest calls.
		buckets.delete(key);
		buckets.set(key, { savedMs: isLetIn ? savedMs - costMs : savedMs, atMs });
		if (buckets.size > keysMax) forgetFirst(buckets);
		if (!isLetIn) throw tooMany((costMs - savedMs) / 1000, perMinute);
	};
}

function forgetFirst(map: Map<string, unknown>): void {
	for (const key of map.keys()) {
		map.delete(key);
		return;
	}
}

function tooMany(retryAfterSeconds: number, perMinute: number): ServiceError {
	return new ServiceError(
		"RATE_LIMITED",
		`More than ${perMinute} such requests a minute came from one address; wait before the next one.`,
		{ retryAfterSeconds },
	);
}
