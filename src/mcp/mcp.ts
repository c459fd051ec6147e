import express from "express";
import type { Mcp, McpOptions } from "./mcp-router.js";

export type { Mcp } from "./mcp-router.js";

/** Its four addresses, with whatever follows them. */
const ADDRESSES = /^\/(?:mcp|chatgpt|copilot|c)(?:\/|$)/;

/**
 * The transport, whose code is loaded and whose tools are listed with the first request for one of its addresses: no start waits
 * for what may never be asked (docs/adr/0040).
 */
export function createLateMcp(options: McpOptions): Mcp {
	let loaded: Promise<Mcp> | undefined;
	const load = async () => (await import("./mcp-router.js")).createMcp(options);
	return {
		router: express.Router().all(ADDRESSES, async (req, res, next) => {
			loaded ??= load().catch((error: unknown) => {
				loaded = undefined; // The next request tries again.
				throw error;
			});
			const { router } = await loaded;
			router(req, res, next);
		}),
		close: async () => (await loaded)?.close(),
	};
}
