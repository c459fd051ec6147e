import t from "tap";
import { times } from "../support/times.js";
import { createFakeDisk, type FakeDisk } from "./fake-disk.js";
import { contentsOf, credit, openOn, tokenRow } from "./open-test-store.js";

const BIG = "x".repeat(400_000);
const REGIONS = 7;

/** Several segments and a snapshot in the middle, left as a crash leaves them. */
async function filledDisk(): Promise<FakeDisk> {
	const disk = createFakeDisk();
	for (const life of [1, 2]) {
		const store = await openOn(disk);
		for (const index of times(14, (i) => i)) {
			const row = tokenRow(`tok_${index % 5}`, { label: `${life} ${BIG}` });
			await store.transaction((tx) => tx.put("tokens", row));
			await credit(store, "cust:a", 1n, `k${life}.${index}`);
		}
		if (life === 1) await store.close();
	}
	return disk;
}

/** Bytes to flip: one of each region, the first and the last. */
function positions(bytes: number): readonly number[] {
	const inside = times(REGIONS, (index) => Math.floor(((index + 0.37) * bytes) / REGIONS));
	return [...new Set([0, 1, ...inside, bytes - 2, bytes - 1])].filter(
		(at) => at >= 0 && at < bytes,
	);
}

t.test("one wrong bit in any region of any file is refused or makes no difference", async (t) => {
	const disk = await filledDisk();
	const expected = await contentsOf(await openOn(disk.copy()));
	const files = disk.files().filter((path) => /\.(journal|snapshot)$|mark$/.test(path));
	t.ok(files.length >= 4, `${files.length} files`);
	const wrong: string[] = [];
	let refused = 0;
	for (const path of files) {
		for (const at of positions((await disk.size(path)) ?? 0)) {
			const damaged = disk.copy();
			damaged.edit(path, (bytes) => {
				bytes[at] = (bytes[at] ?? 0) ^ 4;
				return bytes;
			});
			const found = await openOn(damaged).then(contentsOf, (error: { code?: string }) => error);
			if (typeof found !== "string" && found.code === "UNAVAILABLE") refused += 1;
			else if (found !== expected) wrong.push(`${path} at ${at}`);
		}
	}
	t.same(wrong, []);
	t.ok(refused > files.length, `${refused} refused`);
});
