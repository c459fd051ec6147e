import t from "tap";
import type { FileSystem } from "../../../store/journal/file-system.js";
import { CHAIN_START, createFrameEncoder } from "../../../store/journal/frame.js";
import {
	isCutShort,
	listSegments,
	mayHold,
	merge,
	openSegmentWriter,
	readFirstHeader,
	segmentPath,
	walkFrames,
	widen,
} from "../../../store/journal/segments.js";
import { createFakeDisk, diskError, type FakeDisk } from "../fake-disk.js";

const FOLDER = "/segments";
const [FIRST, SECOND] = [segmentPath(FOLDER, 1), segmentPath(FOLDER, 2)];
/** A file grows by this much at once. */
const ROOM = 256 * 1024;
/** Two ids with the times in them, and one without. */
const [EARLY, LATE, TIMELESS] = [
	"rcpt_00000000110000000000000000",
	"rcpt_00000000330000000000000000",
	"rcpt_old",
];
const [EARLY_MS, LATE_MS] = [33, 99];

/** A disk that also notes which files were closed. */
function notingDisk(disk: FakeDisk) {
	const closed: string[] = [];
	const fileSystem: FileSystem = {
		...disk,
		async open(path, how) {
			const file = await disk.open(path, how);
			return {
				...file,
				async close() {
					closed.push(path);
				},
			};
		},
	};
	return { fileSystem, closed };
}

async function openWriter(
	disk: FakeDisk,
	options: Partial<Parameters<typeof openSegmentWriter>[0]> = {},
) {
	const { fileSystem, closed } = notingDisk(disk);
	const from = disk.operations.length;
	const cuts: number[] = [];
	const opened = { segment: 1, offset: 0, exists: false, ...options };
	const beforeCut = async () => {
		cuts.push(disk.operations.length - from);
	};
	const writer = await openSegmentWriter({ folder: FOLDER, fileSystem, beforeCut, ...opened });
	/** What has changed the disk since it was opened, `cut` where the mark is to be raised. */
	const done = () => {
		const names = disk.operations.slice(from).map(({ name, path }) => `${name} ${path}`);
		for (const at of cuts.toReversed()) names.splice(at, 0, "cut");
		return names;
	};
	return { writer, done, closed };
}

const sizeOf = async (disk: FakeDisk, path: string) => (await disk.read(path))?.length;

t.test("a new segment has its name on the disk, and grows by whole rooms of zeros", async (t) => {
	const disk = createFakeDisk();
	const { writer, done } = await openWriter(disk);
	t.same(done(), [`create ${FIRST}`, `syncFolder ${FOLDER}`]);
	t.same([writer.segment(), writer.offset(), writer.length()], [1, 0, 0]);
	await writer.append(Buffer.from("first"));
	t.same([writer.offset(), writer.length()], [5, ROOM]);
	const expected = Buffer.alloc(ROOM);
	expected.write("first");
	t.ok((await disk.read(FIRST))?.equals(expected));
	await writer.append(Buffer.alloc(ROOM - 5, "x"));
	t.same([writer.offset(), writer.length(), await sizeOf(disk, FIRST)], [ROOM, ROOM, ROOM]);
	await writer.append(Buffer.from("y"));
	t.same([writer.offset(), writer.length()], [ROOM + 1, 2 * ROOM]);
	const bytes = await disk.read(FIRST);
	t.equal(bytes?.length, 2 * ROOM);
	t.equal(bytes?.toString("latin1", ROOM - 1, ROOM + 2), "xy\u0000");
	await writer.append(Buffer.alloc(2 * ROOM, "z"));
	t.same([writer.offset(), writer.length()], [3 * ROOM + 1, 4 * ROOM]);
});

