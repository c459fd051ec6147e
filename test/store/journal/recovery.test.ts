import { crc32 } from "node:zlib";
import t from "tap";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import { CHAIN_START, type ChainLink, createFrameEncoder } from "../../../store/journal/frame.js";
import { DATA_FORMAT, type MarkFound } from "../../../store/journal/journal-log.js";
import { encodeBody, encodeOperations } from "../../../store/journal/operation.js";
import { type RecoveryDeps, recover } from "../../../store/journal/recovery.js";
import type { Operation } from "../../../store/store.js";
import { createFakeDisk } from "../fake-disk.js";
import { posting, receiptRow, START_MS, stillClock, tokenRow } from "../open-test-store.js";

const [SEGMENTS, SNAPSHOTS, MARK] = ["/store/segments", "/store/snapshots", "/store/mark"];
const RESTORE =
	"Nothing was changed. Restore the store's folder from a backup, all its files together, and start again.";
const LOSS =
	"Nothing was changed. Restore the store's folder from a backup that is newer, all its files together; without one, start with --accept-loss to go on with what is there, then run: tollgraph ledger reconcile.";
const pathOf = (number: number) => `${SEGMENTS}/0000000${number}.journal`;
const damage = (path: string, offset: number, problem: string, remedy = RESTORE) => ({
	...{ code: "UNAVAILABLE", retryable: false },
	message: `The store is damaged: in "${path}", at byte ${offset}, ${problem}. ${remedy}`,
});

const pay = (key: string): Operation => ({
	kind: "post",
	transaction: posting(key, { "cash:manual": -1n, "cust:a": 1n }),
});
const put = (id: string): Operation => ({ kind: "put", table: "tokens", row: tokenRow(id) });
const sell = (id: string): Operation => ({ kind: "put", table: "receipts", row: receiptRow(id) });

/** A folder whose segments hold these frames, one operation each, and where each frame ends. */
function folderOf(segments: readonly (readonly Operation[])[]) {
	const encode = createFrameEncoder();
	let link: ChainLink = CHAIN_START;
	const starts: ChainLink[] = [];
	const heads: (ChainLink & { segment: number; offset: number })[] = [];
	const files = new Map<string, Buffer>();
	for (const [index, operations] of segments.entries()) {
		starts.push(link);
		let bytes = Buffer.alloc(0);
		for (const operation of operations) {
			const frame = encode(encodeBody(START_MS, [encodeOperations([operation])]), link);
			({ link } = frame);
			bytes = Buffer.concat([bytes, frame.bytes]);
			heads.push({ ...link, segment: index + 1, offset: bytes.length });
		}
		files.set(pathOf(index + 1), bytes);
	}
	const disk = createFakeDisk(files);
	const headAt = (sequence: number) => {
		const head = heads[sequence - 1];
		if (!head) throw new Error(`There is no frame ${sequence}.`);
		return head;
	};
	const markAt = (sequence: number, changes: object = {}): MarkFound => ({
		...headAt(sequence),
		...{ snapshot: 0, format: DATA_FORMAT },
		...changes,
	});
	const run = (mark: MarkFound, rest: Partial<RecoveryDeps> = {}) =>
		recover({
			...{ fileSystem: disk, folders: { segments: SEGMENTS, snapshots: SNAPSHOTS } },
			...{ markPath: MARK, mark, ...rest },
		});
	/** A snapshot as of a frame, which says that `cust:a` has so much. */
	const snapshot = async (sequence: number, micros: bigint, changes: object = {}) => {
		const head = headAt(sequence);
		const facts = starts.slice(0, head.segment).map((start, index) => ({
			...{ number: index + 1, start, coldRange: { from: index, to: 9 } },
			bytes: index + 1 === head.segment ? head.offset : files.get(pathOf(index + 1))?.length,
		}));
		const first = { head, segments: facts, transactions: 7, ...changes };
		const lines = [first, { balances: [["cust:a", `${micros}`]] }];
		const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
		const whole = Buffer.from(`${text}end ${crc32(text).toString(16).padStart(8, "0")}\n`);
		const path = `${SNAPSHOTS}/${String(sequence).padStart(12, "0")}.snapshot`;
		await (await disk.open(path, "create")).write(whole, 0);
		return { path, bytes: whole.length, facts };
	};
	return { disk, starts, headAt, markAt, run, snapshot };
}

