import { BlockList, isIP } from "node:net";
import { toIpv6Groups } from "../kernel/kernel.js";

type Range = readonly [network: string, prefix: number];

/** Everything of the IANA special-purpose registry that is no global unicast, and hosts that are not what they seem. */
const NOT_PUBLIC_V4: readonly Range[] = [
	["0.0.0.0", 8], // this network
	["10.0.0.0", 8], // private
	["100.64.0.0", 10], // carrier-grade NAT
	["127.0.0.0", 8], // loopback
	["168.63.129.16", 32], // a public address that a large cloud answers inside each of its machines
	["169.254.0.0", 16], // link-local, cloud metadata
	["172.16.0.0", 12], // private
	["192.0.0.0", 24], // protocol assignments
	["192.0.2.0", 24], // documentation
	["192.31.196.0", 24], // AS112
	["192.52.193.0", 24], // automatic multicast tunnelling
	["192.88.99.0", 24], // 6to4 relays
	["192.168.0.0", 16], // private
	["192.175.48.0", 24], // AS112
	["198.18.0.0", 15], // benchmarking
	["198.51.100.0", 24], // documentation
	["203.0.113.0", 24], // documentation
	["224.0.0.0", 4], // multicast
	["240.0.0.0", 4], // reserved, broadcast
];

/** The only global unicast there is; mapped, compatible, NAT64, local and multicast addresses all lie outside. */
const UNICAST_V6: Range = ["2000::", 3];

const NOT_PUBLIC_V6: readonly Range[] = [
	["2001::", 23], // protocol assignments: Teredo, benchmarking, ORCHID
	["2001:db8::", 32], // documentation
	["2002::", 16], // 6to4: carries an IPv4 address
	["2620:4f:8000::", 48], // AS112
	["3fff::", 20], // documentation
];

const unicastV6 = toBlockList([UNICAST_V6], "ipv6");
const notPublicV4 = toBlockList(NOT_PUBLIC_V4, "ipv4");
const notPublicV6 = toBlockList(NOT_PUBLIC_V6, "ipv6");

/** True for global unicast only (RFC 6890); false for what is no address at all. */
export function isPublicAddress(address: string): boolean {
	switch (isIP(address)) {
		case 4:
			return !notPublicV4.check(address, "ipv4");
		case 6:
			// An address with a zone is never global.
			if (address.includes("%") || isIsatap(address)) return false;
			return unicastV6.check(address, "ipv6") && !notPublicV6.check(address, "ipv6");
		default:
			return false;
	}
}

/** An ISATAP interface identifier, 0000:5efe or 0200:5efe (RFC 5214, 6.1), carries an IPv4 address under any prefix. */
function isIsatap(address: string): boolean {
	const [, , , , flags = 0, kind] = toIpv6Groups(address) ?? [];
	return (flags & ~ISATAP_FLAGS) === 0 && kind === 0x5efe;
}

/** The universal and group bits, which say nothing about what is carried. */
const ISATAP_FLAGS = 0x0300;

function toBlockList(ranges: readonly Range[], family: "ipv4" | "ipv6"): BlockList {
	const list = new BlockList();
	for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
	return list;
}
