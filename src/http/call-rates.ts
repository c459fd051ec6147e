import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Call, type Credential, type IdentifyOptions, LIMITS } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";
import {
	type BucketLevel,
	createTokenBuckets,
	type TokenBuckets,
	tooMany,
} from "./token-bucket.js";

/** Finds out who is calling. */
interface Identifier {
	identify(credential: Credential, options?: IdentifyOptions): Promise<unknown>;
	payerOf(call: Pick<Call, "credential" | "payment">): Promise<unknown>;
}

export interface CountedCaller {
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
 * address alone, ten times as dear. `requestsPerMinute` holds for one address, and for one credential.
 */
export function createCallRates({
	clock,
	requestsPerMinute = LIMITS.localRequestsPerMinute,
}: {
	readonly clock: Clock;
	readonly requestsPerMinute?: number | undefined;
}) {
	const bucketsOf = (perMinute: number) => createTokenBuckets({ clock, perMinute });
	const addresses = bucketsOf(requestsPerMinute);
	const credentials = bucketsOf(requestsPerMinute);
	const polling = bucketsOf(requestsPerMinute * POLLS_PER_REQUEST);
	const failures = bucketsOf(LIMITS.guessCallsPerMinute);
	const { isValid, wasValid, judged } = createValidCredentials(clock);
	const wereValid = new WeakSet<CountedCaller>();
	const mayBeInvalid = (caller: CountedCaller): boolean => {
		const { credentialKey: key } = caller;
		if (key === undefined) return false;
		if (wasValid(key)) wereValid.add(caller);
		return !isValid(key);
	};
	return {
		/** Counts one request. */
		take(caller: CountedCaller): readonly RateLevel[] {
			const { address, credentialKey: key, isPolling, isInside = false } = caller;
			const levels: RateLevel[] = [];
			const count = (policy: RateLevel["policy"], buckets: TokenBuckets, level: BucketLevel) => {
				levels.push({ policy, perMinute: buckets.perMinute, ...level });
				return level.isLetIn;
			};
			if (mayBeInvalid(caller) && !count("guesses", failures, failures.look(address))) {
				return levels;
			}
			if (isPolling) {
				count("polling", polling, polling.take(address));
				return levels;
			}
			if (!isInside && !count("address", addresses, addresses.take(address))) return levels;
			if (key !== undefined) count("credential", credentials, credentials.take(key));
			return levels;
		},
		/**
		 * Reports how a request with a credential ended, whether it was refused or its caller left before the answer: either
		 * counts many times over, unless the credential was valid when the caller was counted and has ended since.
		 */
		end(
			caller: CountedCaller,
			{ isRefused, hasLeft }: { readonly isRefused: boolean; readonly hasLeft: boolean },
		): void {
			const { address, credentialKey: key } = caller;
			if (key === undefined || wereValid.has(caller)) return;
			// Leaving early would be a way to try credentials for nothing.
			const isFailure = (isRefused || hasLeft) && !isValid(key);
			if (isFailure) failures.charge(address, LIMITS.failedCredentialCalls);
		},
		/** The same identifier, whose verdicts are remembered: a credential found valid counts as such until it is refused. */
		watch: <T extends Identifier>(identifier: T): T => ({
			...identifier,
			identify: (credential: Credential, options?: IdentifyOptions) =>
				judged(credential, identifier.identify(credential, options)),
			payerOf(call: Pick<Call, "credential" | "payment">) {
				const found = identifier.payerOf(call);
				return call.credential ? judged(call.credential, found) : found;
			},
		}),
	};
}

/** Credentials found valid and not refused since: the latest of them, and for a while only, because what is valid may end. */
function createValidCredentials(clock: Clock) {
	const seenAtMs = new LRUCache<string, number>({ max: LIMITS.rateLimitedCallersMax });
	const add = (key: string) => void seenAtMs.set(key, clock.monotonicMs());
	return {
		isValid(key: string): boolean {
			const atMs = seenAtMs.peek(key);
			return atMs !== undefined && clock.monotonicMs() - atMs < LIMITS.validCredentialTtlMs;
		},
		/** However long ago. */
		wasValid: (key: string) => seenAtMs.has(key),
		async judged<T>(credential: Credential, verdict: Promise<T>): Promise<T> {
			const key = toCredentialKey(credential);
			try {
				const found = await verdict;
				add(key);
				return found;
			} catch (error) {
				const code = error instanceof ServiceError ? error.code : undefined;
				if (code === "UNAUTHENTICATED") seenAtMs.delete(key);
				// Signed by its issuer, for a subject without an account.
				if (code === "NOT_FOUND") add(key);
				throw error;
			}
		},
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

/** A digest under which a credential is remembered, so that the secret itself is not kept. */
export function toCredentialKey(credential: Credential): string {
	const secret = credential.scheme === "api_key" ? credential.key : credential.token;
	return createHash("sha256").update(secret).digest("base64url");
}
