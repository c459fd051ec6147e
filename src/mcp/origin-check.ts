import {
	localhostAllowedHostnames,
	validateHostHeader,
	validateOriginHeader,
} from "@modelcontextprotocol/server";
import type { RequestHandler } from "express";
import { ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";

/**
 * A page in a browser must not reach a server of the same machine or network by a name that changed its mind (DNS
 * rebinding): its Origin is that name, and browsers send it with every POST. Clients that are no browser send none. A server
 * that is known on its own machine alone is called by that machine's names too; elsewhere a proxy may name it as it likes.
 */
export function createOriginCheck({
	service: { info },
	allowedOrigins,
}: {
	readonly service: Service;
	readonly allowedOrigins: readonly string[];
}): RequestHandler {
	const loopback = localhostAllowedHostnames();
	return (req, _res, next) => {
		const { hostname } = new URL(info.baseUrl());
		const hosts = [hostname, ...loopback];
		if (!validateOriginHeader(req.headers.origin, [...hosts, ...allowedOrigins]).ok) {
			throw new ServiceError(
				"SCOPE_FORBIDDEN",
				"Pages of this origin may not call this server; its operator can allow them (mcp_allowed_origins).",
			);
		}
		if (loopback.includes(hostname) && !validateHostHeader(req.headers.host, loopback).ok) {
			throw new ServiceError(
				"SCOPE_FORBIDDEN",
				"This server is not known by the name it was called by; behind a proxy, set public_url.",
			);
		}
		next();
	};
}