t.test("a full segment is cut to its frames before the next one begins", async (t) => {
	const disk = createFakeDisk();
	const { writer, done, closed } = await openWriter(disk);
	await writer.append(Buffer.from("first"));
	const before = done().length;
	await writer.rotate();
	const cut = ["cut", `truncate ${FIRST}`, `sync ${FIRST}`];
	t.same(done().slice(before), [...cut, `create ${SECOND}`, `syncFolder ${FOLDER}`]);
	t.same([writer.segment(), writer.offset(), writer.length()], [2, 0, 0]);
	t.same(closed, [FIRST]);
	t.equal(String(await disk.read(FIRST)), "first");
	await writer.append(Buffer.from("second"));
	await writer.close();
	t.equal(String(await disk.read(SECOND)), "second");
	t.equal(writer.length(), 6);
	t.same(closed, [FIRST, SECOND]);
});

t.test("a segment that could not be begun is begun again, and cut once", async (t) => {
	const disk = createFakeDisk();
	const { writer, done, closed } = await openWriter(disk);
	await writer.append(Buffer.from("first"));
	for (const failing of ["create", "syncFolder"] as const) {
		disk.judge = ({ name }) => (name === failing ? { error: diskError("ENOSPC") } : "work");
		await t.rejects(writer.rotate(), { code: "ENOSPC" });
		t.same(disk.files(), [FIRST], "nothing is left of it");
		t.same([writer.segment(), writer.offset(), writer.length()], [1, 5, 5]);
	}
	t.same(closed, [SECOND], "what was opened for nothing is closed");
	t.equal(done().filter((name) => name.startsWith("truncate")).length, 1);
	disk.judge = () => "work";
	await writer.rotate();
	t.equal(done().filter((name) => name.startsWith("truncate")).length, 1);
	t.equal(writer.segment(), 2);
});

t.test("a segment whose name may be on the disk is left where the disk is broken", async (t) => {
	const disk = createFakeDisk();
	disk.judge = ({ name }) => (name === "syncFolder" ? { error: diskError("EIO") } : "work");
	await t.rejects(openWriter(disk), { code: "EIO" });
	t.same(disk.files(), [FIRST]);
});

t.test("a segment that is there has its last frame written and synced again", async (t) => {
	const disk = createFakeDisk(new Map([[FIRST, Buffer.from("12345678 torn")]]));
	const lastFrame = { bytes: Buffer.from("5678"), start: 4 };
	const { writer, done, closed } = await openWriter(disk, { exists: true, offset: 8, lastFrame });
	const cut = ["cut", `truncate ${FIRST}`, `sync ${FIRST}`];
	t.same(done(), [`write ${FIRST}`, `sync ${FIRST}`, ...cut]);
	t.equal(String(await disk.read(FIRST)), "12345678");
	t.same([writer.segment(), writer.offset(), writer.length()], [1, 8, 8]);
	await writer.close();
	t.equal(done().length, 5, "what is cut already is not cut again");
	t.same(closed, [FIRST]);
	const again = await openWriter(disk, { exists: true, offset: 8 });
	t.same(again.done(), [`sync ${FIRST}`, ...cut], "without a frame nothing is written");
	await again.writer.append(Buffer.from("9"));
	await again.writer.abandon();
	t.equal(await sizeOf(disk, FIRST), ROOM, "after a failure it stays as it is");
	t.same(again.closed, [FIRST]);
});

t.test("a file is short where it was longer, or where a frame begins beyond its room", (t) => {
	const cases: readonly [Parameters<typeof isCutShort>[0], boolean][] = [
		[{ fileBytes: 10, knownBytes: 11 }, true],
		[{ fileBytes: ROOM, knownBytes: ROOM + 1 }, true],
		[{ fileBytes: 10, knownBytes: 10, lastStart: 9 }, false],
		[{ fileBytes: ROOM, knownBytes: 0, lastStart: ROOM - 9 }, false],
		[{ fileBytes: 1_000, knownBytes: 0 }, false],
		[{ fileBytes: 1_000, knownBytes: 0, lastStart: 0 }, false],
		[{ fileBytes: 1_000, knownBytes: 0, lastStart: 1 }, true],
		[{ fileBytes: ROOM + 1_000, knownBytes: 0, lastStart: ROOM }, false],
		[{ fileBytes: ROOM + 1_000, knownBytes: 0, lastStart: ROOM + 1 }, true],
		[{ fileBytes: ROOM + 1_000, knownBytes: ROOM + 500, lastStart: ROOM + 500 }, false],
		[{ fileBytes: ROOM + 1_000, knownBytes: ROOM + 500, lastStart: ROOM + 501 }, true],
	];
	for (const [facts, expected] of cases)
		t.equal(isCutShort(facts), expected, JSON.stringify(facts));
	t.end();
});

