import { isIP } from "node:net";

const GROUPS = 8;

/**
 * The eight 16-bit groups of an IPv6 address, however it is written (RFC 4291, 2.2), its zone aside; undefined for what
 * is none.
 */
export function toIpv6Groups(address: string): readonly number[] | undefined {
	if (isIP(address) !== 6) return undefined;
	const [bare = ""] = address.split("%");
	const [head = "", tail] = bare.split("::");
	const before = readGroups(head);
	if (tail === undefined) return before;
	const after = readGroups(tail);
	const zeros = new Array<number>(GROUPS - before.length - after.length).fill(0);
	return [...before, ...zeros, ...after];
}

/** The last part may be an IPv4 address, which is two groups. */
function readGroups(text: string): number[] {
	if (text === "") return [];
	return text.split(":").flatMap((part) => {
		if (!part.includes(".")) return [Number.parseInt(part, 16)];
		const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
		return [a * 256 + b, c * 256 + d];
	});
}
