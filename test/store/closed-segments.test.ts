import t from "tap";
import { createFakeDisk, type FakeDisk } from "./fake-disk.js";
import { balanceOf, credit, FOLDER, openOn, tokenRow } from "./open-test-store.js";

const BIG = "x".repeat(1_000_000);
const pathOf = (number: number) => `${FOLDER}/segments/${String(number).padStart(8, "0")}.journal`;

/** A closed store of so many segments that a start does not read the first ones: its snapshot knows them. */
async function closeLongStore(): Promise<{ disk: FakeDisk; segments: number }> {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	await credit(store, "cust:a", 7n);
	let segments = 0;
	for (let change = 1; segments < 19; change++) {
		await store.transaction((tx) => tx.put("tokens", tokenRow("tok_a", { label: BIG })));
		if (change % 4 === 0) segments = (await disk.list(`${FOLDER}/segments`)).length;
	}
	await credit(store, "cust:a", 5n, "last");
	await store.close();
	return { disk, segments };
}

t.test("closed segments that a start does not read are compared with what they were", async (t) => {
	const { disk, segments } = await closeLongStore();
	const start = async () => {
		const store = await openOn(disk.copy());
		t.equal(await balanceOf(store, "cust:a"), 12n);
		return store;
	};
	const store = await start();
	t.equal((await store.verify()).transactions, 2);
	const first = (await disk.read(pathOf(1))) ?? Buffer.alloc(0);
	const damages: Readonly<Record<string, readonly [number, (bytes: Buffer) => Buffer, RegExp]>> = {
		"is shorter": [1, (bytes) => bytes.subarray(0, -1), /has \d+ bytes instead of \d+/],
		"is longer": [2, (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]), /bytes instead of/],
		"is empty": [1, () => Buffer.alloc(0), /at byte 0, the segment has 0 bytes instead of/],
		"begins as another one": [
			...([
				2,
				(bytes: Buffer) => Buffer.concat([first.subarray(0, 44), bytes.subarray(44)]),
			] as const),
			/another segment's frames are there/,
		],
	};
	for (const [what, [number, edit, message]] of Object.entries(damages)) {
		const damaged = disk.copy();
		damaged.edit(pathOf(number), edit);
		const path = new RegExp(`${String(number).padStart(8, "0")}\\.journal`);
		const failed = openOn(damaged);
		await t.rejects(failed, { code: "UNAVAILABLE", retryable: false, message }, what);
		await t.rejects(failed, { message: path }, `${what}: which one`);
	}
	t.ok(segments >= 19);
});

t.test("a frame behind another chain at the start of a closed segment is refused", async (t) => {
	const { disk } = await closeLongStore();
	const [sequence, previousCrc] = [range(4, 16), range(26, 34)];
	for (const byte of [...sequence, ...previousCrc]) {
		const damaged = disk.copy();
		damaged.edit(pathOf(2), (bytes) => {
			bytes[byte] = (bytes[byte] ?? 0) ^ 1;
			return bytes;
		});
		await t.rejects(openOn(damaged), { message: /00000002\.journal/ }, `byte ${byte}`);
	}
});

t.test(
	"the last sixteen closed segments are read at each start, those before are not",
	async (t) => {
		const { disk } = await closeLongStore();
		const newest = (await disk.list(`${FOLDER}/segments`)).length;
		for (const [number, isRead] of [
			[newest - 16, true],
			[newest - 17, false],
		] as const) {
			const damaged = disk.copy();
			damaged.edit(pathOf(number), (bytes) => {
				bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
				return bytes;
			});
			if (isRead) {
				await t.rejects(openOn(damaged), { message: /the checksum does not match/ });
				continue;
			}
			const store = await openOn(damaged);
			t.equal(store.health().isChainIntact, true);
			await t.rejects(store.verify(), { message: /the checksum does not match/ });
			t.equal(store.health().isChainIntact, false, "a whole check reads them all");
		}
	},
);

const range = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => from + index);
