import fc from "fast-check";
import t from "tap";
import { toIpv6Groups } from "../../src/kernel/ipv6-groups.js";

t.test("an address has the same groups however it is written", (t) => {
	fc.assert(
		fc.property(fc.ipV6(), (address) => {
			const groups = toIpv6Groups(address);
			t.equal(groups?.length, 8, address);
			const plain = (groups ?? []).map((group) => group.toString(16)).join(":");
			t.same(toIpv6Groups(plain.toUpperCase()), groups);
			// The URL parser writes addresses its own way: lower case, the longest run of zeros left out.
			const { hostname } = new URL(`http://[${address}]/`);
			t.same(toIpv6Groups(hostname.slice(1, -1)), groups);
		}),
		{ numRuns: 300 },
	);
	t.same(toIpv6Groups("2a00:1:2::5efe:127.0.0.1"), [0x2a00, 1, 2, 0, 0, 0x5efe, 0x7f00, 1]);
	t.same(toIpv6Groups("fe80::1%eth0"), [0xfe80, 0, 0, 0, 0, 0, 0, 1]);
	for (const text of ["", "1.2.3.4", ":::", "1:2"]) t.equal(toIpv6Groups(text), undefined);
	t.end();
});
