import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ServiceError, toIpv6Groups } from "../kernel/kernel.js";

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

/**
 * Addresses and networks whose word is taken for whom they forward, as Express reads them; a proxy on this machine needs
 * no mention. Throws INVALID_ARGUMENT for what is no address, and for everybody at once.
 */
export function parseTrustedProxies(text: string): readonly string[] {
	const given = text.split(",").map((part) => part.trim());
	const named = given.filter((part) => part !== "");
	for (const part of named) if (!isNetwork(part)) throw unreadable(part);
	return named;
}

function isNetwork(text: string): boolean {
	const [address = "", prefix, ...rest] = text.split("/");
	const family = address.includes("%") ? 0 : isIP(address);
	if (family === 0 || rest.length > 0) return false;
	if (prefix === undefined) return true;
	const bits = /^[1-9]\d{0,2}$/.test(prefix) ? Number(prefix) : Number.POSITIVE_INFINITY;
	return bits <= (family === 4 ? 32 : 128);
}

function unreadable(part: string): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		`"${part}" in trusted_proxies is no address and no network of proxies; write them like 10.0.0.5, 172.18.0.0/16.`,
	);
}
