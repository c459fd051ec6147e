import {
	decodeJson,
	invalidArgument,
	isRecord,
	ServiceError,
	toCanonicalJson,
} from "../kernel/kernel.js";
import { LIMITS } from "./limits.js";

/** How a caller shows who they are or that they paid; decoded once, the same for every transport. */
export type Credential =
	| {
			readonly scheme: "spt";
			readonly token: string;
			/** The challenge it answers, when it came in the "Payment" scheme. */
			readonly challenge?: Readonly<Record<string, unknown>>;
	  }
	| { readonly scheme: "api_key"; readonly key: string }
	/** A JSON Web Token of the operator's identity provider. */
	| { readonly scheme: "oidc"; readonly token: string }
	/** Part of an MCP address, for clients that cannot send headers; never read from one. */
	| { readonly scheme: "connection"; readonly token: string }
	/** An access token of an authorization server, shown at the address that it must name as its resource. */
	| { readonly scheme: "oauth"; readonly token: string; readonly resource: string };

/**
 * What pays for one call by itself, beside who calls; decoded from its envelope, not judged yet.
 * `x402` carries the payment payload of either version, `mpp` the credential behind `Authorization: Payment`.
 */
export type Payment =
	| { readonly scheme: "x402"; readonly version: 1 | 2; readonly payload: unknown }
	| { readonly scheme: "mpp"; readonly payload: PaymentSchemeCredential };

/** Headers by lower-case name; every value that was sent, so that a duplicated header is seen. */
export type SentHeaders = ReadonlyMap<string, readonly string[]>;

/**
 * The one identity of a request, or undefined when none was shown. Spec: Authentication.
 * Throws INVALID_ARGUMENT for a duplicated header or two different identities, UNAUTHENTICATED for an unknown scheme.
 */
export function parseCredential(headers: SentHeaders): Credential | undefined {
	const found = [
		fromAuthorization(readOnce(headers, "authorization")),
		fromSptHeader(readOnce(headers, "x-pay-spt")),
		fromKeyHeader(readOnce(headers, "x-api-key")),
	].filter((credential) => credential !== undefined);
	const [first, ...others] = found;
	if (others.some((other) => secretOf(other) !== (first && secretOf(first)))) {
		throw invalidArgument(
			"The request carries two different credentials; send exactly one API key, Shared Payment Token or identity token.",
		);
	}
	return first;
}

/** What every JSON object begins with in base64url. */
const JWT_BEARER = /^bearer eyJ/i;

function readOnce(headers: SentHeaders, name: string): string | undefined {
	const values = headers.get(name) ?? [];
	if (values.length > 1) {
		throw invalidArgument(`The header "${name}" was sent more than once.`);
	}
	const value = values[0]?.trim();
	if (value && value.length > LIMITS.credentialHeaderChars) {
		const code = JWT_BEARER.test(value) ? "UNAUTHENTICATED" : "INVALID_ARGUMENT";
		throw new ServiceError(code, `The header "${name}" is too long.`);
	}
	return value || undefined;
}

function fromAuthorization(value: string | undefined): Credential | undefined {
	if (value === undefined) return undefined;
	if (isPaymentScheme(value)) return fromPrepaid(decodePaymentScheme(value));
	const [scheme = "", token = "", ...rest] = value.split(/\s+/);
	if (scheme.toLowerCase() !== "bearer" || token === "" || rest.length > 0) {
		throw new ServiceError(
			"UNAUTHENTICATED",
			'The Authorization header must read "Bearer <API key, Shared Payment Token or identity token>".',
		);
	}
	if (token.startsWith("spt_")) return { scheme: "spt", token };
	if (token.startsWith("sk_")) return { scheme: "api_key", key: token };
	if (/^eyJ[^.]*\.[^.]*\.[^.]*$/.test(token)) return { scheme: "oidc", token };
	throw new ServiceError(
		"UNAUTHENTICATED",
		"The bearer token is neither an API key (sk_…) nor a Shared Payment Token (spt_…) nor a signed JSON Web Token.",
	);
}

/** A prepaid balance is somebody's; what settles elsewhere names no one: see parsePayment. */
function fromPrepaid(credential: PaymentSchemeCredential): Credential | undefined {
	const token = prepaidTokenOf(credential);
	return token === undefined
		? undefined
		: { scheme: "spt", token, challenge: credential.challenge };
}

function fromSptHeader(value: string | undefined): Credential | undefined {
	return value === undefined ? undefined : { scheme: "spt", token: value };
}

function fromKeyHeader(value: string | undefined): Credential | undefined {
	return value === undefined ? undefined : { scheme: "api_key", key: value };
}

