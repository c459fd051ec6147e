import t, { type Test } from "tap";
import { times } from "../support/times.js";
import { createFakeDisk, diskError, type FakeDisk } from "./fake-disk.js";
import { balanceOf, contentsOf, credit, FOLDER, openOn, tokenRow } from "./open-test-store.js";

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

t.test("a snapshot under the name of another frame is refused", async (t) => {
	const disk = await filledDisk(4);
	const [path = ""] = snapshotsOf(disk);
	const [, number = ""] = /(\d+)\.snapshot$/.exec(path) ?? [];
	const later = path.replace(number, String(Number(number) + 1).padStart(number.length, "0"));
	await disk.rename(path, later);
	await refusesToOpen(t, disk, new RegExp(`it is the snapshot of frame ${Number(number)}`));
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

t.test("a journal that cannot be read just now is not taken for a damaged one", async (t) => {
	const disk = createFakeDisk();
	const isRefused = { now: false };
	const store = await openOn({
		...disk,
		read: (path) =>
			isRefused.now && path === SEGMENT_1 ? Promise.reject(diskError("EMFILE")) : disk.read(path),
	});
	await credit(store, "cust:a", 1n);
	isRefused.now = true;
	const refusal = { code: "UNAVAILABLE", retryable: true, message: /could not be read.*EMFILE/ };
	await t.rejects(store.verify(), refusal);
	await t.rejects(store.verify({ sinceLast: true }), refusal);
	t.equal(store.health().isChainIntact, true);
	isRefused.now = false;
	await t.resolves(store.verify());
});

t.test("a damaged journal is reported until it was found whole again", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	await credit(store, "cust:a", 1n);
	await store.verify();
	const flip = (bytes: Buffer) => {
		bytes[60] = (bytes[60] ?? 0) ^ 1;
		return bytes;
	};
	disk.edit(SEGMENT_1, flip);
	await t.rejects(store.verify(), { code: "UNAVAILABLE", retryable: false });
	t.equal(store.health().isChainIntact, false);
	disk.edit(SEGMENT_1, flip);
	await store.verify({ sinceLast: true });
	t.equal(store.health().isChainIntact, false, "a look at what is new tells nothing of the old");
	await store.verify();
	t.equal(store.health().isChainIntact, true);
});
