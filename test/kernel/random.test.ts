import t from "tap";
import { systemRandom } from "../../src/kernel/ids.js";

t.test("bytes are handed out once, in whatever portions", async (t) => {
	const seen = new Set<string>();
	for (let index = 0; index < 5_000; index++) {
		const bytes = systemRandom.bytes(1 + (index % 40) + 8);
		seen.add(Buffer.from(bytes.slice(0, 8)).toString("hex"));
		if (bytes.length !== 9 + (index % 40)) t.fail("wrong length");
	}
	t.equal(seen.size, 5_000);
	t.equal(systemRandom.bytes(10_000).length, 10_000);
});

t.test("one portion does not change with the next", async (t) => {
	const first = systemRandom.bytes(16);
	const copy = Buffer.from(first).toString("hex");
	for (let index = 0; index < 1_000; index++) systemRandom.bytes(16);
	t.equal(Buffer.from(first).toString("hex"), copy);
	t.ok(first.some((byte) => byte !== 0));
});
