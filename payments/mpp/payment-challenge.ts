import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { LIMITS } from "../../src/contract/contract.js";
import {
	type Clock,
	keysFor,
	type Pepper,
	type Random,
	toCanonicalJson,
	toIsoTime,
} from "../../src/kernel/kernel.js";
import { PaymentRefused } from "../onchain/onchain.js";
import type { Offer, Quote } from "../payments.js";

/** MPP, the "Payment" HTTP authentication scheme: challenges, credentials and receipts as they stand on the wire. */

/** One challenge of `WWW-Authenticate: Payment`; `request` and `opaque` are base64url of canonical JSON, as sent. */
export type PaymentChallenge = Readonly<z.infer<typeof challengeSchema>>;

/** In the order in which the header names them. */
const challengeSchema = z.object({
	id: z.string(),
	realm: z.string(),
	method: z.string(),
	intent: z.string(),
	request: z.string(),
	description: z.string().optional(),
	digest: z.string().optional(),
	/** RFC 3339. */
	expires: z.string().optional(),
	/** Ours alone; clients send it back as it is. */
	opaque: z.string().optional(),
});
const PARAMETERS = challengeSchema.keyof().options;

/** Every challenge of ours has both optional fields, and none has another. */
const echoSchema = challengeSchema.extend({ expires: z.string(), opaque: z.string() });

/** HMAC-SHA-256 over seven slots that are always present, so that no field can take the place of another (draft-httpauth-payment, Challenge Binding). */
export function challengeIdOf(
	{ realm, method, intent, request, expires, digest, opaque }: Omit<PaymentChallenge, "id">,
	key: string,
): string {
	const slots = [realm, method, intent, request, expires ?? "", digest ?? "", opaque ?? ""];
	return createHmac("sha256", key).update(slots.join("|")).digest("base64url");
}

/** The challenge as one member of a `WWW-Authenticate` list. */
export function toChallengeHeader(challenge: PaymentChallenge): string {
	const parameters = PARAMETERS.flatMap((name) => {
		const value = challenge[name];
		return value === undefined ? [] : `${name}="${escapeQuoted(value)}"`;
	});
	return `Payment ${parameters.join(", ")}`;
}

/** The challenge in both of its forms: the header, and what a message carries. */
export function toChallengeOffer(challenge: PaymentChallenge): Pick<Offer, "headers" | "mpp"> {
	return {
		headers: { "WWW-Authenticate": toChallengeHeader(challenge) },
		mpp: toChallengeMessage(challenge),
	};
}

/** The challenge as messages carry it: what the method asks for as an object, everything else as in the header. */
function toChallengeMessage({
	request,
	...challenge
}: PaymentChallenge): Readonly<Record<string, unknown>> {
	const asked: unknown = JSON.parse(Buffer.from(request, "base64url").toString("utf8"));
	return { ...challenge, request: asked };
}

/** Unpadded base64url of canonical JSON: equal values give equal text, on their side and on ours. */
export function encodeJson(value: object): string {
	return Buffer.from(toCanonicalJson(value), "utf8").toString("base64url");
}

/** A quoted-string; what is no Latin-1 cannot stand in a header and is written as `\uXXXX`, control characters as spaces. */
function escapeQuoted(text: string): string {
	return (
		text
			.replace(/[\\"]/g, (char) => `\\${char}`)
			// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not reach a header.
			.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ")
			.replace(
				/[\u0100-\uffff]/g,
				(char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
			)
	);
}

const CHARGE = "charge";
const NONCE_BYTES = 12;

/** What a challenge asks for: a method's own request, for one quote. */
export interface ChargeTerms {
	readonly method: string;
	readonly request: object;
	readonly quote: Quote;
}

export type ChallengeIssuer = ReturnType<typeof createChallengeIssuer>;

/** Issues challenges and knows its own again, without keeping any. */
export function createChallengeIssuer(deps: {
	readonly pepper: Pepper;
	readonly clock: Clock;
	readonly random: Random;
	/** Where callers reach the server, for what is sold at no address of its own (MCP). */
	readonly baseUrl?: () => string;
}) {
	const { pepper, clock, random, baseUrl = () => "" } = deps;
	// Derived, so that no hash of a token can pass for a challenge's id.
	const keys = () => keysFor(pepper, "mpp challenge").map((key) => key.toString("base64url"));
	return {
		issue({ method, request, quote }: ChargeTerms): PaymentChallenge {
			const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString("base64url");
			const fields = {
				realm: realmOf(quote, baseUrl()),
				method,
				intent: CHARGE,
				request: encodeJson(request),
				description: quote.description,
				expires: expiryAfter(clock.now()),
				// Two calls in one second are two challenges: on a chain the id becomes the payment's nonce.
				opaque: encodeJson({ ...boundTo(quote), nonce }),
			};
			return { id: challengeIdOf(fields, keys()[0] ?? ""), ...fields };
		},

		/** The echoed challenge, if it is authentic, unexpired and for exactly these terms. Throws PaymentRefused. */
		recognize(echo: unknown, { method, request, quote }: ChargeTerms): PaymentChallenge {
			const { success, data: challenge } = echoSchema.safeParse(echo);
			// From here on its fields are what `issue` wrote, all but the description.
			if (!success || !keys().some((key) => isEqual(challenge.id, challengeIdOf(challenge, key)))) {
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

/** Whole seconds, because an authorization on a chain ends with its challenge and counts in seconds. */
function expiryAfter(now: number): string {
	const seconds = Math.floor((now + LIMITS.mppChallengeTtlMs) / 1000);
	return toIsoTime(seconds * 1000).replace(".000Z", "Z");
}

/** The server's name alone: clients hold it against that of the address, which for them has no port. */
function realmOf(quote: Quote, baseUrl: string): string {
	const resource = resourceOf(quote);
	const isAddress = /^https?:$/.test(resource.protocol) || !URL.canParse(baseUrl);
	return isAddress ? resource.hostname : new URL(baseUrl).hostname;
}

const resourceOf = ({ resourceUrl }: Quote): URL => new URL(resourceUrl, "http://localhost");

/** What a challenge may buy: this resource, with this input. */
function boundTo(quote: Quote): Readonly<Record<string, string>> {
	const { fingerprint } = quote;
	return {
		resource: resourceOf(quote).pathname,
		...(fingerprint !== undefined && { fingerprint }),
	};
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

/** Proof of one successful payment, for the payer's records. */
export interface PaymentReceipt {
	/** Payment method: `evm`, or our prepaid one. */
	readonly method: string;
	/** Transaction hash, or the id of our receipt. */
	readonly reference: string;
	/** Id of the challenge that was answered. */
	readonly challengeId: string;
	/** Epoch milliseconds. */
	readonly at: number;
	readonly chainId?: number;
}

/** The `Payment-Receipt` header of a payment that succeeded; the scheme has none for failures. */
export function toReceiptHeaders({
	at,
	...receipt
}: PaymentReceipt): Readonly<Record<string, string>> {
	const wire = { ...receipt, status: "success", timestamp: toIsoTime(at) };
	return { "Payment-Receipt": Buffer.from(JSON.stringify(wire)).toString("base64url") };
}
