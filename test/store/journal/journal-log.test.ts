import t from "tap";
import { openHighWaterMark } from "../../../store/journal/journal-log.js";
import { segmentPath } from "../../../store/journal/segments.js";
import { createFakeDisk, diskError } from "../fake-disk.js";
import { FOLDER, MARK, openLog, SLOT, slotsOf } from "./open-log.js";
import { turns } from "./timed-clock.js";

const ROOM = 256 * 1024;
const head = (sequence: number) => ({
	sequence,
	crc: 10 + sequence,
	segment: 1,
	offset: 100 * sequence,
});
const record = (sequence: number, fileBytes = 7) => ({
	...head(sequence),
	snapshot: 0,
	fileBytes,
});

t.test("the mark is written into two slots in turn, and the newest one counts", async (t) => {
	const disk = createFakeDisk();
	const mark = await openHighWaterMark(disk, MARK);
	t.equal(mark.found, "missing");
	t.same(disk.operations, [], "a look changes nothing");
	await mark.raise(record(1));
	t.same(await slotsOf(disk), [undefined, { turn: 1, ...record(1), format: 1 }]);
	await mark.raise(record(2));
	await mark.raise(record(3));
	await mark.close();
	t.same(await slotsOf(disk), [
		{ turn: 2, ...record(2), format: 1 },
		{ turn: 3, ...record(3), format: 1 },
	]);
	t.equal(await disk.size(MARK), 2 * SLOT);
	const again = await openHighWaterMark(disk, MARK);
	t.same(again.found, { ...record(3), format: 1 });
	await again.raise(record(4));
	t.match(
		await slotsOf(disk),
		[{ turn: 4, sequence: 4 }, { turn: 3 }],
		"the older one is replaced",
	);
	t.same((await openHighWaterMark(disk, MARK)).found, { ...record(4), format: 1 });
	t.equal(disk.operations.filter(({ name }) => name === "create").length, 1);
});

t.test("a slot that was spoiled is passed over, and with both there is no mark", async (t) => {
	const disk = createFakeDisk();
	const mark = await openHighWaterMark(disk, MARK);
	for (const sequence of [1, 2]) await mark.raise(record(sequence));
	const flip = (at: number) =>
		disk.edit(MARK, (bytes) => {
			bytes[at] = (bytes[at] ?? 0) ^ 1;
			return bytes;
		});
	for (const at of [3, SLOT - 12, SLOT - 10, SLOT - 3, SLOT - 1]) {
		flip(at);
		t.match((await openHighWaterMark(disk, MARK)).found, { sequence: 1 }, `byte ${at}`);
		flip(at);
	}
	t.match((await openHighWaterMark(disk, MARK)).found, { sequence: 2 });
	flip(3);
	flip(SLOT + 3);
	t.equal((await openHighWaterMark(disk, MARK)).found, "damaged");
	disk.edit(MARK, () => Buffer.alloc(0));
	t.equal((await openHighWaterMark(disk, MARK)).found, "damaged");
});

t.test("a mark that failed to be written is written to the same slot next time", async (t) => {
	const disk = createFakeDisk();
	const mark = await openHighWaterMark(disk, MARK);
	await mark.raise(record(1));
	disk.judge = () => ({ error: diskError("EIO") });
	const [failed, alsoFailed] = [mark.raise(record(2)), mark.raise(record(3))];
	await t.rejects(failed, { code: "EIO" });
	await t.rejects(alsoFailed, { code: "EIO" });
	disk.judge = () => "work";
	await mark.raise(record(4));
	t.match(await slotsOf(disk), [
		{ turn: 2, sequence: 4 },
		{ turn: 1, sequence: 1 },
	]);
	disk.judge = () => ({ error: diskError("EIO") });
	const last = t.rejects(mark.raise(record(5)), { code: "EIO" });
	await mark.close();
	await last;
});

t.test("marks raised side by side are written one after the other", async (t) => {
	const disk = createFakeDisk();
	const mark = await openHighWaterMark(disk, MARK);
	await Promise.all([1, 2, 3].map((sequence) => mark.raise(record(sequence))));
	t.match(await slotsOf(disk), [{ sequence: 2 }, { sequence: 3 }]);
});

t.test("closing waits for the mark under way", async (t) => {
	const disk = createFakeDisk();
	const closed: string[] = [];
	const mark = await openHighWaterMark(
		{
			...disk,
			async open(path, how) {
				const file = await disk.open(path, how);
				return { ...file, close: async () => void closed.push(path) };
			},
		},
		MARK,
	);
	await mark.close();
	t.same(closed, [], "what was never opened need not be closed");
	void mark.raise(record(1));
	await mark.close();
	t.match(await slotsOf(disk), [undefined, { sequence: 1 }]);
	t.same(closed, [MARK]);
});