t.test("a whole journal is read, segment by segment, to its last frame", async (t) => {
	const clock = stillClock();
	const ids = createIds({ clock, random: systemRandom });
	const early = ids.next("rcpt");
	clock.set(START_MS + 50);
	const late = ids.next("rcpt");
	const { disk, run, markAt, headAt, starts } = folderOf([
		[put("tok_a"), pay("1")],
		[sell(late), pay("2"), sell(early)],
		[pay("3"), put("tok_b")],
	]);
	const { state, lastFrame, ...found } = await run(markAt(6));
	const sizes = [2, 5, 7].map((sequence) => headAt(sequence).offset);
	t.strictSame(found, {
		...{ head: headAt(7), snapshot: undefined },
		segments: [
			{ number: 1, start: starts[0], bytes: sizes[0], coldRange: undefined },
			{
				...{ number: 2, start: starts[1], bytes: sizes[1] },
				coldRange: { from: START_MS, to: START_MS + 50 },
			},
			{ number: 3, start: starts[2], bytes: sizes[2], coldRange: undefined },
		],
	});
	const { offset: start } = headAt(6);
	t.strictSame(lastFrame, { bytes: (await disk.read(pathOf(3)))?.subarray(start), start });
	t.same(
		[...state.balances],
		[
			["cash:manual", -3n],
			["cust:a", 3n],
		],
	);
	t.same([...(state.tables.get("tokens")?.rows.keys() ?? [])], ["tok_a", "tok_b"]);
	t.equal(state.transactions, 3);
});

t.test("a receipt whose id has no time may be asked for at any", async (t) => {
	const { run, markAt } = folderOf([[sell("rcpt_1"), pay("1")]]);
	const [facts] = (await run(markAt(2))).segments;
	t.same(facts?.coldRange, { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER });
});

t.test("an empty folder is a new journal, unless there was one", async (t) => {
	const { run: runEmpty } = folderOf([]);
	const zero = { sequence: 0, crc: 0, segment: 1, offset: 0 };
	for (const mark of ["missing", { ...zero, snapshot: 0 }] as const) {
		const { state, ...found } = await runEmpty(mark);
		t.strictSame(found, {
			...{ head: zero, segments: [], lastFrame: undefined, snapshot: undefined },
		});
		t.equal(state.transactions, 0);
	}
	const gone = damage(pathOf(1), 0, "the journal is missing: there is no such file");
	await t.rejects(runEmpty({ ...zero, sequence: 1, snapshot: 0 }), gone);
	const { disk, run, snapshot } = folderOf([[pay("1")]]);
	await snapshot(1, 1n);
	await disk.remove(pathOf(1));
	await t.rejects(run("missing"), gone);
});

t.test("frames without a mark that can be read are refused", async (t) => {
	const { run } = folderOf([[pay("1")]]);
	await t.rejects(
		run("missing"),
		damage(
			MARK,
			0,
			"the high-water mark is missing, so nobody can tell whether the journal is whole",
		),
	);
	await t.rejects(run("damaged"), damage(MARK, 0, "no record of the high-water mark is readable"));
});

