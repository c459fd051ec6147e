import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { LIMITS } from "../../src/contract/contract.js";
import { type Clock, type Random, toIsoTime } from "../../src/kernel/kernel.js";
import { PaymentRefused } from "../onchain/onchain.js";
import type { Quote } from "../payments.js";
import { challengeIdOf, encodeJson, type PaymentChallenge } from "./payment-challenge.js";

const REALM = "tollgraph";
const CHARGE = "charge";
const NONCE_BYTES = 12;

/** What a challenge asks for: a method's own request, for one quote. */
export interface ChargeTerms {
	readonly method: string;
	readonly request: object;
	readonly quote: Quote;
}

/** Issues challenges and knows its own again, without keeping any. */
export interface ChallengeIssuer {
	issue(terms: ChargeTerms): PaymentChallenge;
	/**
	 * The challenge a credential echoes, once it is known to be ours, unexpired, and for exactly these terms: a challenge
	 * of one route, graph or body never buys another. Throws PaymentRefused.
	 */
	recognize(echo: unknown, terms: ChargeTerms): PaymentChallenge;
}

export interface ChallengeIssuerDeps {
	readonly pepper: Uint8Array;
	readonly clock: Clock;
	readonly random: Random;
}

/** Every challenge of ours has both optional fields, and none has another. */
const echoSchema = z.object({
	id: z.string(),
	realm: z.string(),
	method: z.string(),
	intent: z.string(),
	request: z.string(),
	description: z.string().optional(),
	digest: z.string().optional(),
	expires: z.string(),
	opaque: z.string(),
});

export function createChallengeIssuer(deps: ChallengeIssuerDeps): ChallengeIssuer {
	const { clock, random } = deps;
	const key = challengeKeyOf(deps.pepper);
	return {
		issue({ method, request, quote }) {
			const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString("base64url");
			const fields = {
				realm: REALM,
				method,
				intent: CHARGE,
				request: encodeJson(request),
				description: quote.description,
				expires: expiryAfter(clock.now()),
				// Two calls in one second are two challenges: on a chain the id becomes the payment's nonce.
				opaque: encodeJson({ ...boundTo(quote), nonce }),
			};
			return { id: challengeIdOf(fields, key), ...fields };
		},

		recognize(echo, { method, request, quote }) {
			const { success, data: challenge } = echoSchema.safeParse(echo);
			// From here on its fields are what `issue` wrote, all but the description.
			if (!success || !isEqual(challenge.id, challengeIdOf(challenge, key))) {
				throw refused("was not issued by this service, or was changed");
			}
			const now = clock.now();
			if (Date.parse(challenge.expires) <= now) {
				const { expires } = challenge;
				throw refused(`expired at ${expires}; it is ${toIsoTime(now)} here`, "expired");
			}
			const isSame =
				challenge.method === method &&
				challenge.request === encodeJson(request) &&
				isBoundTo(challenge.opaque, quote);
			if (!isSame) throw refused("was issued for another request or another price");
			return challenge;
		},
	};
}

/** Derived, so that no hash of a token can pass for a challenge's id. */
function challengeKeyOf(pepper: Uint8Array): string {
	return createHmac("sha256", pepper).update("mpp challenge").digest("base64url");
}

/** Whole seconds, because an authorization on a chain ends with its challenge and counts in seconds. */
function expiryAfter(now: number): string {
	const seconds = Math.floor((now + LIMITS.mppChallengeTtlMs) / 1000);
	return toIsoTime(seconds * 1000).replace(".000Z", "Z");
}

/** What a challenge may buy: this resource, with this input. */
function boundTo({ resourceUrl, fingerprint }: Quote): Readonly<Record<string, string>> {
	const { pathname } = new URL(resourceUrl, "http://localhost");
	return { resource: pathname, ...(fingerprint !== undefined && { fingerprint }) };
}

function isBoundTo(opaque: string, quote: Quote): boolean {
	const { nonce: _, ...bound } = JSON.parse(Buffer.from(opaque, "base64url").toString("utf8"));
	return encodeJson(bound) === encodeJson(boundTo(quote));
}

function isEqual(a: string, b: string): boolean {
	const [left, right] = [Buffer.from(a), Buffer.from(b)];
	return left.length === right.length && timingSafeEqual(left, right);
}

function refused(what: string, reason: "expired" | "invalid_payload" = "invalid_payload") {
	return new PaymentRefused(reason, `The payment challenge ${what}; answer the new one.`);
}
