/** What an operator says of the identity provider whose tokens open accounts. */

import { IDENTITY_ALGORITHMS, type IdentityAlgorithm } from "../accounts/accounts.js";
import { isLoopback } from "../delivery/delivery.js";
import { invalidSetting } from "../kernel/kernel.js";
/** How the tokens of an issuer are judged, whatever they must be for. */
export interface IssuerSettings {
	/** Exactly as tokens name it. */
	readonly issuer: string;
	readonly algorithms: readonly IdentityAlgorithm[];
	readonly jwksUri: string | undefined;
	readonly accountClaim: string;
	readonly scopeClaim: string | undefined;
	readonly maxTokenAgeSeconds: number;
}

export interface IdentitySettings extends IssuerSettings {
	readonly audience: string;
}

export const IDENTITY_ROWS = [
	{
		key: "oidc_issuer",
		default: "",
		description:
			"Identity provider (OpenID Connect) whose tokens open accounts: its issuer address, exactly as tokens name it. None by default.",
	},
	{
		key: "oidc_audience",
		default: "",
		description: "What its tokens must name as their audience (`aud`); needed with `oidc_issuer`.",
	},
	{
		key: "oidc_algorithms",
		default: IDENTITY_ALGORITHMS.join(","),
		description: "Signatures its tokens may have; never one with a shared secret.",
	},
	{
		key: "oidc_jwks_uri",
		default: "",
		description:
			"Where its keys are; by default where its discovery document says, if that lies with the issuer.",
	},
	{
		key: "oidc_account_claim",
		default: "sub",
		description:
			"Claim that names the account: the subject, or e.g. an organisation whose members share one.",
	},
	{
		key: "oidc_scope_claim",
		default: "",
		description:
			"Claim that says what a token may do: `account` (manage the account), `call` (pay for everything), `skill:<id>`, `graph:<id>`. Without it every token may pay, and its subject manages the account.",
	},
	{
		key: "oidc_max_token_age_seconds",
		default: "86400",
		description: "Oldest token that is taken, whatever its expiry.",
	},
] as const;

export type IdentityKey = (typeof IDENTITY_ROWS)[number]["key"];

/** Undefined where no issuer is named. Throws INVALID_ARGUMENT. */
export function parseIdentitySettings(
	text: (key: IdentityKey) => string,
): IdentitySettings | undefined {
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
export function parseIssuerSettings(
	issuer: string,
	text: (key: IdentityKey) => string,
): IssuerSettings {
	assertAddress(issuer, "oidc_issuer");
	const jwksUri = text("oidc_jwks_uri") || undefined;
	if (jwksUri !== undefined) assertAddress(jwksUri, "oidc_jwks_uri");
	return {
		issuer,
		jwksUri,
		algorithms: parseAlgorithms(text("oidc_algorithms")),
		accountClaim: text("oidc_account_claim"),
		scopeClaim: text("oidc_scope_claim") || undefined,
		maxTokenAgeSeconds: parseAge(text("oidc_max_token_age_seconds")),
	};
}

function assertAddress(text: string, key: IdentityKey): void {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isSafe =
		url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
	if (isSafe && url && url.username === "" && url.password === "" && url.hash === "") return;
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