t.test(
	"a frame that makes the file longer raises the mark at once, others in a second",
	async (t) => {
		const { journal, append, markOf, pass, delays, segments } = await openLog();
		const bytes = await append("one");
		t.equal(bytes, 44 + '{"at":1772366400000,"tx":[["one"]]}\n'.length);
		await turns();
		t.match(await markOf(), {
			sequence: 1,
			segment: 1,
			offset: bytes,
			snapshot: 3,
			fileBytes: ROOM,
		});
		t.same(delays(), [], "no timer is left");
		await append("two", { from: 5, to: 6 });
		t.same(delays(), [1_000]);
		await pass(400);
		await append("three", { from: 1, to: 2 });
		t.same(delays(), [600], "one timer for all");
		t.match(await markOf(), { sequence: 1 });
		await pass(600);
		t.match(await markOf(), { sequence: 3, offset: journal.head().offset });
		t.same(segments, [
			{
				number: 1,
				start: { sequence: 0, crc: 0 },
				bytes: journal.head().offset,
				coldRange: { from: 1, to: 6 },
			},
		]);
		t.equal(journal.segments(), segments);
		await append("four");
		t.same(delays(), [1_000], "and again for the next");
		await journal.raiseMark();
		t.same(delays(), [], "it is not needed any more");
		t.match(await markOf(), { sequence: 4 });
		await append("five");
		await journal.setSnapshot(4);
		t.match(await markOf(), { sequence: 5, snapshot: 4 });
		t.same(delays(), []);
	},
);

t.test("a segment of four mebibytes is followed by the next, and the mark says so", async (t) => {
	const { journal, append, markOf, segments, disk } = await openLog();
	const overhead = 44 + '{"at":1772366400000,"tx":[[""]]}\n'.length;
	const full = 4 * 1024 * 1024;
	await append("x".repeat(full - overhead - 1));
	t.equal(journal.head().offset, full - 1);
	await append("y");
	t.equal(journal.head().segment, 1, "a byte short of it goes on");
	const { sequence, crc, offset } = journal.head();
	t.equal(sequence, 2);
	await append("z", { from: 1, to: 2 });
	t.match(journal.head(), { sequence: 3, segment: 2 });
	t.equal(await disk.size(segmentPath(FOLDER, 1)), offset);
	t.same(segments.at(-1), {
		number: 2,
		start: { sequence, crc },
		bytes: journal.head().offset,
		coldRange: { from: 1, to: 2 },
	});
	t.equal(segments[0]?.bytes, offset);
	t.equal(segments[0]?.coldRange, undefined);
	await turns();
	t.match(await markOf(), { sequence: 3, segment: 2, fileBytes: ROOM });
});

t.test("right behind a rotation the mark knows the length of the file that was cut", async (t) => {
	const { journal, append, markOf, disk } = await openLog();
	await append("x".repeat(4 * 1024 * 1024));
	await turns();
	const before = await markOf();
	t.ok((before["fileBytes"] as number) > journal.head().offset, "room for more");
	disk.judge = ({ name, path }) =>
		name === "writeDurably" && path === segmentPath(FOLDER, 2)
			? { error: diskError("EIO") }
			: "work";
	await t.rejects(append("y"), { code: "EIO" });
	const { offset } = journal.head();
	t.match(await markOf(), { sequence: 1, segment: 1, offset, fileBytes: offset });
});

t.test("a mark that cannot be raised is reported, at once or by the timer", async (t) => {
	const { append, disk, failures, pass } = await openLog();
	const fail = () => {
		disk.judge = ({ path }) => (path === MARK ? { error: diskError("EIO") } : "work");
	};
	fail();
	await append("one");
	await turns();
	t.match(failures.splice(0), [{ code: "EIO" }]);
	await append("two");
	await pass(1_000);
	t.match(failures, [{ code: "EIO" }]);
});

t.test("a journal is closed at its exact length, and after a failure as it is", async (t) => {
	for (const isStopped of [false, true]) {
		const { journal, append, markOf, disk, delays } = await openLog();
		await append("one");
		await append("two");
		t.equal(delays().length, 1);
		await journal.close({ isStopped });
		t.same(delays(), []);
		const { offset } = journal.head();
		t.equal(await disk.size(segmentPath(FOLDER, 1)), isStopped ? ROOM : offset);
		t.match(await markOf(), isStopped ? { sequence: 1 } : { sequence: 2, fileBytes: offset });
	}
});

t.test("a journal without a timer is closed as well", async (t) => {
	const { journal, append, markOf, delays } = await openLog();
	await append("one");
	t.same(delays(), []);
	await journal.close({ isStopped: false });
	t.match(await markOf(), { sequence: 1, fileBytes: journal.head().offset });
});
