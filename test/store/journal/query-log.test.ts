import t from "tap";
import type { FileSystem } from "../../../store/journal/file-system.js";
import { createQueryLog } from "../../../store/journal/query-log.js";
import type { QueryLogRow } from "../../../store/store-port.js";
import { times } from "../../support/times.js";
import { createFakeDisk, diskError, type FakeDisk } from "../fake-disk.js";
import { START_MS, stillClock } from "../open-test-store.js";

const FOLDER = "/queries";
const DAY_MS = 86_400_000;
const pathOf = (day: number) => `${FOLDER}/2026-03-0${1 + day}.ndjson`;

function row(owner: string, query: string, day = 0): QueryLogRow {
	return {
		...{ at: START_MS + day * DAY_MS, requestId: "req_1", owner, operationId: "o" },
		...{ transport: "rest", query, decision: undefined, receiptId: undefined },
	};
}

function openOn(disk: FakeDisk, changes: Partial<FileSystem> = {}) {
	const dropped: number[] = [];
	const timers: string[] = [];
	const clock = {
		...stillClock(),
		every(intervalMs: number) {
			timers.push(`every ${intervalMs}`);
			return () => void timers.push("off");
		},
	};
	const fileSystem = { ...disk, ...changes };
	const onDropped = (count: number) => dropped.push(count);
	const log = createQueryLog({ fileSystem, clock, folder: FOLDER, onDropped });
	return { log, dropped, timers };
}

async function queriesIn(rows: AsyncIterable<QueryLogRow>) {
	const found = [];
	for await (const { query } of rows) found.push(query);
	return found;
}

const textOf = async (disk: FakeDisk, day = 0) => (await disk.read(pathOf(day)))?.toString();

t.test("rows are lines of JSON in the file of their day, appended", async (t) => {
	const disk = createFakeDisk();
	const { log, dropped, timers } = openOn(disk);
	t.same(timers, ["every 1000"]);
	for (const [name, day] of [
		["a", 0],
		["b", 1],
		["c", 0],
	] as const)
		log.append(row("acc", name, day));
	t.same(disk.files(), []);
	t.same(await log.segments(), [
		{ name: "2026-03-01.ndjson", bytes: (await disk.size(pathOf(0))) ?? 0 },
		{ name: "2026-03-02.ndjson", bytes: (await disk.size(pathOf(1))) ?? 0 },
	]);
	const line = (name: string, day = 0) => `${JSON.stringify(row("acc", name, day))}\n`;
	t.equal(await textOf(disk), line("a") + line("c"));
	t.equal(await textOf(disk, 1), line("b", 1));
	log.append(row("acc", "d"));
	await log.close();
	t.equal(await textOf(disk), line("a") + line("c") + line("d"));
	t.same(dropped, []);
	t.same(timers, ["every 1000", "off"]);
});

t.test("many rows are written before their second is over", async (t) => {
	const disk = createFakeDisk();
	const { log } = openOn(disk);
	const base = JSON.stringify(row("acc", "")).length + 1;
	log.append(row("acc", "x".repeat(256 * 1024 - base)));
	await new Promise((resolve) => setImmediate(resolve));
	t.same(disk.files(), [], "so many fit");
	log.append(row("acc", ""));
	await new Promise((resolve) => setImmediate(resolve));
	t.equal((await disk.size(pathOf(0))) ?? 0, 256 * 1024 + base);
	t.equal((await textOf(disk))?.split("\n").length, 3);
});

t.test("rows beyond two mebibytes are dropped and counted, the next ones are not", async (t) => {
	const disk = createFakeDisk();
	const { log, dropped } = openOn(disk);
	const base = JSON.stringify(row("acc", "")).length + 1;
	log.append(row("acc", "x".repeat(2 * 1024 * 1024 - base)));
	log.append(row("acc", "one too many"));
	log.append(row("acc", "two too many"));
	log.append({ ...row("acc", "no day"), at: Number.NaN });
	await log.segments();
	t.same(dropped, [3]);
	log.append(row("acc", "later"));
	await log.segments();
	t.same(dropped, [3], "reported once");
	const found = await queriesIn(log.read("acc"));
	t.same(found.slice(1), ["later"]);
	t.equal(await disk.size(pathOf(0)), 2 * 1024 * 1024 + base + 5);
});