function secretOf(credential: Credential): string {
	return credential.scheme === "api_key" ? credential.key : credential.token;
}

/**
 * The one payment of a request, or undefined when none was shown; decoded, not judged.
 * Throws INVALID_ARGUMENT for a repeated or unreadable header and for two payments at once.
 */
export function parsePayment(headers: SentHeaders): Payment | undefined {
	const found = [
		fromX402(readOnce(headers, "payment-signature"), 2),
		fromX402(readOnce(headers, "x-payment"), 1),
		fromPaymentScheme(readOnce(headers, "authorization")),
	].filter((payment) => payment !== undefined);
	if (found.length > 1) {
		throw invalidArgument(
			"The request carries two payments; send exactly one of PAYMENT-SIGNATURE, X-PAYMENT and Authorization: Payment.",
		);
	}
	return found[0];
}

const PAYMENT_ID = /^[a-zA-Z0-9_-]{16,128}$/;

/** The retry key inside a payment of x402 version 2 (extension payment-identifier). Throws INVALID_ARGUMENT for one of another form. */
export function readPaymentId(payment: Payment | undefined): string | undefined {
	if (payment?.scheme !== "x402" || payment.version !== 2) return undefined;
	const { extensions } = payment.payload as { readonly extensions?: Record<string, unknown> };
	const named = extensions?.["payment-identifier"] as { info?: { id?: unknown } } | undefined;
	const id = named?.info?.id;
	if (id === undefined || (typeof id === "string" && PAYMENT_ID.test(id))) return id;
	throw invalidArgument(
		'The id of the extension "payment-identifier" must have 16 to 128 letters, digits, hyphens or underscores.',
	);
}

function fromX402(value: string | undefined, version: 1 | 2): Payment | undefined {
	if (value === undefined) return undefined;
	try {
		const payload: unknown = JSON.parse(Buffer.from(value, "base64").toString("utf8"));
		if (typeof payload === "object" && payload !== null)
			return { scheme: "x402", version, payload };
	} catch {
		// Reported below, like JSON that is no object.
	}
	throw invalidArgument(
		`The header "${version === 2 ? "PAYMENT-SIGNATURE" : "X-PAYMENT"}" must be a base64-encoded JSON payment payload.`,
	);
}

function fromPaymentScheme(value: string | undefined): Payment | undefined {
	if (value === undefined || !isPaymentScheme(value)) return undefined;
	const payload = decodePaymentScheme(value);
	return prepaidTokenOf(payload) === undefined ? { scheme: "mpp", payload } : undefined;
}

/** Our own method of the "Payment" scheme: its proof is a Shared Payment Token of this service. */
export const PREPAID_METHOD = "tollgraph";

/** What stands behind `Authorization: Payment`: the challenge it answers and the method's proof, neither judged yet. */
export interface PaymentSchemeCredential {
	readonly challenge: Readonly<Record<string, unknown>>;
	readonly payload: Readonly<Record<string, unknown>>;
	readonly source?: unknown;
}

/** True when an Authorization header speaks the "Payment" scheme. */
function isPaymentScheme(authorization: string | undefined): boolean {
	return /^payment(\s|$)/i.test(authorization ?? "");
}

/** The credential of the "Payment" scheme. Throws INVALID_ARGUMENT for one that cannot be read. */
export function decodePaymentScheme(authorization: string): PaymentSchemeCredential {
	const [, token = "", ...rest] = authorization.split(/\s+/);
	const value = rest.length === 0 && /^[\w-]+={0,2}$/.test(token) ? decodeJson(token) : undefined;
	const credential = toCredential(value);
	if (credential) return credential;
	throw invalidArgument(
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
	throw invalidArgument(
		`A credential of the payment method "${PREPAID_METHOD}" must carry a Shared Payment Token in "payload.token".`,
	);
}

/** What access tokens are for: one of these addresses, by its path below the public one. */
export const OAUTH_RESOURCE_PATHS = ["/mcp", "/chatgpt", "/copilot"] as const;
export type OAuthResourcePath = (typeof OAUTH_RESOURCE_PATHS)[number];

/** All that there is to ask for: to call, and to be charged for it. */
export const OAUTH_SCOPE = "call";

/** Claim of our own access tokens that names the key they spend by. */
export const OAUTH_KEY_CLAIM = "key_id";

/** Whether codes and tokens do not travel in the open to a server that is known by this address. */
export function isSafeIssuer(base: string): boolean {
	const { protocol, hostname } = new URL(base);
	return protocol === "https:" || /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/.test(hostname);
}
