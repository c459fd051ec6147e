import t, { type Test } from "tap";
import type { Store } from "../../store/store.js";
import { createFakeDisk, diskError, type FakeDisk } from "./fake-disk.js";
import {
	balanceOf,
	contentsOf,
	crashAfter,
	credit,
	FOLDER,
	openOn,
	receiptRow,
	START_MS,
	stillClock,
	times,
	tokenRow,
} from "./open-test-store.js";

const SEGMENT_1 = `${FOLDER}/segments/00000001.journal`;
const SEGMENT_2 = `${FOLDER}/segments/00000002.journal`;
const BIG = "x".repeat(400_000);

/** Fills some segments; the store is closed, so there is a snapshot as well. */
async function filledDisk(rows = 40): Promise<FakeDisk> {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	for (const index of times(rows, (i) => i)) {
		await store.transaction((tx) => tx.put("tokens", tokenRow(`tok_${index % 5}`, { label: BIG })));
		await credit(store, "cust:a", 1n, `k${index}`);
	}
	await store.close();
	return disk;
}

function snapshotsOf(disk: FakeDisk): string[] {
	return disk.files().filter((path) => path.endsWith(".snapshot"));
}

async function refusesToOpen(t: Test, disk: FakeDisk, message: RegExp): Promise<void> {
	const before = disk.operations.length;
	await t.rejects(openOn(disk), { code: "UNAVAILABLE", retryable: false, message });
	const changes = disk.operations
		.slice(before)
		.filter(({ name, path }) => name !== "syncFolder" && !path.includes("lock"));
	t.same(changes, [], "nothing is changed");
}

function endOf(bytes: Buffer): number {
	let end = bytes.length;
	while (bytes[end - 1] === 0) end--;
	return end;
}

t.test("a last frame torn at any byte leaves the state before it", async (t) => {
	let before = "";
	let start = 0;
	const disk = createFakeDisk();
	const crashed = await crashAfter(disk, async (store) => {
		await credit(store, "cust:a", 7n, "first");
		await store.transaction((tx) => tx.put("tokens", tokenRow("tok_a")));
		before = await contentsOf(store);
		start = endOf((await disk.read(SEGMENT_1)) ?? Buffer.alloc(0));
		await credit(store, "cust:a", 2n, "last");
	});
	const whole = (await crashed.read(SEGMENT_1)) ?? Buffer.alloc(0);
	const end = endOf(whole);
	t.ok(end > start);
	for (let cut = start; cut < end; cut++) {
		for (const room of [0, 4_096]) {
			const torn = crashed.copy();
			torn.edit(SEGMENT_1, (bytes) => Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(room)]));
			const store = await openOn(torn);
			if ((await contentsOf(store)) !== before) t.fail(`cut at ${cut} leaves another state`);
			if (cut % 50 !== 0) continue;
			await credit(store, "cust:a", 2n, "last");
			await store.close();
			const again = await openOn(torn);
			t.equal(await balanceOf(again, "cust:a"), 9n, "and work goes on behind it");
		}
	}
});

t.test(
	"one wrong bit anywhere in the journal is refused, with file, byte and advice",
	async (t) => {
		const crashed = await crashAfter(createFakeDisk(), async (store) => {
			for (const index of times(4, (i) => i)) await credit(store, "cust:a", 1n, `k${index}`);
		});
		const end = endOf((await crashed.read(SEGMENT_1)) ?? Buffer.alloc(0));
		for (let bit = 0; bit < end * 8; bit += 3) {
			const damaged = crashed.copy();
			damaged.edit(SEGMENT_1, (bytes) => {
				bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
				return bytes;
			});
			const error = await openOn(damaged).then(
				() => undefined,
				(reason: Error) => reason,
			);
			const isRefused = /00000001\.journal", at byte \d+, .*Restore/.test(error?.message ?? "");
			if (!isRefused) t.fail(`bit ${bit}: ${error?.message ?? "opened"}`);
		}
	},
);

