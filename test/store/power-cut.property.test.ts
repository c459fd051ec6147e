import fc from "fast-check";
import t from "tap";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { seededRandom } from "../support/seeded-random.js";
import { times } from "../support/times.js";
import { createFakeDisk, diskError, type FakeDisk } from "./fake-disk.js";
import { balanceOf, credit, FOLDER, openOn, posting, stillClock } from "./open-test-store.js";

interface Cut {
	/** How many changes of the disk go through before the power goes. */
	readonly afterOperations: number;
	readonly callers: number;
	readonly seed: number;
	readonly rowChars: number;
	/** Whether the store is still being closed when the power goes, if it got so far. */
	readonly isClosed: boolean;
}

/** Long delays pass in a few milliseconds, so that the mark is raised amid the work. */
const hastyClock: Clock = {
	...stillClock(),
	after: (delayMs, task) => systemClock.after(delayMs / 100, task),
};

const cut: fc.Arbitrary<Cut> = fc.record({
	afterOperations: fc.nat({ max: 80 }),
	callers: fc.integer({ min: 1, max: 6 }),
	seed: fc.nat(),
	rowChars: fc.constantFrom(10, 1_000, 30_000, 900_000),
	isClosed: fc.boolean(),
});

/** Bills until the power goes; returns which bills were acknowledged and which were begun. */
async function workUntilCut(
	disk: FakeDisk,
	{ afterOperations, callers, rowChars, isClosed }: Cut,
): Promise<Work> {
	const acknowledged = new Set<string>();
	const begun = new Set<string>();
	const cutAt = disk.operations.length + afterOperations;
	disk.judge = () =>
		disk.operations.length > cutAt ? { error: diskError("EIO"), unsynced: true } : "work";
	const bill = async (caller: number) => {
		const store = await opening;
		for (let index = 0; index < 20; index++) {
			const key = `${caller}.${index}.${disk.operations.length}`;
			begun.add(key);
			const memo = "m".repeat(rowChars);
			const entries = { "cash:manual": -1n, "cust:a": 1n };
			const durability = index % 3 === 0 ? "deferred" : "durable";
			await store.transaction((tx) => tx.post(posting(key, entries, { memo })), { durability });
			if (durability === "durable") acknowledged.add(key);
		}
	};
	const opening = openOn(disk, { clock: hastyClock });
	await Promise.allSettled(times(callers, bill));
	if (isClosed) await opening.then((store) => store.close()).catch(() => undefined);
	return { acknowledged, begun };
}

interface Work {
	readonly acknowledged: ReadonlySet<string>;
	readonly begun: ReadonlySet<string>;
}

async function assertWhole(disk: FakeDisk, { acknowledged, begun }: Work): Promise<void> {
	const store = await openOn(disk);
	const kept: string[] = [];
	for await (const { postings } of store.history())
		kept.push(...postings.flatMap(({ key }) => key ?? []));
	await store.verify();
	const lost = [...acknowledged].filter((key) => !kept.includes(key));
	if (lost.length > 0) throw new Error(`lost: ${lost.join(" ")}`);
	if (new Set(kept).size !== kept.length) throw new Error("something is there twice");
	if (!kept.every((key) => begun.has(key))) throw new Error("something nobody asked for is there");
	if ((await balanceOf(store, "cust:a")) !== BigInt(kept.length)) throw new Error("sums differ");
	await credit(store, "cust:a", 1n, "work goes on");
	await store.close();
}

t.test("after any power cut, all that was acknowledged is there, whole and once", async () => {
	const property = fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 3 }), async (cuts) => {
		let disk = createFakeDisk();
		const acknowledged = new Set<string>();
		const begun = new Set<string>();
		for (const one of cuts) {
			const work = await workUntilCut(disk, one);
			for (const key of work.acknowledged) acknowledged.add(key);
			for (const key of work.begun) begun.add(key);
			disk = disk.afterPowerCut(seededRandom(one.seed));
			// Half a lock is waited for; that has a test of its own.
			await disk.remove(`${FOLDER}/lock`);
		}
		await assertWhole(disk, { acknowledged, begun });
	});
	await fc.assert(property, { numRuns: 25 });
});
