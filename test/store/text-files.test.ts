import t from "tap";
import type { QueryLogRow } from "../../store/store-port.js";
import { createGate } from "../support/gate.js";
import { times } from "../support/times.js";
import { createFakeDisk, diskError } from "./fake-disk.js";
import { credit, FOLDER, openOn, START_MS, stillClock } from "./open-test-store.js";

const HOUR = Math.floor(START_MS / 3_600_000);

function queryRow(requestId: string, query: string): QueryLogRow {
	return {
		at: START_MS,
		requestId,
		owner: "tok_a",
		operationId: "graphs.search",
		transport: "rest",
		query,
		decision: "ANSWER",
		receiptId: undefined,
	};
}

t.test("query rows reach their day's file every second, whole lines in order", async (t) => {
	const disk = createFakeDisk();
	const ticks: { intervalMs: number; task: () => void }[] = [];
	const clock = {
		...stillClock(),
		every(intervalMs: number, task: () => void) {
			ticks.push({ intervalMs, task });
			return () => ticks.splice(0);
		},
	};
	const store = await openOn(disk, { clock });
	const path = `${FOLDER}/queries/2026-03-01.ndjson`;
	const linesOf = async () => (await disk.read(path))?.toString().trimEnd().split("\n") ?? [];
	for (const requestId of ["req_1", "req_2"]) store.queryLog.append(queryRow(requestId, "a\nb"));
	t.same(await linesOf(), []);
	t.equal(ticks[0]?.intervalMs, 1_000);
	ticks[0]?.task();
	store.queryLog.append(queryRow("req_3", "c"));
	await store.close();
	const ids = (await linesOf()).map((line) => JSON.parse(line).requestId);
	t.same(ids, ["req_1", "req_2", "req_3"]);
	t.same(ticks, [], "nothing ticks in a closed store");
});

t.test("the query log keeps a bound on what it holds in memory", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	for (const index of times(4_000, (i) => i)) {
		store.queryLog.append(queryRow(`req_${index}`, "q".repeat(1_000)));
	}
	await store.close();
	const { length } = (await disk.read(`${FOLDER}/queries/2026-03-01.ndjson`)) ?? "";
	t.ok(length > 1_000_000 && length < 2_200_000, `${length} bytes of 4 MB`);
});

t.test("what a crash left of documents is put in order at the next start", async (t) => {
	const folder = `${FOLDER}/documents`;
	const disk = createFakeDisk(
		new Map([
			[`${folder}/new/7`, Buffer.from("half a docu")],
			[`${folder}/${HOUR + 1}/art_1.${START_MS + 3_600_000}`, Buffer.from("earlier expiry")],
			[`${folder}/${HOUR + 2}/art_1.${START_MS + 7_200_000}`, Buffer.from("later expiry")],
			[`${folder}/${HOUR + 1}/no document.txt`, Buffer.from("somebody's notes")],
		]),
		new Set([folder, `${folder}/new`, `${folder}/${HOUR + 1}`, `${folder}/${HOUR + 2}`]),
	);
	const { documents } = await openOn(disk);
	t.equal(await documents.get("art_1"), "later expiry");
	t.same(
		disk.files().filter((path) => path.startsWith(folder)),
		[
			`${folder}/${HOUR + 1}/no document.txt`,
			`${folder}/${HOUR + 2}/art_1.${START_MS + 7_200_000}`,
		],
	);
	t.equal(await documents.sweep(START_MS + 9e9), 1);
	t.notOk((await disk.list(folder)).includes(String(HOUR + 2)), "an empty hour goes, too");
	await t.rejects(documents.put("art_2", "text", Number.NaN), { code: "INVALID_ARGUMENT" });
});

t.test("a document is kept or gone for good once that was said", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	await store.documents.put("art_1", "one", 9e15);
	await store.documents.put("art_2", "two", 9e15);
	await store.documents.delete("art_2");
	for (const luck of [0, 0.6]) {
		const { documents } = await openOn(disk.afterPowerCut(() => luck));
		t.equal(await documents.get("art_1"), "one");
		t.equal(await documents.get("art_2"), undefined);
	}
});

