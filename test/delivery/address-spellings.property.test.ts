import fc from "fast-check";
import t from "tap";
import { isPublicAddress } from "../../src/delivery/public-address.js";
import { toCallerAddress } from "../../src/http/request.js";

t.test("an address is judged and counted alike however it is written", (t) => {
	fc.assert(
		fc.property(fc.ipV6(), (address) => {
			const isPublic = isPublicAddress(address);
			const caller = toCallerAddress(address);
			t.match(caller, /^(?:[\da-f]{1,4}:){4}:\/64$|^\d+\.\d+\.\d+\.\d+$/, address);
			// The URL parser writes addresses its own way: lower case, the longest run of zeros left out.
			const { hostname } = new URL(`http://[${address}]/`);
			for (const written of [address.toUpperCase(), hostname.slice(1, -1)]) {
				t.equal(isPublicAddress(written), isPublic, written);
				t.equal(toCallerAddress(written), caller, written);
			}
		}),
		{ numRuns: 300 },
	);
	t.notOk(isPublicAddress("2a00:1:2::5efe:127.0.0.1"), "ISATAP");
	t.equal(toCallerAddress("fe80::1%eth0"), "fe80:0:0:0::/64");
	t.equal(toCallerAddress("::ffff:192.0.2.1"), "192.0.2.1");
	t.equal(toCallerAddress("::192.0.2.1"), "0:0:0:0::/64");
	for (const text of ["", ":::", "1:2"]) t.equal(toCallerAddress(text), "unknown");
	t.end();
});
