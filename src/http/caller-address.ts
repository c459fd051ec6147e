import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { toIpv6Groups } from "../kernel/kernel.js";

/** Some proxies name the caller's port as well. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+)):\d+$/;
/** What an IPv4 address begins with where it is written as an IPv6 one. */
const MAPPED = "0,0,0,0,0,65535";
/** Groups of an IPv6 address that name a network; whoever has one address of it has all 2^64. */
const NETWORK_GROUPS = 4;

/**
 * Whom an address stands for where callers are counted: an IPv4 address, or the /64 network of an IPv6 one.
 * Text that is no address stands for nobody in particular, so that made-up text does not count as many callers.
 */
export function toCallerAddress(address: string | undefined): string {
	if (address === undefined) return ANONYMOUS;
	const [, v6, v4] = WITH_PORT.exec(address) ?? [];
	const bare = v6 ?? v4 ?? address;
	switch (isIP(bare)) {
		case 4:
			return bare;
		case 6:
			return toNetwork(bare);
		default:
			return ANONYMOUS;
	}
}

const ANONYMOUS = "unknown";

/** Headers by which proxies tell that they carry somebody else's request. */
const OF_PROXIES = /^(?:forwarded|x-forwarded-.+|x-real-ip|via)$/;

/** True when a proxy says that the request is not its own. */
export function isForwarded({ headers }: Pick<IncomingMessage, "headers">): boolean {
	return Object.keys(headers).some((name) => OF_PROXIES.test(name));
}

function toNetwork(address: string): string {
	const groups = toIpv6Groups(address) ?? [];
	if (groups.slice(0, 6).join() === MAPPED) {
		return groups
			.slice(6)
			.flatMap((group) => [group >> 8, group & 255])
			.join(".");
	}
	const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
	return `${network.join(":")}::/64`;
}
