import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { invalidSetting } from "../kernel/kernel.js";

/** Some proxies name the caller's port as well. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+)):\d+$/;
/** Groups of an IPv6 address that name a network; one caller usually has all its 2^64 addresses. */
const NETWORK_GROUPS = 4;
const ANONYMOUS = "unknown";

/**
 * The key under which a caller is counted: an IPv4 address, or the /64 network of an IPv6 one. Text that is no address
 * shares one key, so that made-up text does not count as many callers.
 */
export function toCallerAddress(text: string | undefined): string {
	if (text === undefined) return ANONYMOUS;
	const [, v6, v4] = WITH_PORT.exec(text) ?? [];
	const bare = v6 ?? v4 ?? text;
	const version = isIP(bare);
	if (version !== 6) return version === 4 ? bare : ANONYMOUS;
	// A mapped address counts as its IPv4 one; the library would take the deprecated `::192.0.2.1` for such a one, too.
	const address = ipaddr.process(bare.replace(/^::(?=\d+\.)/, "0::"));
	if (address instanceof ipaddr.IPv4) return address.toString();
	const network = address.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
	return `${network.join(":")}::/64`;
}

/** Headers by which proxies announce that they forward a request. */
const OF_PROXIES = /^(?:forwarded|x-forwarded-.+|x-real-ip|via)$/;

/** True when a proxy says that the request is not its own. */
export function isForwarded({ headers }: Pick<IncomingMessage, "headers">): boolean {
	return Object.keys(headers).some((name) => OF_PROXIES.test(name));
}

/**
 * Addresses and networks that are trusted in `X-Forwarded-For`, as Express reads them; a proxy on this machine needs no
 * mention. Throws INVALID_ARGUMENT for what is no address, and for a network of all addresses.
 */
export function parseTrustedProxies(text: string): readonly string[] {
	const named = text
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== "");
	const wrong = named.find((part) => !isNetwork(part));
	if (wrong === undefined) return named;
	throw invalidSetting(
		`"${wrong}" in trusted_proxies is no address and no network of proxies; write them like 10.0.0.5, 172.18.0.0/16.`,
	);
}

function isNetwork(text: string): boolean {
	const [address = ""] = text.split("/");
	if (isIP(address) === 0 || /%|\/0/.test(text)) return false;
	return address === text || ipaddr.isValidCIDR(text);
}