t.test("a snapshot with a wrong bit is refused until it is deleted", async (t) => {
	const disk = await filledDisk();
	const [path = ""] = snapshotsOf(disk);
	const { length } = (await disk.read(path)) ?? "";
	for (const at of [0, 100, length >> 1, length - 20, length - 2]) {
		const damaged = disk.copy();
		damaged.edit(path, (bytes) => {
			bytes[at] = (bytes[at] ?? 0) ^ 1;
			return bytes;
		});
		await refusesToOpen(
			t,
			damaged,
			/snapshot", at byte \d+, .*delete ".*snapshot", and the next start/,
		);
	}
});

t.test("without its snapshot the journal adds up to the same", async (t) => {
	const disk = await filledDisk();
	const expected = await contentsOf(await openOn(disk.copy()));
	for (const path of snapshotsOf(disk)) await disk.remove(path);
	const store = await openOn(disk);
	t.equal(await contentsOf(store), expected);
	await t.rejects(credit(store, "cust:a", 1n, "k3"), { message: /has "k3" already/ });
	await t.resolves(store.verify());
});

t.test("an older snapshot than the one that was there is refused", async (t) => {
	const disk = await filledDisk();
	const older = disk.copy();
	const store = await openOn(disk);
	for (const index of times(30, (i) => i)) {
		await store.transaction((tx) => tx.put("tokens", tokenRow(`tok_${index % 2}`, { label: BIG })));
	}
	await store.close();
	const [oldPath = "", newPath = ""] = [snapshotsOf(older)[0], snapshotsOf(disk)[0]];
	t.not(oldPath, newPath);
	const bytes = (await older.read(oldPath)) ?? Buffer.alloc(0);
	await disk.rename(newPath, oldPath);
	disk.edit(oldPath, () => bytes);
	await refusesToOpen(t, disk, /it is older than the one of frame \d+/);
	await disk.remove(oldPath);
	await t.resolves(openOn(disk), "and the remedy helps");
});

