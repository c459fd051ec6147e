import t from "tap";
import { nextTurn } from "../../src/kernel/kernel.js";
import type { FileSystem } from "../../store/journal/file-system.js";
import type { JournalStore } from "../../store/journal/journal-store.js";
import { createGate } from "../support/gate.js";
import { times } from "../support/times.js";
import { createFakeDisk, diskError, type FakeDisk } from "./fake-disk.js";
import { BIG, backupsOn, filledDisk, restoreOn } from "./filled-disk.js";
import { balanceOf, credit, FOLDER, openOn, START_MS, tokenRow } from "./open-test-store.js";

const MIB = 1024 * 1024;
const LATER = START_MS + 9_000_000;

/** Opens a store whose disk reports when a file of its own is about to be opened for reading. */
async function openTelling(disk: FakeDisk, onRead: (path: string) => Promise<unknown>) {
	const telling: FileSystem = {
		...disk,
		async openForReading(path) {
			if (path.startsWith(FOLDER)) await onRead(path);
			return disk.openForReading(path);
		},
	};
	return openOn(telling);
}

/** Runs once, at the first path that matches. */
function once(pattern: RegExp, act: () => Promise<unknown>) {
	let isDone = false;
	return async (path: string) => {
		if (isDone || !pattern.test(path)) return;
		isDone = true;
		await act();
	};
}

t.test("text that vanishes amid a backup is no error", async (t) => {
	const disk = await filledDisk("");
	const store = await openTelling(disk, async (path) => {
		if (/documents|queries/.test(path)) await disk.remove(path);
	});
	t.match(await store.backup("/backup"), { transactions: 4 });
	t.same(
		disk.files().filter((path) => /backup\/(documents|queries)/.test(path)),
		[],
	);
	t.match(await restoreOn(disk), { transactions: 4 });
});

t.test("query text that is still in memory is in a backup, in whole lines", async (t) => {
	const disk = await filledDisk("");
	const store = await openOn(disk);
	store.queryLog.append({
		...{ at: START_MS, requestId: "req_2", owner: "tok_a", operationId: "graphs.search" },
		...{ transport: "rest", query: "q2", decision: undefined, receiptId: undefined },
	});
	await store.backup("/backup");
	const text = (await disk.read("/backup/queries/2026-03-01.ndjson"))?.toString() ?? "";
	const lines = text.trimEnd().split("\n");
	t.same(
		lines.map((line) => JSON.parse(line).requestId),
		["req_1", "req_2"],
	);
});

t.test("text that is rewritten amid a backup is in it, with whichever expiry", async (t) => {
	for (const expiresAt of [LATER - 1, LATER, LATER + 100_000_000]) {
		const disk = createFakeDisk();
		const rewrite = () => store.documents.put("task_1", "second", expiresAt);
		const store: JournalStore = await openTelling(disk, once(/segments/, rewrite));
		await credit(store, "cust:a", 1n);
		await store.documents.put("task_1", "first", LATER);
		await store.documents.put("task_2", "gone", LATER);
		await store.backup("/backup");
		await restoreOn(disk);
		const restored = await openOn(disk, { folder: "/restored" });
		t.equal(await restored.documents.get("task_1"), "second");
	}
});

t.test("text that is rewritten or deleted amid its own copy is copied as it was", async (t) => {
	const [old, young] = ["A".repeat(600_000), "B".repeat(700_000)];
	for (const change of [
		(store: JournalStore) => store.documents.put("task_1", young, LATER),
		(store: JournalStore) => store.documents.put("task_1", young, LATER + 1),
		(store: JournalStore) => store.documents.delete("task_1"),
	]) {
		const disk = createFakeDisk();
		let reads = 0;
		const store: JournalStore = await openOn({
			...disk,
			async openForReading(path) {
				const file = await disk.openForReading(path);
				if (!file || !path.startsWith(`${FOLDER}/documents`)) return file;
				const read = async (position: number, length: number) => {
					reads += 1;
					if (reads === 2) await change(store);
					return file.read(position, length);
				};
				return { ...file, read };
			},
		});
		await store.documents.put("task_1", old, LATER);
		await store.backup("/backup");
		t.ok(reads > 2);
		await restoreOn(disk);
		const restored = await openOn(disk, { folder: "/restored" });
		t.equal((await restored.documents.get("task_1")) === old, true);
	}
});

t.test("a file that grows while it is copied makes no backup", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn({
		...disk,
		async openForReading(path) {
			const file = await disk.openForReading(path);
			if (!file || !path.includes("documents")) return file;
			return { ...file, bytes: file.bytes - 1 };
		},
	});
	await store.documents.put("task_1", "text", LATER);
	await t.rejects(store.backup("/backup"), { code: "UNAVAILABLE", message: /has grown/ });
	t.same(backupsOn(disk), []);
});

