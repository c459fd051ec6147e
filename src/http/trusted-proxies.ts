import { isIP } from "node:net";
import { ServiceError } from "../kernel/kernel.js";

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
