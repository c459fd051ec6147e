import t from "tap";
import { createFakeDisk, diskError, type FakeDisk } from "../fake-disk.js";
import { credit, FOLDER, openOn, START_MS, steppedClock, tokenRow } from "../open-test-store.js";
import { slotsOf } from "./open-log.js";
import { turns } from "./timed-clock.js";

const MARK = `${FOLDER}/mark`;
const SEGMENT = `${FOLDER}/segments/00000001.journal`;
const SOUND = { kind: "journal", isChainIntact: true };

/** A store whose clock the test moves, and what its hooks were called with. */
async function openSeen(disk = createFakeDisk()) {
	const clock = steppedClock();
	const seen: string[] = [];
	const store = await openOn(disk, {
		clock,
		onStop: (reason) => seen.push(`stopped: ${reason}`),
		onFull: (reason) => seen.push(`full: ${reason}`),
		onResume: () => seen.push("resumed"),
	});
	return { clock, seen, store };
}

const failAt = (disk: FakeDisk, path: string, code: string, names = ["writeDurably"]) => {
	disk.judge = (operation) =>
		operation.path === path && names.includes(operation.name) ? { error: diskError(code) } : "work";
};

t.test("a store says what state it is in, since when, and why", async (t) => {
	const disk = createFakeDisk();
	const { clock, seen, store } = await openSeen(disk);
	const ok = { ...SOUND, status: "ok", reason: undefined };
	t.strictSame(store.health(), { ...ok, sequence: 0, since: START_MS });
	clock.set(START_MS + 5);
	await credit(store, "cust:a", 1n);
	t.strictSame(store.health(), { ...ok, sequence: 1, since: START_MS });
	failAt(disk, SEGMENT, "ENOSPC");
	await t.rejects(credit(store, "cust:a", 1n, "during"), { code: "UNAVAILABLE" });
	const full = store.health();
	t.match(full, { ...SOUND, status: "full", sequence: 1, since: START_MS + 5 });
	t.same(seen.splice(0), [`full: ${full.reason}`]);
	clock.set(START_MS + 9);
	disk.judge = () => "work";
	while (store.health().status === "full") {
		clock.pass();
		await turns(1);
	}
	t.strictSame(store.health(), { ...ok, sequence: 2, since: START_MS + 9 });
	t.same(seen.splice(0), ["resumed"]);
	clock.set(START_MS + 12);
	failAt(disk, SEGMENT, "EIO");
	await t.rejects(credit(store, "cust:a", 1n, "after"), { code: "UNAVAILABLE" });
	const stopped = store.health();
	t.match(stopped, { ...SOUND, status: "stopped", sequence: 2, since: START_MS + 12 });
	t.match(stopped.reason, /EIO: simulated/);
	t.same(seen, [`stopped: ${stopped.reason}`]);
});

t.test("without anyone to be called the states are the same", async (t) => {
	for (const [code, status] of [
		["ENOSPC", "full"],
		["EIO", "stopped"],
	] as const) {
		const disk = createFakeDisk();
		const clock = steppedClock();
		const store = await openOn(disk, { clock });
		failAt(disk, SEGMENT, code);
		await t.rejects(credit(store, "cust:a", 1n), { code: "UNAVAILABLE" });
		t.equal(store.health().status, status);
		if (status === "stopped") continue;
		disk.judge = () => "work";
		while (store.health().status !== "ok") {
			clock.pass();
			await turns(1);
		}
	}
});

t.test("a closed store is stopped, even where its disk was full", async (t) => {
	const { store } = await openSeen();
	await credit(store, "cust:a", 1n);
	await store.close();
	t.match(store.health(), { status: "stopped", reason: "it is closed", sequence: 1 });
	await t.rejects(store.backup("/backup"), { message: /\(it is closed\)/ });
	await t.rejects(credit(store, "cust:a", 1n, "after"), { message: /\(it is closed\)/ });
	const disk = createFakeDisk();
	const full = await openSeen(disk);
	await credit(full.store, "cust:a", 1n);
	failAt(disk, SEGMENT, "ENOSPC");
	await t.rejects(credit(full.store, "cust:a", 1n, "during"), { code: "UNAVAILABLE" });
	await full.store.close();
	t.equal(full.store.health().status, "stopped");
});

t.test("closing twice is closing once", async (t) => {
	const { store } = await openSeen();
	const first = store.close();
	t.equal(store.close(), first);
	await first;
});

