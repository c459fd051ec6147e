import type { Router } from "express";
import type { CallRates } from "../http/call-rates.js";
import type { Clock } from "../kernel/clock.js";
import type { Ids } from "../kernel/ids.js";
import type { Logger } from "../kernel/logger.js";
import type { Service } from "../service/service-interface.js";
import { createMcpRouter } from "./mcp-router.js";
import { createProfiles } from "./profiles.js";
import type { TokenIssuers } from "./token-issuers.js";

export interface McpOptions {
	readonly service: Service;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Hosts whose pages may call from a browser. */
	readonly allowedOrigins: readonly string[];
	readonly issuers: TokenIssuers;
	readonly callRates: CallRates;
	/** Anonymous agents are let in at `/mcp`, and pay call by call. */
	readonly takesPayments: boolean;
	readonly logger?: Logger | undefined;
}

/** The whole transport, for the composition root. */
export interface Mcp {
	/** Mount it at the root. */
	readonly router: Router;
	/** Ends what is under way. */
	close(): Promise<void>;
}

export function createMcp(options: McpOptions): Mcp {
	return createMcpRouter({ ...options, profiles: createProfiles(options) });
}
