import type { Router } from "express";
import type { CallRates } from "../http/http.js";
import type { Clock, Ids, Logger } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
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