t.test("a disk that fails costs the rows of that day only, and no half line stays", async (t) => {
	const disk = createFakeDisk();
	const { log, dropped } = openOn(disk);
	log.append(row("acc", "before"));
	await log.segments();
	const before = await textOf(disk);
	disk.judge = ({ name, path }) => (name === "write" && path === pathOf(0) ? "short" : "work");
	for (const [name, day] of [
		["a", 0],
		["b", 0],
		["c", 1],
	] as const)
		log.append(row("acc", name, day));
	await log.segments();
	t.same(dropped, [2]);
	t.equal(await textOf(disk), before);
	t.same(await queriesIn(log.read("acc")), ["before", "c"]);
	disk.judge = ({ name }) => (name === "create" ? { error: diskError("ENOSPC") } : "work");
	log.append(row("acc", "d", 2));
	await log.segments();
	t.same(dropped, [2, 1]);
	t.same(disk.files(), [pathOf(0), pathOf(1)]);
});

t.test("files are closed, whether they were written or not", async (t) => {
	const disk = createFakeDisk();
	let [opened, closed] = [0, 0];
	const { log } = openOn(disk, {
		async open(path, how) {
			const file = await disk.open(path, how);
			opened += 1;
			const close = async () => {
				closed += 1;
			};
			return { ...file, close };
		},
	});
	log.append(row("acc", "a"));
	await log.segments();
	disk.judge = ({ name }) => (name === "write" ? "short" : "work");
	log.append(row("acc", "b"));
	await log.segments();
	t.same([opened, closed], [2, 2]);
	await t.rejects(log.erase("acc"), { code: "SHORT_WRITE" });
	t.same([opened, closed], [3, 3]);
});

t.test("days before one are dropped, from memory as well, and nothing else is", async (t) => {
	const names = [
		"2026-02-27.ndjson",
		"2026-02-28.ndjson",
		"2026-02-27.ndjson.bak",
		"x2026-02-27.ndjson",
	];
	const files = new Map(names.map((name) => [`${FOLDER}/${name}`, Buffer.from("{}\n")]));
	const disk = createFakeDisk(files);
	const { log } = openOn(disk);
	for (const day of [0, 1, 2]) log.append(row("acc", `day ${day}`, day));
	t.equal(await log.dropBefore("2026-02-28"), 1);
	t.same(disk.operations, [{ name: "syncFolder", path: FOLDER }]);
	t.equal(await log.dropBefore("2026-02-28"), 0);
	t.equal(disk.operations.length, 1, "nothing dropped, nothing synced");
	t.equal(await log.dropBefore("2026-03-02"), 1);
	t.same(
		(await log.segments()).map(({ name }) => name),
		["2026-03-02.ndjson", "2026-03-03.ndjson"],
	);
	t.same(await queriesIn(log.readDays({})), ["day 1", "day 2"]);
	t.ok(disk.files().includes(`${FOLDER}/2026-02-27.ndjson.bak`));
	t.ok(disk.files().includes(`${FOLDER}/x2026-02-27.ndjson`));
});

t.test("what is dropped from memory makes room for more", async (t) => {
	const disk = createFakeDisk();
	const { log, dropped } = openOn(disk);
	const drop = log.dropBefore("2026-03-02");
	const base = JSON.stringify(row("acc", "")).length + 1;
	log.append(row("acc", "x".repeat(200 * 1024)));
	log.append(row("acc", "y".repeat(2 * 1024 * 1024 - 200 * 1024 - 2 * base), 1));
	await drop;
	t.same(dropped, []);
	await log.segments();
	t.same(disk.files(), [pathOf(1)]);
});

t.test("days are read in order, within both ends", async (t) => {
	const disk = createFakeDisk();
	const { log } = openOn(disk, { list: async (path) => [...(await disk.list(path))].reverse() });
	for (const day of [2, 0, 1, 3]) log.append(row("acc", `${day}`, day));
	t.same(await queriesIn(log.readDays({})), ["0", "1", "2", "3"]);
	t.same(await queriesIn(log.readDays({ from: "2026-03-02" })), ["1", "2", "3"]);
	t.same(await queriesIn(log.readDays({ to: "2026-03-02" })), ["0", "1"]);
	t.same(await queriesIn(log.readDays({ from: "2026-03-02", to: "2026-03-03" })), ["1", "2"]);
	t.same(await queriesIn(log.readDays({ from: "2026-03-05" })), []);
});

