import type { Ports } from "./app-ports.js";
import { createMcp, type Mcp } from "./mcp/mcp.js";
import type { Service } from "./service/service.js";

/** The Model Context Protocol over the whole house. */
export function openMcp({ ports, service }: { ports: Ports; service: Service }): Mcp {
	const { payPerCall = false, allowedOrigins = [] } = ports.settings.mcp ?? {};
	return createMcp({ ...ports, service, takesPayments: payPerCall, allowedOrigins });
}
