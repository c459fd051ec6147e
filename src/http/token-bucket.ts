import { LIMITS, type OperationId } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";

export interface TokenBucketDeps {
	readonly clock: Clock;
	/** Calls each key may make a minute; as many at once after a pause. */
	readonly perMinute: number;
	/** Keys remembered; beyond, the one that called longest ago is forgotten. */
	readonly keysMax: number;
}

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

export interface TokenBuckets {
	readonly perMinute: number;
	/** Counts one call when there is room for it. */
	take(key: string): BucketLevel;
	/** What the next call would find; counts nothing. */
	look(key: string): BucketLevel;
	/** Counts so many calls whether there is room or not; no key owes more than a minute's calls. */
	charge(key: string, calls: number): void;
}

const MINUTE_MS = 60_000;

interface Bucket {
	savedMs: number;
	atMs: number;
}

/** One token bucket for each key, in bounded memory. */
export function createTokenBuckets({ clock, perMinute, keysMax }: TokenBucketDeps): TokenBuckets {
	const costMs = MINUTE_MS / perMinute;
	const buckets = new Map<string, Bucket>();
	const open = (key: string): Bucket => {
		const atMs = clock.monotonicMs();
		const bucket = buckets.get(key);
		if (!bucket) {
			const fresh = { savedMs: MINUTE_MS, atMs };
			buckets.set(key, fresh);
			if (buckets.size > keysMax) forgetFirst(buckets);
			return fresh;
		}
		// Deleted first, so that the map's order is that of the latest calls.
		buckets.delete(key);
		buckets.set(key, bucket);
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
		take(key) {
			const bucket = open(key);
			const isLetIn = bucket.savedMs >= costMs;
			if (isLetIn) bucket.savedMs -= costMs;
			return levelOf(bucket, isLetIn);
		},
		look(key) {
			const known = buckets.has(key);
			const bucket = known ? open(key) : { savedMs: MINUTE_MS, atMs: 0 };
			return levelOf(bucket, bucket.savedMs >= costMs);
		},
		charge(key, calls) {
			const bucket = open(key);
			bucket.savedMs = Math.max(-MINUTE_MS, bucket.savedMs - calls * costMs);
		},
	};
}

/** Lets each key call so often a minute; the returned function throws RATE_LIMITED with the time to wait. */
export function createTokenBucket(deps: TokenBucketDeps): (key: string) => void {
	const buckets = createTokenBuckets(deps);
	return (key) => {
		const { isLetIn, retryAfterSeconds } = buckets.take(key);
		if (isLetIn) return;
		throw tooMany(
			`More than ${deps.perMinute} such requests a minute came from one address; wait before the next one.`,
			retryAfterSeconds,
		);
	};
}

/** RATE_LIMITED, with the one way on: to wait so long. */
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

function forgetFirst(map: Map<string, unknown>): void {
	for (const key of map.keys()) {
		map.delete(key);
		return;
	}
}

/** Bounds operations that cost their caller nothing, whichever transport they are asked over. */
export interface OperationRates {
	/** Counts one call. Throws RATE_LIMITED when one address asks more often than `perMinute`. */
	take(operationId: OperationId, rate: AddressRate): void;
}

export interface AddressRate {
	/** From toCallerAddress. */
	readonly address: string;
	/** The same for every call of one operation. */
	readonly perMinute: number;
}

export function createOperationRates(clock: Clock): OperationRates {
	const keysMax = LIMITS.rateLimitedCallersMax;
	const buckets = new Map<OperationId, ReturnType<typeof createTokenBucket>>();
	return {
		take(operationId, { address, perMinute }) {
			const takeFrom = buckets.get(operationId) ?? createTokenBucket({ clock, perMinute, keysMax });
			buckets.set(operationId, takeFrom);
			takeFrom(address);
		},
	};
}