t.test("a backup of a store that is closed meanwhile is not made", async (t) => {
	const disk = createFakeDisk();
	const { store } = await openSeen(disk);
	await credit(store, "cust:a", 1n);
	const backup = store.backup("/backup");
	const refused = t.rejects(backup, {
		...{ code: "UNAVAILABLE" },
		message:
			"No backup was made: the store was closed meanwhile. Run it again once the service is back.",
	});
	await Promise.all([store.close(), refused]);
	t.same(
		disk.files().filter((path) => path.startsWith("/backup")),
		[],
	);
});

t.test("a mark that cannot be raised stops the store", async (t) => {
	const disk = createFakeDisk();
	const { clock, seen, store } = await openSeen(disk);
	await credit(store, "cust:a", 1n);
	failAt(disk, MARK, "EIO");
	await credit(store, "cust:a", 1n, "second");
	clock.pass();
	while (store.health().status === "ok") await turns(1);
	t.match(store.health(), { status: "stopped", reason: /EIO: simulated/, sequence: 2 });
	t.match(seen, [/^stopped: .*EIO: simulated/]);
});

t.test("a stopped store is left as it is, for the next start to judge", async (t) => {
	const disk = createFakeDisk();
	const { store } = await openSeen(disk);
	await credit(store, "cust:a", 1n);
	failAt(disk, SEGMENT, "EIO");
	await t.rejects(credit(store, "cust:a", 1n, "second"), { code: "UNAVAILABLE" });
	disk.judge = () => "work";
	const before = disk.operations.length;
	await store.close();
	t.same(disk.operations.slice(before), []);
	const sound = createFakeDisk();
	const { store: closed } = await openSeen(sound);
	await credit(closed, "cust:a", 1n);
	const from = sound.operations.length;
	await closed.close();
	t.same(
		sound.operations.slice(from).map(({ name, path }) => `${name} ${path}`),
		[`writeDurably ${MARK}`, `truncate ${SEGMENT}`, `sync ${SEGMENT}`, `writeDurably ${MARK}`],
		"the file ends at its last frame, and the mark says so",
	);
});

const markOf = async (disk: FakeDisk) =>
	createFakeDisk(new Map([["/mark", (await disk.read(MARK)) ?? Buffer.alloc(0)]]));

t.test("the first mark is on the disk before the first segment", async (t) => {
	const disk = createFakeDisk();
	await openSeen(disk);
	const made = disk.operations.filter(({ path }) => [MARK, SEGMENT].includes(path));
	t.same(
		made.slice(0, 3).map(({ name, path }) => `${name} ${path}`),
		[`create ${MARK}`, `writeDurably ${MARK}`, `create ${SEGMENT}`],
	);
	const at = (wanted: string) =>
		disk.operations.findIndex(({ name, path }) => `${name} ${path}` === wanted);
	t.ok(at(`writeDurably ${MARK}`) < at(`create ${SEGMENT}`));
	const slots = await slotsOf(await markOf(disk));
	const record = { sequence: 0, crc: 0, segment: 1, offset: 0, snapshot: 0, format: 1 };
	t.match(slots, [record, record], "written in turn");
});

t.test("how much is kept in memory is counted with what was put last", async (t) => {
	const { store } = await openSeen();
	const before = store.memoryEntries();
	await store.transaction((tx) => tx.put("tokens", tokenRow("tok_a")));
	t.equal(store.memoryEntries(), before + 1);
	t.match(store.head(), { sequence: 1 });
});

t.test("a restart counts only what the snapshot does not spare it", async (t) => {
	const disk = createFakeDisk();
	const snapshots = () => disk.files().filter((path) => path.endsWith(".snapshot"));
	const { store } = await openSeen(disk);
	const label = "x".repeat(400_000);
	await store.transaction((tx) => tx.put("tokens", tokenRow("tok_a", { label })));
	await store.close();
	const [first] = snapshots();
	t.match(first, /000000000001\.snapshot$/);
	const { store: again } = await openSeen(disk);
	await credit(again, "cust:a", 1n);
	await again.close();
	t.same(snapshots(), [first], "a small change is replayed");
	const { store: third } = await openSeen(disk);
	for (const text of ["y", "z"])
		await third.transaction((tx) =>
			tx.put("tokens", tokenRow("tok_a", { label: text.repeat(400_000) })),
		);
	await third.close();
	t.match(snapshots(), [/000000000004\.snapshot$/], "a large one is not");
});
