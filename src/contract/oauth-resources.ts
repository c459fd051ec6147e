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
