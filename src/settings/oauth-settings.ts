/** What an operator says of who gives clients access to accounts. */

import { isLoopback } from "../delivery/delivery.js";
import { ServiceError } from "../kernel/kernel.js";
import { type IdentityKey, type IssuerSettings, parseIssuerSettings } from "./identity-settings.js";

/** `own`, `off`, or another authorization server, whose access tokens are taken. */
export type OAuthSettings = "off" | "own" | IssuerSettings;

export const OAUTH_ROWS = [
	{
		key: "oauth",
		default: "own",
		description:
			"Who gives MCP clients access to accounts (OAuth 2.1): `own` (this server: owners of accounts sign in with an API key and set a budget), `off`, or the issuer address of another authorization server, whose tokens are judged as the `oidc_*` settings say, with the MCP address as their audience.",
	},
] as const;

/** Throws INVALID_ARGUMENT. */
export function parseOAuthSettings(text: (key: "oauth" | IdentityKey) => string): OAuthSettings {
	const value = text("oauth");
	if (value === "off" || value === "own") return value;
	if (!isSafeAddress(value)) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
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
