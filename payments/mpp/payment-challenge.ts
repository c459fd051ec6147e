/** MPP, the "Payment" HTTP authentication scheme: challenges, credentials and receipts as they stand on the wire. */

import { createHmac } from "node:crypto";
import { toCanonicalJson } from "../../src/kernel/kernel.js";
import type { Offer } from "../payments.js";

/** One challenge of `WWW-Authenticate: Payment`; `request` and `opaque` are base64url of canonical JSON, as sent. */
export interface PaymentChallenge {
	readonly id: string;
	readonly realm: string;
	readonly method: string;
	readonly intent: string;
	readonly request: string;
	readonly description?: string | undefined;
	readonly digest?: string | undefined;
	/** RFC 3339. */
	readonly expires?: string | undefined;
	/** Ours alone; clients send it back as it is. */
	readonly opaque?: string | undefined;
}

const PARAMETERS = [
	"id",
	"realm",
	"method",
	"intent",
	"request",
	"description",
	"digest",
	"expires",
	"opaque",
] as const satisfies readonly (keyof PaymentChallenge)[];

/**
 * What binds an id to its challenge: HMAC-SHA-256 over seven slots that are always there, so that no field can take
 * another's place (draft-httpauth-payment, Challenge Binding).
 */
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
