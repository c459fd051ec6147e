/** What access tokens are for: one of these addresses, by its path below the public one. */
export const OAUTH_RESOURCE_PATHS = ["/mcp", "/chatgpt", "/copilot"] as const;

/** All that there is to ask for: to call, and to be charged for it. */
export const OAUTH_SCOPE = "call";

/** Claim of our own access tokens that names the key they spend by. */
export const OAUTH_KEY_CLAIM = "key_id";
