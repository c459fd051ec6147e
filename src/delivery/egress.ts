/** What leaves the house. This file is the only place that opens outbound HTTP connections. */
import type { Egress } from "../core/egress.js";
import { ServiceError } from "../core/errors.js";

const LOOPBACK_HOST = /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/;

/** Reaches the operator's own server: on loopback, or on the one host named here. Follows no redirects. */
export function createOperatorEgress(ownHost?: string): Egress {
	return {
		async request({ method, url, headers = {}, body, timeoutMs }) {
			const { hostname, protocol } = new URL(url);
			if (protocol !== "http:" || (hostname !== ownHost && !LOOPBACK_HOST.test(hostname))) {
				throw new ServiceError("INVALID_ARGUMENT", `"${url}" is not an address on this machine.`);
			}
			try {
				return await fetch(url, {
					method,
					headers,
					redirect: "error",
					signal: AbortSignal.timeout(timeoutMs),
					...(body !== undefined && { body }),
				});
			} catch (cause) {
				throw new ServiceError("UNAVAILABLE", `Nobody answers at ${url}.`, { cause });
			}
		},
	};
}
