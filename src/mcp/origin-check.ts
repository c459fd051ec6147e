import {
	localhostAllowedHostnames,
	validateHostHeader,
	validateOriginHeader,
} from "@modelcontextprotocol/server";
import type { RequestHandler } from "express";
import { ServiceError } from "../core/errors.js";

/** Names of a machine that listens on all of its addresses: then the name it is called by is not known. */
const ANY_HOST: ReadonlySet<string> = new Set(["0.0.0.0", "[::]"]);

export interface OriginCheckDeps {
	readonly baseUrl: () => string;
	/** Hosts whose pages may call from a browser, beside our own and this machine's. */
	readonly allowedOrigins: readonly string[];
}

/**
 * A page in a browser must not reach a server of the same machine or network by a name that changed its mind (DNS
 * rebinding). Clients that are no browser send no Origin.
 */
export function createOriginCheck({ baseUrl, allowedOrigins }: OriginCheckDeps): RequestHandler {
	return (req, _res, next) => {
		const { hostname } = new URL(baseUrl());
		const hosts = [hostname, ...localhostAllowedHostnames()];
		const isHostKnown = ANY_HOST.has(hostname) || validateHostHeader(req.headers.host, hosts).ok;
		const origin = validateOriginHeader(req.headers.origin, [...hosts, ...allowedOrigins]);
		if (isHostKnown && origin.ok) return next();
		throw new ServiceError(
			"SCOPE_FORBIDDEN",
			isHostKnown
				? "Pages of this origin may not call this server; its operator can allow them (mcp_allowed_origins)."
				: "This server is not known by the name it was called by.",
		);
	};
}
