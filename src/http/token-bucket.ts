import { LRUCache } from "lru-cache";
import { LIMITS, type OperationId } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";

/** What one key has left after a call. */
export interface BucketLevel {
	readonly isLetIn: boolean;
	/** Whole calls that could follow at once. */
	readonly remaining: number;
	/** Until all calls of a minute are free again. */
	readonly fullInSeconds: number;
	/** Until one call is free again; 0 when one is. */
	readonly retryAfterSeconds: number;
}

interface TokenBucketOptions {
	readonly clock: Pick<Clock, "monotonicMs">;
	/** Calls each key may make a minute; as many at once after a pause. */
	readonly perMinute: number;
	/** Keys in memory; beyond, the least recently used one is evicted. */
	readonly keysMax?: number;
}

const MINUTE_MS = 60_000;

interface Bucket {
	savedMs: number;
	atMs: number;
}

export type TokenBuckets = ReturnType<typeof createTokenBuckets>;

/** One token bucket with continuous refill for each key, in bounded memory (docs/adr/0044). */
export function createTokenBuckets({
	clock,
	perMinute,
	keysMax = LIMITS.rateLimitedCallersMax,
}: TokenBucketOptions) {
	const costMs = MINUTE_MS / perMinute;
	// Bounded by size instead of `max`, which would allocate all entries in advance.
	const buckets = new LRUCache<string, Bucket>({ maxSize: keysMax, sizeCalculation: () => 1 });
	const open = (key: string): Bucket => {
		const atMs = clock.monotonicMs();
		const bucket = buckets.get(key);
		if (!bucket) {
			const fresh = { savedMs: MINUTE_MS, atMs };
			buckets.set(key, fresh);
			return fresh;
		}
		// The difference first: added one by one, a long uptime would eat fractions, and with them a call.
		bucket.savedMs = Math.min(MINUTE_MS, bucket.savedMs + (atMs - bucket.atMs));
		bucket.atMs = atMs;
		return bucket;
	};
	const levelOf = ({ savedMs }: Bucket, isLetIn: boolean): BucketLevel => ({
		isLetIn,
		remaining: Math.max(0, Math.floor(savedMs / costMs)),
		fullInSeconds: Math.ceil((MINUTE_MS - savedMs) / 1000),
		retryAfterSeconds: Math.max(0, costMs - savedMs) / 1000,
	});
	return {
		perMinute,
		/** Counts one call when there is room for it. */
		take(key: string): BucketLevel {
			const bucket = open(key);
			const isLetIn = bucket.savedMs >= costMs;
			if (isLetIn) bucket.savedMs -= costMs;
			return levelOf(bucket, isLetIn);
		},
		/** What the next call would find; counts nothing. */
		look(key: string): BucketLevel {
			const bucket = buckets.has(key) ? open(key) : { savedMs: MINUTE_MS, atMs: 0 };
			return levelOf(bucket, bucket.savedMs >= costMs);
		},
		/** Counts so many calls whether there is room or not; no key owes more than a minute's calls. */
		charge(key: string, calls: number): void {
			const bucket = open(key);
			bucket.savedMs = Math.max(-MINUTE_MS, bucket.savedMs - calls * costMs);
		},
	};
}

/** Lets each key call so often a minute; the returned function throws RATE_LIMITED with the time to wait. */
export function createTokenBucket(options: TokenBucketOptions): (key: string) => void {
	const buckets = createTokenBuckets(options);
	return (key) => {
		const { isLetIn, retryAfterSeconds } = buckets.take(key);
		if (isLetIn) return;
		throw tooMany(
			`More than ${options.perMinute} such requests a minute came from one address; wait before the next one.`,
			retryAfterSeconds,
		);
	};
}

/** RATE_LIMITED, with the one continuation: to wait so long. */
export function tooMany(message: string, retryAfterSeconds: number): ServiceError {
	const waitSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
	const wait = {
		type: "wait",
		retry_after_seconds: waitSeconds,
		instructions: `Send the same request again in ${waitSeconds} seconds.`,
	};
	return new ServiceError("RATE_LIMITED", message, {
		retryAfterSeconds,
		reply: { body: { continuations: [wait] } },
	});
}

export type OperationRates = ReturnType<typeof createOperationRates>;

/** Bounds operations that cost their caller nothing, whichever transport they are called over. */
export function createOperationRates(clock: Clock) {
	const buckets = new Map<OperationId, (address: string) => void>();
	return {
		/** Throws RATE_LIMITED when one address calls more often than `perMinute`, which is the same for all calls of an operation. */
		take(operationId: OperationId, rate: { readonly address: string; readonly perMinute: number }) {
			const { address, perMinute } = rate;
			const takeFrom = buckets.get(operationId) ?? createTokenBucket({ clock, perMinute });
			buckets.set(operationId, takeFrom);
			takeFrom(address);
		},
	};
}
