import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import {
	type Call,
	type Credential,
	type IdentifyOptions,
	LIMITS,
	type OperationId,
} from "../contract/contract.js";
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
	/** Processes that count for themselves: each lets its share in. */
	readonly share?: (() => number) | undefined;
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
	share = () => 1,
}: TokenBucketOptions) {
	const priceMs = () => (MINUTE_MS / perMinute) * share();
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
	const levelOf = ({ savedMs }: Bucket, isLetIn: boolean, costMs: number): BucketLevel => ({
		isLetIn,
		remaining: Math.max(0, Math.floor(savedMs / costMs)),
		fullInSeconds: Math.ceil((MINUTE_MS - savedMs) / 1000),
		retryAfterSeconds: Math.max(0, costMs - savedMs) / 1000,
	});
	return {
		perMinute,
		/** Counts one call when there is room for it. */
		take(key: string): BucketLevel {
			const [bucket, costMs] = [open(key), priceMs()];
			const isLetIn = bucket.savedMs >= costMs;
			if (isLetIn) bucket.savedMs -= costMs;
			return levelOf(bucket, isLetIn, costMs);
		},
		/** What the next call would find; counts nothing. */
		look(key: string): BucketLevel {
			const bucket = buckets.has(key) ? open(key) : { savedMs: MINUTE_MS, atMs: 0 };
			const costMs = priceMs();
			return levelOf(bucket, bucket.savedMs >= costMs, costMs);
		},
		/** Counts so many calls whether there is room or not; no key owes more than a minute's calls. */
		charge(key: string, calls: number): void {
			const bucket = open(key);
			bucket.savedMs = Math.max(-MINUTE_MS, bucket.savedMs - calls * priceMs());
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
function tooMany(message: string, retryAfterSeconds: number): ServiceError {
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

/** Finds out who is calling. */
export interface Identifier {
	identify(credential: Credential, options?: IdentifyOptions): Promise<unknown>;
	payerOf(call: Pick<Call, "credential" | "payment">): Promise<unknown>;
}

export interface CountedRequest {
	/** From toCallerAddress. */
	readonly address: string;
	/** From toCredentialKey; undefined when none was sent. */
	readonly credentialKey: string | undefined;
	/** A status request; counted apart, so that it never uses up calls. */
	readonly isPolling: boolean;
	/** The credential stands inside a request that was counted by its address already. */
	readonly isInside?: boolean;
}

export interface RateLevel extends BucketLevel {
	readonly policy: "address" | "credential" | "guesses" | "polling";
	readonly perMinute: number;
}

/** Polls count a tenth of a call. */
const POLLS_PER_REQUEST = 10;

export type CallRates = ReturnType<typeof createCallRates>;

/**
 * Counts calls by address and by credential before anything else is known of them; invalid credentials are counted by
 * address and network alone, ten times as dear. `requestsPerMinute` holds for one address, and for one credential.
 */
export function createCallRates({
	clock,
	requestsPerMinute = LIMITS.localRequestsPerMinute,
	share,
}: {
	readonly clock: Clock;
	readonly requestsPerMinute?: number | undefined;
	/** How many processes it is shared among, each of which counts for itself; one where absent. */
	readonly share?: (() => number) | undefined;
}) {
	const bucketsOf = (perMinute: number) => createTokenBuckets({ clock, perMinute, share });
	const addresses = bucketsOf(requestsPerMinute);
	const credentials = bucketsOf(requestsPerMinute);
	const polling = bucketsOf(requestsPerMinute * POLLS_PER_REQUEST);
	const guesses = createGuesses(clock);
	const { isValid, wasValid, judge } = createValidCredentials(clock);
	const wereValid = new WeakSet<CountedRequest>();
	const mayBeInvalid = (caller: CountedRequest): boolean => {
		const { credentialKey: key } = caller;
		if (key === undefined) return false;
		if (wasValid(key)) wereValid.add(caller);
		return !isValid(key);
	};
	const take = (caller: CountedRequest): readonly RateLevel[] => {
		const { address, credentialKey: key, isPolling, isInside = false } = caller;
		const levels: RateLevel[] = [];
		const count = (policy: RateLevel["policy"], buckets: TokenBuckets, level: BucketLevel) => {
			levels.push({ policy, perMinute: buckets.perMinute, ...level });
			return level.isLetIn;
		};
		if (mayBeInvalid(caller) && !count("guesses", ...guesses.look(address))) return levels;
		if (isPolling) {
			count("polling", polling, polling.take(address));
			return levels;
		}
		if (!isInside && !count("address", addresses, addresses.take(address))) return levels;
		if (key !== undefined) count("credential", credentials, credentials.take(key));
		return levels;
	};
	return {
		/**
		 * Counts one request. Where its address has guessed too often, `identify` looks at the credential first, so that a
		 * valid one is never refused for the guesses of others; one that proves wrong counts as a call of the address.
		 * `identify` throws for a credential that is not valid.
		 */
		async take(
			caller: CountedRequest,
			identify: () => Promise<unknown>,
		): Promise<readonly RateLevel[]> {
			const levels = take(caller);
			const { address, credentialKey: key } = caller;
			const isGuessing = levels.some(({ policy, isLetIn }) => policy === "guesses" && !isLetIn);
			if (key === undefined || !isGuessing || !addresses.look(address).isLetIn) return levels;
			await judge(key, identify).catch(() => undefined);
			if (isValid(key)) return take(caller);
			addresses.charge(address, 1);
			return levels;
		},
		/**
		 * Reports how a request with a credential ended, whether it was refused or its caller left before the answer: either
		 * counts many times over, unless the credential was valid when the caller was counted and has ended since.
		 */
		end(
			caller: CountedRequest,
			{ isRefused, hasLeft }: { readonly isRefused: boolean; readonly hasLeft: boolean },
		): void {
			const { address, credentialKey: key } = caller;
			if (key === undefined || wereValid.has(caller)) return;
			// Leaving early would be a way to try credentials for nothing.
			const isFailure = (isRefused || hasLeft) && !isValid(key);
			if (isFailure) guesses.charge(address);
		},
		/** The same identifier, whose verdicts are remembered: a credential found valid counts as such until it is refused. */
		watch: <T extends Identifier>(identifier: T): T => ({
			...identifier,
			identify: (credential: Credential, options?: IdentifyOptions) =>
				judge(toCredentialKey(credential), () => identifier.identify(credential, options)),
			payerOf: (call: Pick<Call, "credential" | "payment">) =>
				judge(call.credential && toCredentialKey(call.credential), () => identifier.payerOf(call)),
		}),
	};
}

/** Credentials that proved wrong, by address and by its network, so that many addresses of one owner have no more room. */
function createGuesses(clock: Clock) {
	const byAddress = createTokenBuckets({ clock, perMinute: LIMITS.guessCallsPerMinute });
	const byNetwork = createTokenBuckets({ clock, perMinute: LIMITS.networkGuessCallsPerMinute });
	return {
		/** What the next guess would find: of the address, or of its network where that has no room left. */
		look(address: string): readonly [TokenBuckets, BucketLevel] {
			const ofNetwork = byNetwork.look(toNetwork(address));
			return ofNetwork.isLetIn ? [byAddress, byAddress.look(address)] : [byNetwork, ofNetwork];
		},
		charge(address: string): void {
			byAddress.charge(address, LIMITS.failedCredentialCalls);
			byNetwork.charge(toNetwork(address), LIMITS.failedCredentialCalls);
		},
	};
}

/** What one owner of many addresses usually has: the /24 network of an IPv4 address, the /48 of an IPv6 one. */
function toNetwork(address: string): string {
	const [v4] = /^\d+\.\d+\.\d+(?=\.)/.exec(address) ?? [];
	return v4 ?? address.split(":").slice(0, 3).join(":");
}

/** Credentials found valid and not refused since: the latest of them, and for a while only, because what is valid may end. */
function createValidCredentials(clock: Clock) {
	const seenAtMs = new LRUCache<string, number>({ max: LIMITS.rateLimitedCallersMax });
	const add = (key: string) => void seenAtMs.set(key, clock.monotonicMs());
	const noteRefusal = (key: string, error: unknown) => {
		const code = error instanceof ServiceError ? error.code : undefined;
		if (code === "UNAUTHENTICATED") seenAtMs.delete(key);
		// Signed by its issuer, for a subject without an account.
		if (code === "NOT_FOUND") add(key);
	};
	return {
		isValid(key: string): boolean {
			const atMs = seenAtMs.peek(key);
			return atMs !== undefined && clock.monotonicMs() - atMs < LIMITS.validCredentialTtlMs;
		},
		/** However long ago. */
		wasValid: (key: string) => seenAtMs.has(key),
		/** What `identify` finds; whether the credential was valid is remembered. */
		async judge<T>(key: string | undefined, identify: () => Promise<T>): Promise<T> {
			if (key === undefined) return identify();
			try {
				const found = await identify();
				add(key);
				return found;
			} catch (error) {
				noteRefusal(key, error);
				throw error;
			}
		},
	};
}

const WINDOW_SECONDS = 60;

/** What is left of each limit, as every reply states it (draft-ietf-httpapi-ratelimit-headers). */
export function rateHeaders(levels: readonly RateLevel[]) {
	const policies = levels.map(
		({ policy, perMinute }) => `"${policy}";q=${perMinute};w=${WINDOW_SECONDS}`,
	);
	const left = levels.map(
		({ policy, remaining, fullInSeconds }) => `"${policy}";r=${remaining};t=${fullInSeconds}`,
	);
	return { "RateLimit-Policy": policies.join(", "), RateLimit: left.join(", ") };
}

/** RATE_LIMITED, with what there was too much of. */
export function toRateRefusal({ policy, perMinute, retryAfterSeconds }: RateLevel): ServiceError {
	return tooMany(WHY[policy](perMinute), retryAfterSeconds);
}

const WHY: Readonly<Record<RateLevel["policy"], (perMinute: number) => string>> = {
	address: (perMinute) =>
		`More than ${perMinute} requests a minute came from one address; wait before the next one.`,
	credential: (perMinute) =>
		`More than ${perMinute} requests a minute came with one credential; wait before the next one.`,
	polling: (perMinute) =>
		`More than ${perMinute} status requests a minute came from one address; wait before the next one.`,
	guesses: () =>
		`Too many credentials that are not valid came from one address or its network; each counts ${LIMITS.failedCredentialCalls} times. A valid one is let in at once.`,
};

/** A digest under which a credential is remembered, so that the secret itself is not kept. */
export function toCredentialKey(credential: Credential): string {
	const secret = credential.scheme === "api_key" ? credential.key : credential.token;
	return toDigest(secret);
}

/** Of anything secret that requests are counted by. */
export const toDigest = (secret: string) => createHash("sha256").update(secret).digest("base64url");