t.test("a folder of a newer format is refused, one of an older or this one is not", async (t) => {
	const { run, markAt } = folderOf([[pay("1")]]);
	for (const format of [undefined, 0, DATA_FORMAT]) await t.resolves(run(markAt(1, { format })));
	await t.rejects(run(markAt(1, { format: DATA_FORMAT + 1 })), {
		...{ code: "UNAVAILABLE", retryable: false },
		message: `The data folder has format ${DATA_FORMAT + 1}, of a newer version of tollgraph; this one knows formats up to ${DATA_FORMAT}. Nothing was changed ("${MARK}"). Start the newer version, or restore a backup that this one made.`,
	});
});

t.test("the first segment that is missing is named", async (t) => {
	const segments = [[pay("1")], [pay("2")], [pay("3")]];
	const missing = (number: number) =>
		damage(pathOf(number), 0, "a segment is missing: there is no such file");
	for (const number of [1, 2]) {
		const { disk, run, markAt } = folderOf(segments);
		await disk.remove(pathOf(number));
		await t.rejects(run(markAt(3)), missing(number));
	}
	const { disk, run, markAt, snapshot } = folderOf(segments);
	await snapshot(3, 3n);
	await disk.remove(pathOf(3));
	await t.rejects(run(markAt(1)), missing(3), "the snapshot knows of it");
});

t.test("only the last frame of the last segment may be torn", async (t) => {
	const segments = [
		[pay("1"), pay("2")],
		[pay("3"), pay("4")],
	];
	const { disk, run, markAt, headAt } = folderOf(segments);
	disk.edit(pathOf(2), (bytes) => bytes.subarray(0, -1));
	const { head, lastFrame, segments: found } = await run(markAt(2));
	t.same([head, lastFrame?.start, found[1]?.bytes], [headAt(3), 0, headAt(3).offset]);
	const first = folderOf(segments);
	first.disk.edit(pathOf(1), (bytes) => bytes.subarray(0, -1));
	const { offset } = headAt(1);
	const cut = damage(pathOf(1), offset, "the file ends within the frame");
	await t.rejects(first.run(markAt(1)), cut);
	const flipped = folderOf(segments);
	flipped.disk.edit(pathOf(2), (bytes) => {
		bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1;
		return bytes;
	});
	const wrong = damage(pathOf(2), headAt(3).offset, "the checksum does not match");
	await t.rejects(flipped.run(markAt(2)), wrong);
});

t.test("a segment that was just begun leaves the head where the last frame ends", async (t) => {
	const { run, markAt, headAt } = folderOf([[pay("1")], []]);
	const { head, lastFrame, segments } = await run(markAt(1));
	t.same([head, lastFrame], [headAt(1), undefined]);
	const { sequence, crc } = headAt(1);
	const start = { sequence, crc };
	t.same(segments[1], { number: 2, start, bytes: 0, coldRange: undefined });
});

t.test("a journal that ends before its mark is a loss, to be accepted by its owner", async (t) => {
	const { disk, run, markAt, headAt } = folderOf([[pay("1"), pay("2"), pay("3")]]);
	const mark = markAt(3);
	disk.edit(pathOf(1), (bytes) => bytes.subarray(0, headAt(2).offset));
	const problem = "the journal ends after frame 2, although frame 3 was on the disk already";
	await t.rejects(run(mark), damage(pathOf(1), headAt(2).offset, problem, LOSS));
	const accepted: string[] = [];
	const acceptLoss = (loss: string) => void accepted.push(loss);
	const { head, state } = await run(mark, { acceptLoss });
	t.same(accepted.splice(0), [problem]);
	t.same([head, state.transactions], [headAt(2), 2]);
	await run(markAt(2), { acceptLoss });
	t.same(accepted, [], "nothing is lost");
});