t.test("a document that cannot be written is refused, and the ledger goes on", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	await store.documents.put("art_1", "first", 9e15);
	for (const failing of ["create", "write", "sync", "rename", "syncFolder"]) {
		disk.judge = ({ name, path }) =>
			name === failing && path.includes("/documents") ? { error: diskError("EIO") } : "work";
		await t.rejects(store.documents.put("art_1", "second", 9e15), { code: "UNAVAILABLE" }, failing);
	}
	disk.judge = ({ path, name }) =>
		name === "write" && path.includes("/documents") ? "short" : "work";
	await t.rejects(store.documents.put("art_2", "never", 9e15), /short write/);
	disk.judge = () => "work";
	await credit(store, "cust:a", 1n);
	t.equal(store.health().status, "ok");
	await store.close();
	const again = await openOn(disk);
	t.match(await again.documents.get("art_1"), /^(first|second)$/);
	t.equal(await again.documents.get("art_2"), undefined);
});

t.test("text that a failure left behind goes with the next sweep", async (t) => {
	const disk = createFakeDisk();
	const { documents } = await openOn(disk);
	const left = () => disk.files().filter((path) => path.includes("/documents/"));
	const isNew = (path: string) => path.includes("/documents/new/");
	await documents.put("art_1", "first", 8e15);
	const [first] = left();

	disk.judge = ({ name, path }) =>
		name === "sync" && isNew(path) ? { error: diskError("EIO") } : "work";
	await t.rejects(documents.put("art_1", "second", 9e15), { code: "UNAVAILABLE" });
	t.same(left(), [first], "at once, when the disk lets us");

	let isHit = false;
	disk.judge = ({ name, path }) => {
		if (name !== "syncFolder" || !path.includes("/documents/") || isHit) return "work";
		isHit = true;
		return { error: diskError("EIO") };
	};
	await t.rejects(documents.put("art_1", "third", 9e15), { code: "UNAVAILABLE" });
	t.equal(left().length, 2, "it was in place when the failure came");
	t.equal(await documents.get("art_1"), "first");
	await documents.sweep(0);
	t.same(left(), [first]);

	const remains = await disk.open(`${FOLDER}/documents/new/99`, "create");
	await remains.write(Buffer.from("half a docu"), 0);
	await documents.sweep(0);
	t.same(left(), [first]);
});

t.test("an earlier version that could not be removed goes with the next sweep", async (t) => {
	const disk = createFakeDisk();
	const isRefused = { now: false };
	const store = await openOn({
		...disk,
		remove: (path) =>
			isRefused.now && path.includes("/art_1.")
				? Promise.reject(diskError("EIO"))
				: disk.remove(path),
	});
	const left = () => disk.files().filter((path) => path.includes("/art_1."));
	await store.documents.put("art_1", "first", 9e15);
	isRefused.now = true;
	await t.rejects(store.documents.put("art_1", "second", 8e15), { code: "UNAVAILABLE" });
	t.equal(await store.documents.get("art_1"), "second");
	t.equal(left().length, 2);
	isRefused.now = false;
	t.equal(await store.documents.sweep(0), 0);
	t.equal(left().length, 1);
	t.equal(await store.documents.get("art_1"), "second");
});

t.test("the lock is given back when no document is being written any more", async (t) => {
	const disk = createFakeDisk();
	const gate = createGate();
	const store = await openOn({
		...disk,
		async rename(from, to) {
			if (to.includes("/art_1.")) await gate.pass();
			return disk.rename(from, to);
		},
	});
	const put = store.documents.put("art_1", "text", 9e15);
	const closed = store.close();
	await new Promise((resolve) => {
		setTimeout(resolve, 30);
	});
	t.ok(disk.files().includes(`${FOLDER}/lock`));
	await t.rejects(store.documents.put("art_2", "text", 9e15), { code: "UNAVAILABLE" });
	await t.rejects(store.documents.sweep(0), { code: "UNAVAILABLE" });
	gate.open();
	await Promise.all([put, closed]);
	t.notOk(disk.files().includes(`${FOLDER}/lock`));
});
