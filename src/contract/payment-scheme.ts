import { decodeJson, isRecord, ServiceError, toCanonicalJson } from "../kernel/kernel.js";

/** Our own method of the "Payment" scheme: its proof is a Shared Payment Token of this service. */
export const PREPAID_METHOD = "tollgraph";

/** What stands behind `Authorization: Payment`: the challenge it answers and the method's proof, neither judged yet. */
export interface PaymentSchemeCredential {
	readonly challenge: Readonly<Record<string, unknown>>;
	readonly payload: Readonly<Record<string, unknown>>;
	readonly source?: unknown;
}

/** True when an Authorization header speaks the "Payment" scheme. */
export function isPaymentScheme(authorization: string | undefined): boolean {
	return /^payment(\s|$)/i.test(authorization ?? "");
}

/** The credential of the "Payment" scheme. Throws INVALID_ARGUMENT for one that cannot be read. */
export function decodePaymentScheme(authorization: string): PaymentSchemeCredential {
	const [, token = "", ...rest] = authorization.split(/\s+/);
	const value = rest.length === 0 && /^[\w-]+={0,2}$/.test(token) ? decodeJson(token) : undefined;
	const credential = toCredential(value);
	if (credential) return credential;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		'The Authorization header must read "Payment <credential>", the credential a JSON object with "challenge" and "payload", encoded in base64url.',
	);
}

/**
 * The credential as a message carries it; undefined for anything else. There a challenge names what it asks for in JSON:
 * it is read back into the text that was signed.
 */
export function readPaymentCredential(value: unknown): PaymentSchemeCredential | undefined {
	const credential = toCredential(value);
	if (!credential) return undefined;
	const fields = Object.entries(credential.challenge).map(([name, field]) => [
		name,
		isRecord(field) ? Buffer.from(toCanonicalJson(field), "utf8").toString("base64url") : field,
	]);
	return { ...credential, challenge: Object.fromEntries(fields) };
}

function toCredential(value: unknown): PaymentSchemeCredential | undefined {
	if (!isRecord(value)) return undefined;
	const { challenge, payload, source } = value;
	if (!isRecord(challenge) || !isRecord(payload)) return undefined;
	return { challenge, payload, ...(source !== undefined && { source }) };
}

/** The Shared Payment Token of a prepaid credential; undefined for the methods that settle elsewhere. */
export function prepaidTokenOf({
	challenge,
	payload,
}: PaymentSchemeCredential): string | undefined {
	if (challenge["method"] !== PREPAID_METHOD) return undefined;
	const { token } = payload;
	if (typeof token === "string" && token.startsWith("spt_")) return token;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`A credential of the payment method "${PREPAID_METHOD}" must carry a Shared Payment Token in "payload.token".`,
	);
}