t.test("a backup copies in parts and never waits for a snapshot", async (t) => {
	const disk = await filledDisk();
	let [longestPart, longestFile, snapshots] = [0, 0, 0];
	const hangs = createGate();
	const store = await openOn({
		...disk,
		async open(path, how) {
			if (path.includes("snapshots")) {
				snapshots += 1;
				await hangs.pass();
			}
			return disk.open(path, how);
		},
		async openForReading(path) {
			const file = await disk.openForReading(path);
			if (!file) return undefined;
			const read = (position: number, length: number) => {
				longestPart = Math.max(longestPart, length);
				return file.read(position, length);
			};
			return { ...file, read };
		},
		async read(path) {
			const bytes = await disk.read(path);
			longestFile = Math.max(longestFile, bytes?.length ?? 0);
			return bytes;
		},
	});
	const backup = store.backup("/backup");
	for (const index of times(4, (i) => i)) {
		const row = tokenRow("tok_b", { label: `${index}${BIG}` });
		await store.transaction((tx) => tx.put("tokens", row));
	}
	await backup;
	t.equal(snapshots, 1, "one was begun, and hangs");
	hangs.open();
	t.ok(longestPart <= 256 * 1024, `${longestPart} bytes at once are copied`);
	t.ok(longestFile <= 6 * MIB, `${longestFile} bytes at once are read back: one segment`);
	await store.close();
	await restoreOn(disk);
	t.equal(await balanceOf(await openOn(disk, { folder: "/restored" }), "cust:a"), 4n);
});

t.test("of two backups into one place one is made, and it is whole", async (t) => {
	const disk = await filledDisk();
	const store = await openOn(disk);
	const outcomes = await Promise.allSettled(times(2, () => store.backup("/backup")));
	t.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
	t.match(
		outcomes.find(({ status }) => status === "rejected"),
		{ reason: { code: "INVALID_ARGUMENT", message: /not empty/ } },
	);
	t.match(await restoreOn(disk), { transactions: 4 });
	t.ok(
		backupsOn(disk).every((path) => path.startsWith("/backup/")),
		"nothing is left beside",
	);
});

t.test("a store that is closed ends its backup before another process gets it", async (t) => {
	const disk = await filledDisk();
	const hangs = createGate();
	const opened: string[] = [];
	const store = await openTelling(disk, async (path) => {
		opened.push(path);
		await hangs.pass();
	});
	let isClosed = false;
	const backup = store.backup("/backup");
	const ended = t.rejects(backup, { code: "UNAVAILABLE", message: /closed meanwhile/ });
	while (opened.length === 0) await nextTurn();
	const closing = store.close().then(() => {
		isClosed = true;
	});
	for (const _ of times(200, (i) => i)) await nextTurn();
	t.notOk(isClosed, "while a file of the store is being read");
	t.equal(await disk.kindOf(`${FOLDER}/lock`), "file");
	hangs.open();
	await Promise.all([closing, ended]);
	t.equal(opened.length, 1, "no further file is opened");
	t.equal(await disk.kindOf(`${FOLDER}/lock`), undefined);
	t.same(backupsOn(disk), []);
	t.equal((await openOn(disk)).health().status, "ok");
});

t.test("a disk that others fill amid a backup is left with its reserve", async (t) => {
	const disk = await filledDisk();
	disk.room = { free: 10_000 * MIB, total: 10_000 * MIB };
	const store = await openTelling(disk, async (path) => {
		if (/0002\.journal/.test(path)) disk.room = { free: 65 * MIB, total: 10_000 * MIB };
	});
	await t.rejects(store.backup("/backup"), { message: /Free some space/ });
	t.same(backupsOn(disk), []);
	await credit(store, "cust:a", 1n, "after");
});

t.test("a backup that fails says what the store itself says", async (t) => {
	const disk = await filledDisk("");
	const full = { error: diskError("ENOSPC") };
	const fillUp = async () => {
		disk.judge = () => full;
		await t.rejects(credit(store, "cust:a", 1n, "lost"), { code: "UNAVAILABLE" });
	};
	const store: JournalStore = await openTelling(disk, once(/documents/, fillUp));
	disk.judge = ({ path }) => (path.startsWith("/backup") ? full : "work");
	await t.rejects(store.backup("/backup"), { message: /ENOSPC.*The store goes on/ });
	disk.judge = () => "work";
	await t.rejects(store.backup("/backup"), { message: /The store has stopped, too: .*ENOSPC/ });
	t.same(backupsOn(disk), []);
});