t.test("a file that is shorter than it was made may have lost frames", async (t) => {
	const { run, markAt, headAt } = folderOf([[pay("1"), pay("2")]]);
	const { offset } = headAt(2);
	const problem =
		"the file is shorter than it was made before frame 2 was written, so payments behind that frame may be gone";
	const lost = damage(pathOf(1), offset, problem, LOSS);
	await t.rejects(run(markAt(2, { fileBytes: offset + 1 })), lost);
	await t.resolves(run(markAt(2, { fileBytes: offset })));
	await t.resolves(run(markAt(1, { fileBytes: undefined })), "an earlier version wrote no length");
	const accepted: string[] = [];
	const acceptLoss = (loss: string) => void accepted.push(loss);
	await run(markAt(2, { fileBytes: offset + 1 }), { acceptLoss });
	t.same(accepted, [problem]);
	const known = folderOf([[pay("1"), pay("2")]]);
	await known.snapshot(2, 2n);
	await known.run(known.markAt(2, { fileBytes: offset + 1 }), { acceptLoss });
	t.same(accepted, [problem, problem], "the snapshot has no frame that is gone");
	const two = folderOf([[pay("1")], [pay("2")]]);
	const fileBytes = 1024 * 1024;
	await t.resolves(two.run(two.markAt(1, { fileBytes })), "that is of the segment before");
	await t.rejects(two.run(two.markAt(2, { fileBytes })), { message: /shorter than it was made/ });
});

t.test("the frame that the mark remembers is the one that is there", async (t) => {
	const { run, markAt, headAt } = folderOf([[pay("1"), pay("2")]]);
	const { offset, crc } = headAt(1);
	const other = damage(pathOf(1), offset, "frame 1 is another one than was written here");
	await t.rejects(run(markAt(1, { crc: crc ^ 1 })), other);
	await t.rejects(run(markAt(1, { offset: offset + 1 })), other);
});

t.test("what a snapshot adds up to is not added again", async (t) => {
	const segments = [
		[pay("1"), pay("2")],
		[pay("3"), pay("4")],
	];
	const { run, markAt, snapshot, headAt } = folderOf(segments);
	const { bytes, facts } = await snapshot(3, 1_000n);
	const { state, head, segments: found, ...rest } = await run(markAt(4, { snapshot: 3 }));
	t.equal(state.balances.get("cust:a"), 1_001n);
	t.equal(state.transactions, 8);
	t.same(head, headAt(4));
	const journalBytes = headAt(2).offset + headAt(3).offset;
	t.same(rest.snapshot, { sequence: 3, bytes, journalBytes });
	t.same(
		found.map(({ coldRange }) => coldRange),
		facts.map(({ coldRange }) => coldRange),
		"what the snapshot knows of the segments",
	);
	const other = folderOf(segments);
	const { offset, segment } = other.headAt(3);
	const head3 = { sequence: 3, crc: 1, segment, offset };
	await other.snapshot(3, 1n, { head: head3 });
	const wrong = damage(pathOf(2), offset, "frame 3 is another one than was written here");
	await t.rejects(other.run(markAt(4)), wrong);
});

t.test("a snapshot that is older than the newest may be deleted", async (t) => {
	const { run, markAt, snapshot } = folderOf([[pay("1"), pay("2")]]);
	const { path } = await snapshot(1, 1n);
	const remedy = `Nothing was changed. The journal holds everything: delete "${path}", and the next start makes a new snapshot.`;
	const older = damage(path, 0, "it is older than the one of frame 2 that was here", remedy);
	await t.rejects(run(markAt(2, { snapshot: 2 })), older);
	await t.resolves(run(markAt(2, { snapshot: 1 })));
});

t.test("a journal that ends before its snapshot is lost, whatever is accepted", async (t) => {
	const { disk, run, markAt, snapshot, headAt } = folderOf([[pay("1"), pay("2"), pay("3")]]);
	await snapshot(3, 3n);
	disk.edit(pathOf(1), (bytes) => bytes.subarray(0, headAt(2).offset));
	const problem = "the journal ends after frame 2, although frame 3 was on the disk already";
	const lost = damage(pathOf(1), headAt(2).offset, problem, LOSS);
	await t.rejects(run(markAt(1), { acceptLoss: (loss) => t.fail(loss) }), lost);
});
