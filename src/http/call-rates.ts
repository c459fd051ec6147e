import { createHash } from "node:crypto";
import { type Call, type Credential, type IdentifyOptions, LIMITS } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";
import {
	type BucketLevel,
	createTokenBuckets,
	type TokenBuckets,
	tooMany,
} from "./token-bucket.js";

/** What counts calls before anything is known of them but where they come from and what they show. */
export interface CallRates {
	/** Counts one request. */
	take(caller: CountedRequest): readonly RateLevel[];
	/**
	 * Tells how a request ended that showed a credential: a refused one counts many times over, unless it was valid when this
	 * caller was counted and has ended since.
	 */
	end(caller: CountedRequest, end: CallEnd): void;
	/** The same, and what it finds is remembered: a credential it found valid is no guess, until it refuses that one. */
	watch<Finder extends CallerFinder>(finder: Finder): Finder;
}

/** Finds out who is calling. */
interface CallerFinder {
	identify(credential: Credential, options?: IdentifyOptions): Promise<unknown>;
	payerOf(call: Pick<Call, "credential" | "payment">): Promise<unknown>;
}

export interface CallEnd {
	/** Nobody was found to be calling, for whatever reason. */
	readonly isRefused: boolean;
	/** The caller left before the answer did. */
	readonly hasLeft: boolean;
}

export interface CountedRequest {
	/** From toCallerAddress. */
	readonly address: string;
	/** From toCredentialKey; undefined when none was shown. */
	readonly credentialKey: string | undefined;
	/** Asks how something is getting on; counted apart, so that it never uses up calls. */
	readonly isPolling: boolean;
	/** The credential stands inside a request that was counted by its address already. */
	readonly isInside?: boolean;
}

export interface RateLevel extends BucketLevel {
	readonly policy: "address" | "credential" | "guesses" | "polling";
	readonly perMinute: number;
}

export interface CallRateDeps {
	readonly clock: Clock;
	/** Of one address, and with one credential; absent for as many as its own machine can send. */
	readonly requestsPerMinute?: number | undefined;
}

/** Polls count a tenth of a call. */
const POLLS_PER_REQUEST = 10;

/** Buckets by address and by credential; wrong credentials are counted by address alone, ten times as dear. */
export function createCallRates({
	clock,
	requestsPerMinute = LIMITS.localRequestsPerMinute,
}: CallRateDeps): CallRates {
	const keysMax = LIMITS.rateLimitedCallersMax;
	const bucketsOf = (perMinute: number) => createTokenBuckets({ clock, perMinute, keysMax });
	const addresses = bucketsOf(requestsPerMinute);
	const credentials = bucketsOf(requestsPerMinute);
	const polling = bucketsOf(requestsPerMinute * POLLS_PER_REQUEST);
	const guesses = bucketsOf(LIMITS.guessCallsPerMinute);
	const valid = createMemory(clock);
	const wereValid = new WeakSet<CountedRequest>();
	const mayBeGuess = (caller: CountedRequest): boolean => {
		const { credentialKey: key } = caller;
		if (key === undefined) return false;
		if (valid.wasSeen(key)) wereValid.add(caller);
		return !valid.has(key);
	};
	const judged = async <T>(credential: Credential, verdict: Promise<T>): Promise<T> => {
		const key = toCredentialKey(credential);
		try {
			const found = await verdict;
			valid.add(key);
			return found;
		} catch (error) {
			const code = error instanceof ServiceError ? error.code : undefined;
			if (code === "UNAUTHENTICATED") valid.delete(key);
			// Signed by its issuer, for a subject without an account.
			if (code === "NOT_FOUND") valid.add(key);
			throw error;
		}
	};
	return {
		take(caller) {
			const { address, credentialKey: key, isPolling, isInside = false } = caller;
			const levels: RateLevel[] = [];
			const count = (policy: RateLevel["policy"], buckets: TokenBuckets, level: BucketLevel) => {
				levels.push({ policy, perMinute: buckets.perMinute, ...level });
				return level.isLetIn;
			};
			if (mayBeGuess(caller) && !count("guesses", guesses, guesses.look(address))) return levels;
			if (isPolling) {
				count("polling", polling, polling.take(address));
				return levels;
			}
			if (!isInside && !count("address", addresses, addresses.take(address))) return levels;
			if (key !== undefined) count("credential", credentials, credentials.take(key));
			return levels;
		},
		end(caller, { isRefused, hasLeft }) {
			const { address, credentialKey: key } = caller;
			if (key === undefined || wereValid.has(caller)) return;
			// Leaving early would be a way to guess for nothing.
			const isGuess = (isRefused || hasLeft) && !valid.has(key);
			if (isGuess) guesses.charge(address, LIMITS.failedCredentialCalls);
		},
		watch: (finder) => ({
			...finder,
			identify: (credential: Credential, options?: IdentifyOptions) =>
				judged(credential, finder.identify(credential, options)),
			payerOf(call: Pick<Call, "credential" | "payment">) {
				const { credential } = call;
				return credential ? judged(credential, finder.payerOf(call)) : finder.payerOf(call);
			},
		}),
	};
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
		`Too many credentials that are not valid came from one address; each counts ${LIMITS.failedCredentialCalls} times. Wait, then send a valid one.`,
};

/** Stands for a credential where it must not be kept. */
export function toCredentialKey(credential: Credential): string {
	const secret = credential.scheme === "api_key" ? credential.key : credential.token;
	return createHash("sha256").update(secret).digest("base64url");
}

/** Keys found valid and not refused since: the latest of them, and for a while only, because what is valid may end. */
function createMemory(clock: Clock) {
	const seenAtMs = new Map<string, number>();
	return {
		has(key: string): boolean {
			const atMs = seenAtMs.get(key);
			return atMs !== undefined && clock.monotonicMs() - atMs < LIMITS.validCredentialTtlMs;
		},
		/** However long ago. */
		wasSeen: (key: string) => seenAtMs.has(key),
		add(key: string): void {
			seenAtMs.delete(key);
			seenAtMs.set(key, clock.monotonicMs());
			if (seenAtMs.size <= LIMITS.rateLimitedCallersMax) return;
			for (const oldest of seenAtMs.keys()) {
				seenAtMs.delete(oldest);
				return;
			}
		},
		delete: (key: string) => seenAtMs.delete(key),
	};
}