t.test("missing, swapped, shortened and foreign segments are refused", async (t) => {
	const disk = await filledDisk();
	const segments = disk.files().filter((path) => path.endsWith(".journal"));
	t.ok(segments.length >= 3);
	for (const isSnapshotThere of [true, false]) {
		const start = disk.copy();
		if (!isSnapshotThere) for (const path of snapshotsOf(start)) await start.remove(path);
		for (const path of segments) {
			const missing = start.copy();
			await missing.remove(path);
			await refusesToOpen(t, missing, /missing|the journal ends after frame/);
			const shortened = start.copy();
			shortened.edit(path, (bytes) => bytes.subarray(0, bytes.length - 1));
			await refusesToOpen(t, shortened, /at byte/);
		}
		const swapped = start.copy();
		swapped.exchange(SEGMENT_1, SEGMENT_2);
		await refusesToOpen(t, swapped, /00000001\.journal", at byte 0, frame \d+ is there instead/);
		const foreign = start.copy();
		const other = await filledDisk(30);
		const bytes = (await other.read(SEGMENT_1)) ?? Buffer.alloc(0);
		const twisted = Buffer.from(bytes.toString("latin1").replace("cust:a", "cust:b"), "latin1");
		foreign.edit(SEGMENT_1, () => twisted);
		await refusesToOpen(t, foreign, /00000001\.journal"/);
	}
});

t.test(
	"a journal that ends before its mark is refused, and so is one without a mark",
	async (t) => {
		const disk = await filledDisk(2);
		const shortened = disk.copy();
		shortened.edit(SEGMENT_1, (bytes) => {
			const lastFrame = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
			return bytes.subarray(0, lastFrame);
		});
		await refusesToOpen(
			t,
			shortened,
			/ends after frame 3, although frame 4 was on the disk already/,
		);
		const emptied = disk.copy();
		for (const path of emptied.files()) if (!path.endsWith("mark")) await emptied.remove(path);
		await refusesToOpen(t, emptied, /the journal is missing/);
		const unmarked = disk.copy();
		await unmarked.remove(`${FOLDER}/mark`);
		await refusesToOpen(t, unmarked, /the high-water mark is missing/);
		const spoiled = disk.copy();
		spoiled.edit(`${FOLDER}/mark`, (bytes) => Buffer.alloc(bytes.length, "x"));
		await refusesToOpen(t, spoiled, /no record of the high-water mark is readable/);
	},
);

t.test("a whole journal of another store is refused", async (t) => {
	const [disk, other] = [await filledDisk(2), createFakeDisk()];
	const store = await openOn(other);
	for (const index of times(4, (i) => i)) await credit(store, "cust:b", 1n, `k${index}`);
	await store.close();
	const bytes = (await other.read(SEGMENT_1)) ?? Buffer.alloc(0);
	for (const path of snapshotsOf(disk)) await disk.remove(path);
	disk.edit(SEGMENT_1, () => bytes);
	await refusesToOpen(t, disk, /frame 4 is another one than was written here/);
});

t.test("one spoiled record of the mark is bridged by the other", async (t) => {
	const disk = await filledDisk(2);
	for (const at of [10, 522]) {
		const spoiled = disk.copy();
		spoiled.edit(`${FOLDER}/mark`, (bytes) => {
			bytes[at] = 0;
			return bytes;
		});
		const store = await openOn(spoiled);
		t.equal(await balanceOf(store, "cust:a"), 2n);
	}
});

t.test("what recovery found is synced again before anybody can build on it", async (t) => {
	const crashed = await crashAfter(createFakeDisk(), (store) => credit(store, "cust:a", 1n));
	await openOn(crashed);
	const names = crashed.operations.filter(({ path }) => path === SEGMENT_1).map(({ name }) => name);
	t.same(names, ["truncate", "write", "sync"]);
});

t.test(
	"a crash between a new segment and its first frame leaves a journal that opens",
	async (t) => {
		const disk = createFakeDisk();
		const store = await openOn(disk);
		disk.judge = ({ name, path }) =>
			name === "writeDurably" && path === SEGMENT_2 ? { error: diskError("EIO") } : "work";
		const label = BIG;
		const fill = times(
			12,
			(index) => () =>
				store.transaction((tx) => tx.put("tokens", tokenRow(`tok_${index}`, { label }))),
		);
		let kept = 0;
		await t.rejects(async () => {
			for (const put of fill) {
				await put();
				kept += 1;
			}
		});
		disk.judge = () => "work";
		for (const restart of [1, 2, 3]) {
			const again = await openOn(disk);
			t.equal(
				(await again.read((reader) => reader.list("tokens"))).length,
				kept,
				`restart ${restart}`,
			);
			if (restart === 2) await again.close();
		}
	},
);

t.test("damage that appears while it runs is reported by whoever meets it", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	await credit(store, "cust:a", 1n);
	disk.edit(SEGMENT_1, (bytes) => {
		bytes[90] = (bytes[90] ?? 0) ^ 4;
		return bytes;
	});
	t.equal(store.health().isChainIntact, true);
	await t.rejects(store.verify(), {
		code: "UNAVAILABLE",
		message: /00000001\.journal", at byte 0/,
	});
	t.equal(store.health().isChainIntact, false);
	await t.rejects(readAll(store), { code: "UNAVAILABLE" });
});

async function readAll(store: Store): Promise<void> {
	for await (const _ of store.history());
}

t.test("memory holds what is open or recent, not what ever happened", async (t) => {
	const disk = createFakeDisk();
	const clock = stillClock();
	const store = await openOn(disk, { clock });
	await credit(store, "cust:a", 1_000_000n);
	const sell = async (from: number, to: number) => {
		for (let start = from; start < to; start += 500) {
			clock.set(START_MS + start * 60_000);
			await Promise.all(
				times(500, (index) => {
					const id = `rcpt_${start + index}`;
					return store.transaction(async (tx) => {
						await tx.put("receipts", receiptRow(id));
						await tx.post({
							id,
							key: id,
							kind: "capture",
							at: clock.now(),
							ref: id,
							entries: [
								{ account: "cust:a", amountMicros: -1n },
								{ account: "rev:per_call", amountMicros: 1n },
							],
						});
					});
				}),
			);
		}
	};
	await sell(0, 5_000);
	const early = store.memoryEntries();
	await sell(5_000, 30_000);
	t.ok(store.memoryEntries() <= early, `${store.memoryEntries()} entries after ${early}`);
	const { transactions } = await store.verify();
	t.equal(transactions, 30_001);
	await store.close();
	const again = await openOn(disk, { clock });
	t.ok(again.memoryEntries() <= early);
	t.equal((await again.read((reader) => reader.get("receipts", "rcpt_17")))?.holdId, "hold_17");
});
