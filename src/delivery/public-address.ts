import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The only global unicast block of IPv6; mapped, compatible, NAT64 and local addresses all lie outside. */
const UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** A public address that a large cloud answers inside each of its machines. */
const CLOUD_HOST = "168.63.129.16";

/**
 * True for global unicast only (IANA special-purpose registries, RFC 6890); false for what is no address at all. Node decides
 * what an address is, because the library also reads forms such as `127.1`.
 */
export function isPublicAddress(text: string): boolean {
	// An address with a zone is never global.
	if (isIP(text) === 0 || text.includes("%")) return false;
	const address = ipaddr.parse(text);
	if (address.range() !== "unicast") return false;
	if (address instanceof ipaddr.IPv4) return text !== CLOUD_HOST;
	return address.match(UNICAST_V6) && !isIsatap(address);
}

/** An ISATAP interface identifier, 0000:5efe or 0200:5efe (RFC 5214, 6.1), carries an IPv4 address under any prefix. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
	const [, , , , flags = 0, kind] = parts;
	return (flags & ~ISATAP_FLAGS) === 0 && kind === 0x5efe;
}

/** The universal and group bits, which say nothing about what is carried. */
const ISATAP_FLAGS = 0x0300;
