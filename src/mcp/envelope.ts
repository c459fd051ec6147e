import {
	CLIENT_CAPABILITIES_META_KEY,
	type ClientCapabilities,
	type ServerContext,
} from "@modelcontextprotocol/server";

/** Codes of the protocol's errors. */
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Of this server: the caller is refused, and no error of the protocol says why. */
export const REFUSED = -32000;

/** What the client said with this very request that it can do; nothing before 2026-07-28, where no request says so. */
export function capabilitiesOf({ mcpReq: { envelope } }: ServerContext): ClientCapabilities {
	const fields: Readonly<Record<string, unknown>> = { ...envelope };
	return fields[CLIENT_CAPABILITIES_META_KEY] ?? {};
}
