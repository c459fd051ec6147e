import type { Ports } from "./app-ports.js";
import { createMcp, type Mcp } from "./mcp/mcp.js";
import type { Service } from "./service/service.js";

/** The Model Context Protocol over the whole house. */
export function openMcp({ ports, service }: { ports: Ports; service: Service }): Mcp {
	const { mcp, oauth = "own", identity } = ports.settings;
	const { payPerCall = false, allowedOrigins = [] } = mcp ?? {};
	const foreign = oauth === "own" || oauth === "off" ? undefined : oauth.issuer;
	return createMcp({
		...ports,
		service,
		takesPayments: payPerCall,
		allowedOrigins,
		issuers: {
			access: () => (oauth === "own" ? service.info.baseUrl() : foreign),
			identity: identity?.issuer,
		},
	});
}