t.test("rows of an owner are overwritten with spaces, durably, and no others", async (t) => {
	const disk = createFakeDisk();
	const { log } = openOn(disk);
	const lines = [
		row("acc_1", "a"),
		{ ...row("acc_2", "other"), requestId: "acc_1" },
		row("acc_1", "ä"),
		row("acc_2", "b", 1),
	];
	for (const one of lines) log.append(one);
	await log.segments();
	const [one = "", two = "", three = ""] = lines.map((line) => JSON.stringify(line));
	const before = disk.operations.length;
	t.equal(await log.erase("acc_1"), 2);
	const blank = (text: string) => " ".repeat(Buffer.byteLength(text));
	t.equal(await textOf(disk), `${blank(one)}\n${two}\n${blank(three)}\n`);
	const changed = disk.operations.slice(before).map(({ name, path }) => `${name} ${path}`);
	const first = pathOf(0);
	t.same(changed, [`write ${first}`, `write ${first}`, `sync ${first}`], "and one file only");
	t.same(await queriesIn(log.readDays({})), ["other", "b"]);
	t.equal(await log.erase("acc_1"), 0);
});

t.test("a line that is no row, or was cut off, is passed over", async (t) => {
	const whole = `${JSON.stringify(row("acc", "whole"))}\n`;
	const text = `${whole}{"owner":"acc"\n"owner":\nnull "owner":\n${whole}{"owner":"acc","query":"cut"}`;
	const disk = createFakeDisk(new Map([[pathOf(0), Buffer.from(text)]]));
	const { log } = openOn(disk);
	t.same(await queriesIn(log.read("acc")), ["whole", "whole"]);
	t.same(await queriesIn(log.readDays({})), ["whole", "whole"]);
});

t.test(
	"a file that is deleted while it is read has no rows, and a failure is reported",
	async (t) => {
		const disk = createFakeDisk();
		let code = "ENOENT";
		const { log } = openOn(disk, { readPart: async () => Promise.reject(diskError(code)) });
		log.append(row("acc", "a"));
		t.same(await queriesIn(log.read("acc")), []);
		code = "EIO";
		await t.rejects(queriesIn(log.read("acc")), { code: "EIO" });
	},
);

t.test("lines longer than one part, and at the border of two, are read whole", async (t) => {
	const disk = createFakeDisk();
	const lengths = [900_000, 300_000, 1_500_000, 10, 700_000];
	const lines = lengths.map((length, index) =>
		JSON.stringify(row("acc", `${index}`.repeat(length))),
	);
	disk.files();
	const file = await disk.open(pathOf(0), "create");
	await file.write(Buffer.from(`${lines.join("\n")}\n`), 0);
	const { log } = openOn(disk);
	const found = await queriesIn(log.read("acc"));
	t.same(
		found.map((query) => query?.length),
		lengths,
	);
	t.same(
		found.map((query) => query?.[0]),
		times(5, String),
	);
	t.equal(await log.erase("acc"), 5);
	t.match((await textOf(disk))?.trim(), /^\s*$/);
});

t.test("what stays in memory counts as before", async (t) => {
	const disk = createFakeDisk();
	const { log, dropped } = openOn(disk);
	const base = JSON.stringify(row("acc", "")).length + 1;
	const drop = log.dropBefore("2026-03-01");
	log.append(row("acc", "x".repeat(200 * 1024)));
	await drop;
	log.append(row("acc", "y".repeat(2 * 1024 * 1024 - 200 * 1024 - 2 * base + 1)));
	await log.segments();
	t.same(dropped, [1]);
});

t.test("rows that come while a long file is read are left to the next look", async (t) => {
	const disk = createFakeDisk();
	let isGrown = false;
	const { log } = openOn(disk, {
		async readPart(path, position, length) {
			const part = await disk.readPart(path, position, length);
			if (!isGrown) {
				isGrown = true;
				const more = Buffer.from(`${JSON.stringify(row("acc", "later"))}\n`);
				await (await disk.open(path, "existing")).write(more, (await disk.size(path)) ?? 0);
			}
			return part;
		},
	});
	for (const letter of ["a", "b", "c"]) log.append(row("acc", letter.repeat(600_000)));
	const found = await queriesIn(log.read("acc"));
	t.same(
		found.map((query) => query?.[0]),
		["a", "b", "c"],
	);
	t.equal((await queriesIn(log.read("acc"))).length, 4);
});
