import { IDENTITY_ALGORITHMS, type IdentityAlgorithm } from "../accounts/accounts.js";
import { isLoopback } from "../delivery/delivery.js";
import { invalidSetting } from "../kernel/kernel.js";

/** What an operator says of the identity provider whose tokens open accounts. */

/** How the tokens of an issuer are judged, whatever they must be for. */
type IssuerSettings = ReturnType<typeof parseIssuerSettings>;

export type IdentitySettings = NonNullable<ReturnType<typeof parseIdentitySettings>>;

export const IDENTITY_SETTINGS = {
	oidc_issuer:
		"Identity provider (OpenID Connect) whose tokens open accounts: its issuer address, exactly as tokens name it. None by default.",
	oidc_audience: "What its tokens must name as their audience (`aud`); needed with `oidc_issuer`.",
	oidc_algorithms: "Signatures its tokens may have; never one with a shared secret.",
	oidc_jwks_uri:
		"Where its keys are; by default where its discovery document says, if that lies with the issuer.",
	oidc_account_claim:
		"Claim that names the account: the subject, or e.g. an organization whose members share one.",
	oidc_scope_claim:
		"Claim that says what a token may do: `account` (manage the account), `call` (pay for everything), `skill:<id>`, `graph:<id>`. Without it every token may pay, and its subject manages the account.",
	oidc_max_token_age_seconds: "Oldest token that is taken, whatever its expiry.",
} as const;

type IdentityKey = keyof typeof IDENTITY_SETTINGS;

/** Undefined where no issuer is named. Throws INVALID_ARGUMENT. */
export function parseIdentitySettings(text: (key: IdentityKey) => string) {
	const issuer = text("oidc_issuer");
	if (issuer === "") return undefined;
	const rules = parseIssuerSettings(issuer, text);
	const audience = text("oidc_audience");
	if (audience === "") {
		throw invalidSetting("oidc_issuer needs oidc_audience, what its tokens are for.");
	}
	return { ...rules, audience };
}

/** Throws INVALID_ARGUMENT. */
function parseIssuerSettings(issuer: string, text: (key: IdentityKey) => string) {
	assertAddress(issuer, "oidc_issuer");
	const jwksUri = text("oidc_jwks_uri") || undefined;
	if (jwksUri !== undefined) assertAddress(jwksUri, "oidc_jwks_uri");
	return {
		/** Exactly as tokens name it. */
		issuer,
		jwksUri,
		algorithms: parseAlgorithms(text("oidc_algorithms")),
		accountClaim: text("oidc_account_claim"),
		scopeClaim: text("oidc_scope_claim") || undefined,
		maxTokenAgeSeconds: parseAge(text("oidc_max_token_age_seconds")),
	};
}

function assertAddress(text: string, key: IdentityKey): void {
	if (isSafeAddress(text)) return;
	throw invalidSetting(`${key} must be an https address, or http on this machine.`);
}

function parseAlgorithms(text: string): readonly IdentityAlgorithm[] {
	const names = text.split(/[\s,]+/).filter((name) => name !== "");
	const known = names.flatMap((name) => IDENTITY_ALGORITHMS.find((known) => known === name) ?? []);
	if (known.length > 0 && known.length === names.length) return known;
	throw invalidSetting(`"${text}" must name algorithms out of ${IDENTITY_ALGORITHMS.join(", ")}.`);
}

function parseAge(text: string): number {
	const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
	if (seconds > 0) return seconds;
	throw invalidSetting(`"${text}" is no number of seconds for oidc_max_token_age_seconds.`);
}

/** `own`, `off`, or another authorization server, whose access tokens are taken. */
export type OAuthSettings = "off" | "own" | IssuerSettings;

export const OAUTH_SETTINGS = {
	oauth:
		"Who gives MCP clients access to accounts (OAuth 2.1): `own` (this server: owners of accounts sign in with an API key and set a budget), `off`, or the issuer address of another authorization server, whose tokens are judged as the `oidc_*` settings say, with the MCP address as their audience.",
} as const;

/** Throws INVALID_ARGUMENT. */
export function parseOAuthSettings(text: (key: "oauth" | IdentityKey) => string): OAuthSettings {
	const value = text("oauth");
	if (value === "off" || value === "own") return value;
	if (!isSafeAddress(value)) {
		throw invalidSetting(
			`"${value}" is no value of oauth; use own, off, or the https address of an issuer.`,
		);
	}
	const rules = parseIssuerSettings(value, text);
	// The address of keys that was named is that of the other issuer.
	const isSame = ["", value].includes(text("oidc_issuer"));
	return isSame ? rules : { ...rules, jwksUri: undefined };
}

function isSafeAddress(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const url = new URL(text);
	if (url.username !== "" || url.password !== "" || url.hash !== "") return false;
	return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

export type McpSettings = ReturnType<typeof parseMcpSettings>;

export const MCP_SETTINGS = {
	mcp_pay_per_call:
		"`on` lets agents without an account call tools at `/mcp` and pay call by call (x402, MPP), where payments on a chain are configured.",
	mcp_allowed_origins:
		"Hosts whose pages may call the MCP addresses from a browser, separated by commas, e.g. `inspector.example.org`; beside this server's own and loopback. Clients that are no browser need none.",
} as const;

const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Throws INVALID_ARGUMENT. */
export function parseMcpSettings(text: (key: keyof typeof MCP_SETTINGS) => string) {
	const payPerCall = text("mcp_pay_per_call");
	if (payPerCall !== "on" && payPerCall !== "off") {
		throw invalidSetting(`"${payPerCall}" is no value of mcp_pay_per_call; use on or off.`);
	}
	const listed = text("mcp_allowed_origins").split(",");
	const allowedOrigins = listed.map((host) => host.trim().toLowerCase()).filter(Boolean);
	const wrong = allowedOrigins.find((host) => !HOST.test(host));
	if (wrong !== undefined) {
		throw invalidSetting(
			`"${wrong}" in mcp_allowed_origins is no host; write e.g. inspector.example.org.`,
		);
	}
	return {
		/** Anonymous agents are let in at `/mcp`, and pay call by call. */
		payPerCall: payPerCall === "on",
		/** Hosts, without scheme and port, whose pages may call from a browser. */
		allowedOrigins,
	};
}
