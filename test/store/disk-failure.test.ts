import t, { type Test } from "tap";
import { ServiceError } from "../../src/kernel/errors.js";
import type { JournalStore } from "../../store/journal/journal-store.js";
import { times } from "../support/times.js";
import { createFakeDisk, diskError, type FakeDisk, type Verdict } from "./fake-disk.js";
import { balanceOf, credit, FOLDER, openOn, receiptRow } from "./open-test-store.js";

const isJournal = (path: string) => path.endsWith(".journal");

/** Lets the store work, then lets the journal's next write fail under parallel callers. */
async function failUnderLoad(t: Test, verdict: Verdict): Promise<FakeDisk> {
	const disk = createFakeDisk();
	const reasons: string[] = [];
	const note = (reason: string) => reasons.push(reason);
	const store = await openOn(disk, { onStop: note, onFull: note });
	for (const index of times(3, (i) => i)) await credit(store, "cust:a", 1n, `before ${index}`);
	let failures = 0;
	disk.judge = ({ name, path }) => {
		if (name !== "writeDurably" || !isJournal(path)) return "work";
		failures += 1;
		return verdict;
	};
	const writes = times(64, (index) => credit(store, "cust:a", 1n, `during ${index}`));
	const deferred = { durability: "deferred" } as const;
	await store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_1")), deferred);
	const looks = [
		store.transaction((tx) => tx.balance("cust:a")),
		store.read((reader) => reader.get("receipts", "rcpt_1")),
	];
	const outcomes = await Promise.allSettled([...writes, ...looks]);
	for (const outcome of outcomes) assertUnavailable(t, outcome);
	assertUnavailable(t, (await Promise.allSettled([credit(store, "cust:a", 1n, "after")]))[0]);
	await assertStopped(t, store, reasons);
	t.equal(reasons.length, 1);
	t.equal(failures, 1, "a write that failed is not tried again");
	await store.close();
	t.equal(failures, 1);
	disk.judge = () => "work";
	return disk;
}

function assertUnavailable(t: Test, outcome: PromiseSettledResult<unknown> | undefined): void {
	const error: unknown = outcome?.status === "rejected" ? outcome.reason : "acknowledged";
	const isRight = error instanceof ServiceError && error.code === "UNAVAILABLE" && error.retryable;
	if (!isRight) t.fail(`no UNAVAILABLE: ${String(error)}`);
}

async function assertStopped(
	t: Test,
	store: JournalStore,
	reasons: readonly string[],
): Promise<void> {
	t.equal(store.health().status, /disk is full/.test(reasons[0] ?? "") ? "full" : "stopped");
	t.match(store.health().reason, /simulated|short write/);
	const read = store.transaction((tx) => tx.balance("cust:a"));
	await t.rejects(read, { code: "UNAVAILABLE" }, "not even a look is promised to be durable");
	await t.resolves(
		store.read((reader) => reader.balance("cust:a")),
		"reading goes on",
	);
}

for (const [title, verdict] of [
	["a full disk (ENOSPC)", { error: diskError("ENOSPC") }],
	["a broken disk (EIO)", { error: diskError("EIO") }],
	["a sync that fails after the write", { error: diskError("EIO"), unsynced: true }],
	["a short write", "short"],
] as const satisfies readonly (readonly [string, Verdict])[]) {
	t.test(`${title} stops the store and loses nothing that was acknowledged`, async (t) => {
		const disk = await failUnderLoad(t, verdict);
		const found = new Set<bigint>();
		for (const seed of times(20, (index) => index + 1)) {
			const restarted = await openOn(disk.afterPowerCut(() => ((seed * 7_919) % 97) / 97));
			found.add(await balanceOf(restarted, "cust:a"));
			await restarted.verify();
			await credit(restarted, "cust:a", 1n, "after");
			await restarted.close();
		}
		for (const balance of found) {
			t.ok(balance === 3n || balance === 67n, `${balance} is all of a frame or nothing of it`);
		}
	});
}

t.test("failures of a rotation or of the mark stop the store as well", async (t) => {
	const fill = async (store: JournalStore) => {
		// Small enough for room to be written ahead, so that a rotation has something to cut.
		for (const index of times(80, (i) => i)) {
			const row = { id: `acc_${index}`, label: "x".repeat(60_000), plan: "free" as const };
			await store.transaction((tx) =>
				tx.put("accounts", { ...row, hasPaymentMethod: false, createdAt: 0 }),
			);
		}
	};
	for (const failing of ["truncate", "sync", "create", "syncFolder", "mark"]) {
		const disk = createFakeDisk();
		const store = await openOn(disk);
		disk.judge = ({ name, path }) => {
			const isHit =
				failing === "mark"
					? name === "writeDurably" && path === `${FOLDER}/mark`
					: name === failing && path.startsWith(`${FOLDER}/segments`);
			return isHit ? { error: diskError("EIO") } : "work";
		};
		await t.rejects(fill(store), { code: "UNAVAILABLE" }, failing);
		t.equal(store.health().status, "stopped");
		await store.close();
		disk.judge = () => "work";
		const restarted = await openOn(disk.afterPowerCut(() => 0));
		// The mark is written whenever the file grows: a disk that refuses it is noticed at the first time.
		const least = failing === "mark" ? 1 : 60;
		t.ok((await restarted.read((reader) => reader.list("accounts"))).length >= least);
	}
});

t.test("a snapshot that cannot be written costs nothing but time", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	disk.judge = ({ path }) => (path.includes("snapshot") ? { error: diskError("ENOSPC") } : "work");
	for (const index of times(20, (i) => i)) {
		await store.transaction((tx) =>
			tx.put("accounts", {
				id: "acc_1",
				label: "x".repeat(400_000),
				plan: "free",
				hasPaymentMethod: false,
				createdAt: index,
			}),
		);
	}
	await store.close();
	disk.judge = () => "work";
	const again = await openOn(disk);
	t.equal((await again.read((reader) => reader.get("accounts", "acc_1")))?.createdAt, 19);
});

t.test("the query log loses rows to a failing disk and never troubles a call", async (t) => {
	const disk = createFakeDisk();
	const dropped: number[] = [];
	const store = await openOn(disk, { onDroppedQueryRows: (count) => dropped.push(count) });
	const isQuery = (path: string) => path.includes("/queries/");
	const append = (requestId: string) =>
		store.queryLog.append({
			at: Date.parse("2026-03-01T00:00:00Z"),
			requestId,
			owner: "tok_a",
			operationId: "graphs.search",
			transport: "rest",
			query: "q",
			decision: undefined,
			receiptId: undefined,
		});
	append("req_1");
	disk.judge = ({ path }) => (isQuery(path) ? "short" : "work");
	t.equal(await store.queryLog.dropBefore("2026-01-01"), 0);
	await credit(store, "cust:a", 1n);
	append("req_2");
	append("req_3");
	await store.close();
	t.same(dropped, [3], "what is lost is told");
	t.equal(store.health().reason, "it is closed");
	const text = (await disk.read(`${FOLDER}/queries/2026-03-01.ndjson`))?.toString() ?? "";
	t.equal(text, "", "no half line is left");
});

t.test("a new folder's own name is on the disk before the store is open", async (t) => {
	const disk = createFakeDisk();
	const parents = () =>
		disk.operations.filter(({ name, path }) => name === "syncFolder" && path === "/").length;
	const store = await openOn(disk);
	t.equal(parents(), 1);
	await store.close();
	await (await openOn(disk)).close();
	t.equal(parents(), 1, "once is enough");
});
