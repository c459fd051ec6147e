import { crc32 } from "node:zlib";
import t from "tap";
import { createFakeDisk, type FakeDisk } from "./fake-disk.js";
import { balanceOf, contentsOf, credit, FOLDER, openOn, tokenRow } from "./open-test-store.js";

const SEGMENT = `${FOLDER}/segments/00000001.journal`;
const MARK = `${FOLDER}/mark`;
const BIG = "x".repeat(400_000);

async function segmentOf(disk: FakeDisk): Promise<Buffer> {
	return (await disk.read(SEGMENT)) ?? Buffer.alloc(0);
}

/** Bytes up to the end of the last frame. */
async function framesOf(disk: FakeDisk): Promise<number> {
	const bytes = await segmentOf(disk);
	let end = bytes.length;
	while (bytes[end - 1] === 0) end--;
	return end;
}

/** A process that was killed within a second of its payments, and where each of them ended in the file. */
async function killAfterPayments() {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	const ends: number[] = [];
	for (let payment = 1; payment <= 5; payment++) {
		await credit(store, "cust:a", 10n, `payment ${payment}`);
		ends.push(await framesOf(disk));
	}
	return { disk: disk.copy(), ends };
}

t.test("payments that the disk lost behind a kill are refused, and going on is said", async (t) => {
	const { disk, ends } = await killAfterPayments();
	for (const [index, end] of ends.entries()) {
		const lost = disk.copy();
		lost.edit(SEGMENT, (bytes) => bytes.subarray(0, end));
		await t.rejects(openOn(lost), {
			code: "UNAVAILABLE",
			retryable: false,
			message: /shorter than it was made .*--accept-loss/,
		});
		const said: string[] = [];
		const store = await openOn(lost, { acceptLoss: (problem) => void said.push(problem) });
		t.match(said, [/payments behind that frame may be gone/]);
		t.equal(await balanceOf(store, "cust:a"), BigInt(10 * (index + 1)), "what is there is kept");
		await credit(store, "cust:b", 1n);
		const again = await openOn(lost.copy());
		t.equal(await balanceOf(again, "cust:b"), 1n, "and it is no loss any more");
		await again.verify();
	}
	const whole = await openOn(disk, { acceptLoss: () => t.fail("nothing is lost") });
	t.equal(await balanceOf(whole, "cust:a"), 50n);
});

t.test(
	"a journal that ends before its mark is refused as before, and may be accepted",
	async (t) => {
		const { disk, ends } = await killAfterPayments();
		const store = await openOn(disk);
		await store.close();
		disk.edit(SEGMENT, (bytes) => bytes.subarray(0, ends[2]));
		await t.rejects(openOn(disk), { message: /although frame 5 was on the disk.*--accept-loss/ });
		const said: string[] = [];
		const accepted = await openOn(disk, { acceptLoss: (problem) => void said.push(problem) });
		t.equal(said.length, 1);
		t.equal(await balanceOf(accepted, "cust:a"), 30n);
	},
);

t.test("a write that was to make the file longer may be cut off at any byte", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	await credit(store, "cust:a", 7n);
	await store.transaction((tx) => tx.put("tokens", tokenRow("tok_a", { label: BIG })));
	const earlier = disk.copy();
	const before = await contentsOf(store);
	await store.transaction((tx) => tx.put("tokens", tokenRow("tok_b", { label: BIG })));
	const after = await contentsOf(store);
	const [start, end] = [(await segmentOf(earlier)).length, await framesOf(disk)];
	const bytes = await segmentOf(disk);
	for (let cut = start; cut <= bytes.length; cut += 4_099) {
		const torn = earlier.copy();
		torn.edit(SEGMENT, () => bytes.subarray(0, cut));
		const opened = await openOn(torn);
		t.equal(await contentsOf(opened), cut < end ? before : after);
	}
});

t.test("a start that is killed at any step leaves what the next one opens", async (t) => {
	const { disk } = await killAfterPayments();
	for (const isClosed of [false, true]) {
		const from = disk.copy();
		if (isClosed) await (await openOn(from)).close();
		for (let step = 0; ; step++) {
			const started = from.copy();
			let steps = 0;
			const states: FakeDisk[] = [];
			started.judge = () => {
				if (steps++ === step) states.push(started.copy());
				return "work";
			};
			const store = await openOn(started);
			await credit(store, "cust:b", 1n);
			await store.close();
			const [killed] = states;
			if (!killed) break;
			const next = await openOn(killed, { acceptLoss: (problem) => t.fail(problem) });
			t.equal(await balanceOf(next, "cust:a"), 50n);
		}
	}
});

t.test("a folder of a newer version is refused, and nothing is changed", async (t) => {
	const { disk } = await killAfterPayments();
	disk.edit(MARK, (bytes) => {
		const slots = [0, 512].map((start) => {
			const record = bytes.toString("latin1", start, start + 502);
			const newer = record.replace('"format":1}', '"format":2}');
			return `${newer} ${crc32(newer).toString(16).padStart(8, "0")}\n`;
		});
		return Buffer.from(slots.join("").slice(0, bytes.length), "latin1");
	});
	const before = await segmentOf(disk);
	await t.rejects(openOn(disk, { acceptLoss: () => undefined }), {
		code: "UNAVAILABLE",
		message: /format 2, of a newer version of tollgraph.*Start the newer version/,
	});
	t.same(await segmentOf(disk), before);
});