t.test("segments are known by their names, in order, and nothing else is one", async (t) => {
	const names = ["00000010", "00000002", "00000001"].map((number) => `${number}.journal`);
	const others = [
		"0000001.journal",
		"000000001.journal",
		"00000003.journal.new",
		"a00000004.journal",
	];
	const files = new Map(
		[...names, ...others].map((name) => [`${FOLDER}/${name}`, Buffer.alloc(60, name)]),
	);
	const disk = createFakeDisk(files);
	t.same(await listSegments(disk, FOLDER), [1, 2, 10]);
	t.equal(segmentPath(FOLDER, 12_345_678), "/segments/12345678.journal");
	t.equal(FIRST, "/segments/00000001.journal");
	t.equal((await readFirstHeader(disk, FOLDER, 2)).length, 44);
});

t.test("the times of cold rows widen, and a row without one covers all", (t) => {
	const early = widen(undefined, EARLY);
	const both = widen(early, LATE);
	t.same(early, { from: EARLY_MS, to: EARLY_MS });
	t.same(both, { from: EARLY_MS, to: LATE_MS });
	t.same(widen(widen(undefined, LATE), EARLY), both);
	const all = widen(early, TIMELESS);
	t.same(all, { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER });
	t.equal(merge(undefined, undefined), undefined);
	t.equal(merge(early, undefined), early);
	t.equal(merge(undefined, early), early);
	t.same(merge(both, early), both);
	const holds = (coldRange: typeof early | undefined, id: string) =>
		mayHold({ number: 1, start: CHAIN_START, bytes: 0, coldRange }, id);
	t.equal(holds(undefined, EARLY), false);
	t.equal(holds(early, EARLY), true);
	t.equal(holds(early, LATE), false);
	t.equal(holds({ from: LATE_MS, to: LATE_MS }, EARLY), false);
	t.equal(holds(both, LATE), true);
	t.equal(holds(both, TIMELESS), false);
	t.equal(holds(all, TIMELESS), true);
	t.equal(holds(all, LATE), true);
	t.end();
});

t.test("frames are walked to the end, or to the first that is not good", (t) => {
	const encode = createFrameEncoder();
	const first = encode('"one"', CHAIN_START);
	const firstBytes = Buffer.from(first.bytes);
	const second = encode('"two"', first.link);
	const bytes = Buffer.concat([firstBytes, second.bytes]);
	const seen: unknown[] = [];
	const walk = (what: Buffer) =>
		walkFrames(what, CHAIN_START, ({ link, end, json }) => seen.push([link.sequence, end, json()]));
	t.same(walk(bytes), {
		link: second.link,
		lastStart: firstBytes.length,
		end: bytes.length,
		problem: undefined,
	});
	t.same(seen.splice(0), [
		[1, firstBytes.length, '"one"\n'],
		[2, bytes.length, '"two"\n'],
	]);
	t.same(walk(bytes.subarray(0, -1)), {
		link: first.link,
		lastStart: 0,
		end: firstBytes.length,
		problem: "the file ends within the frame",
	});
	t.equal(seen.length, 1);
	const empty = { link: CHAIN_START, lastStart: undefined, end: 0, problem: undefined };
	t.same(walkFrames(Buffer.alloc(0), CHAIN_START), empty);
	t.equal(walkFrames(bytes, CHAIN_START).end, bytes.length);
	t.end();
});
