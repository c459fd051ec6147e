import t from "tap";
import type { Store, StoreTransaction } from "../../store/store-port.js";
import { times } from "../support/times.js";
import { createFakeDisk, diskError } from "./fake-disk.js";
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
	tokenRow,
} from "./open-test-store.js";

const SEGMENT_1 = `${FOLDER}/segments/00000001.journal`;
const SEGMENT_2 = `${FOLDER}/segments/00000002.journal`;
const BIG = "x".repeat(400_000);

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
		// As long as it was made, or longer.
		for (const room of [whole.length - cut, whole.length * 2 - cut]) {
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

t.test("what recovery found is synced again before anybody can build on it", async (t) => {
	const crashed = await crashAfter(createFakeDisk(), (store) => credit(store, "cust:a", 1n));
	await openOn(crashed);
	const names = crashed.operations.filter(({ path }) => path === SEGMENT_1).map(({ name }) => name);
	t.same(names, ["write", "sync", "truncate", "sync"]);
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

t.test("a deferred change reaches the disk by itself within moments", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	const change = (tx: StoreTransaction) => tx.put("tokens", tokenRow("tok_a"));
	await store.transaction(change, { durability: "deferred" });
	t.equal(store.health().sequence, 0, "it did not wait for the disk");
	while (store.health().sequence === 0) await new Promise((resolve) => setTimeout(resolve, 1));
	t.equal(store.health().sequence, 1);
	const found = await openOn(disk.afterPowerCut(() => 0.9));
	t.equal((await found.read((reader) => reader.list("tokens"))).length, 1);
});

t.test("damage that appears while it runs is reported by the caller who meets it", async (t) => {
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
