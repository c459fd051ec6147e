import { isSafeIssuer } from "../contract/contract.js";
import { createLateMcp, type Mcp } from "../mcp/mcp.js";
import type { Service } from "../service/service.js";
import type { Money } from "./app-money.js";
import type { Ports } from "./app-ports.js";

export interface McpParts {
	readonly ports: Ports;
	readonly service: Service;
	readonly money: Pick<Money, "onchain" | "callRates">;
}

const ANONYMOUS_COULD_PAY =
	"mcp_pay_per_call is on, but no payments on a chain are configured: agents without an account are not let in at /mcp";

/** The Model Context Protocol over the whole house. */
export function openMcp({ ports, service, money }: McpParts): Mcp {
	const { mcp, oauth = "own", identity } = ports.settings;
	const { payPerCall = false, allowedOrigins = [] } = mcp ?? {};
	const { onchain, callRates } = money;
	if (ports.isServing && payPerCall && !onchain) ports.logger.error(ANONYMOUS_COULD_PAY);
	const foreign = oauth === "own" || oauth === "off" ? undefined : oauth.issuer;
	return createLateMcp({
		...ports,
		service,
		callRates,
		takesPayments: payPerCall && onchain !== undefined,
		allowedOrigins,
		issuers: {
			access() {
				if (oauth !== "own") return foreign;
				const base = service.info.baseUrl();
				return isSafeIssuer(base) ? base : undefined;
			},
			identity: identity?.issuer,
		},
	});
}
