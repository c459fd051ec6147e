import t from "tap";
import { createFrameEncoder } from "../../../store/journal/frame.js";
import { createColdRows, createJournalReader } from "../../../store/journal/journal-reader.js";
import { encodeBody, encodeOperations } from "../../../store/journal/operation.js";
import type { SegmentFacts } from "../../../store/journal/segments.js";
import type { Operation } from "../../../store/store.js";
import { times } from "../../support/times.js";
import { createFakeDisk, diskError } from "../fake-disk.js";
import { receiptRow } from "../open-test-store.js";

const FOLDER = "/segments";
const START = { sequence: 4, crc: 77 };
const PATH = `${FOLDER}/00000002.journal`;

const receipt = (id: string, owner = "tok_a"): Operation => ({
	kind: "put",
	table: "receipts",
	row: receiptRow(id, { owner }),
});
const gone: Operation = { kind: "delete", table: "receipts", id: "rcpt_gone" };

/** A segment of these frames, each of these transactions, and a reader over it. */
function segmentOf(frames: readonly (readonly (readonly Operation[])[])[]) {
	const encode = createFrameEncoder();
	let link = START;
	const ends = [0];
	const bytes = Buffer.concat(
		frames.map((transactions, index) => {
			const frame = encode(encodeBody(index, transactions.map(encodeOperations)), link);
			({ link } = frame);
			ends.push((ends.at(-1) ?? 0) + frame.bytes.length);
			return Buffer.from(frame.bytes);
		}),
	);
	const disk = createFakeDisk(new Map([[PATH, Buffer.concat([bytes, Buffer.alloc(9)])]]));
	let damages = 0;
	const onDamage = () => {
		damages += 1;
	};
	const coldRange = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
	const facts: SegmentFacts = { number: 2, start: START, bytes: bytes.length, coldRange };
	const reader = createJournalReader({ fileSystem: disk, folder: FOLDER, onDamage });
	const failing = (read: () => Promise<Buffer>) =>
		createJournalReader({ fileSystem: { ...disk, read }, folder: FOLDER, onDamage });
	return { disk, bytes, ends, facts, reader, failing, damages: () => damages };
}

async function framesIn<T>(frames: AsyncIterable<T>): Promise<T[]> {
	const found: T[] = [];
	for await (const frame of frames) found.push(frame);
	return found;
}

const damage = (offset: number, problem: string) => ({
	...{ code: "UNAVAILABLE", retryable: false },
	message: `The store is damaged: in "${PATH}", at byte ${offset}, ${problem}. Nothing was changed. Restore the store's folder from a backup, all its files together, and start again.`,
});

t.test("the frames of a segment are read as far as they are durable", async (t) => {
	const { reader, facts, bytes, ends } = segmentOf([
		[[receipt("rcpt_1")]],
		[[receipt("rcpt_2"), gone]],
		[],
	]);
	const frames = await framesIn(reader.readFrames(facts));
	t.same(
		frames.map(({ link }) => link.sequence),
		[5, 6, 7],
	);
	t.same(Buffer.concat(frames.map((frame) => frame.bytes())), bytes);
	t.same(frames[1]?.bytes(), bytes.subarray(ends[1], ends[2]));
	t.match(frames[1]?.body(), { at: 1, transactions: [[{ row: { id: "rcpt_2" } }, gone]] });
	const two = { ...facts, bytes: ends[2] ?? 0 };
	t.equal((await framesIn(reader.readFrames(two))).length, 2);
	t.same(await framesIn(reader.readFrames({ ...facts, bytes: 0 })), []);
});

t.test("only frames that name what is asked for are given", async (t) => {
	const { reader, facts } = segmentOf([
		[[receipt("rcpt_1", "tok_b")]],
		[[receipt("rcpt_2")], [receipt("rcpt_3")]],
		[[receipt("rcpt_4", "tok_b")]],
		[[receipt("rcpt_5")]],
	]);
	const mentions = await framesIn(reader.readMentions(facts, '"owner":"tok_a"'));
	t.same(
		mentions.map(({ link, body }) => [link.sequence, body().at]),
		[
			[6, 1],
			[8, 3],
		],
	);
	t.same(await framesIn(reader.readMentions(facts, '"owner":"tok_c"')), []);
});

t.test("of a row its latest put is found, in the last frame that has one", async (t) => {
	const { reader, facts } = segmentOf([
		[[receipt("rcpt_1", "tok_b")]],
		[[receipt("rcpt_1", "tok_c")], [receipt("rcpt_1", "tok_d"), receipt("rcpt_2")]],
		[[receipt("rcpt_12"), gone]],
	]);
	t.match(await reader.findPut(facts, "receipts", "rcpt_1"), { owner: "tok_d" });
	t.match(await reader.findPut(facts, "receipts", "rcpt_12"), { id: "rcpt_12" });
	for (const id of ["rcpt_gone", "rcpt_", "rcpt_3"])
		t.equal(await reader.findPut(facts, "receipts", id), undefined);
	t.equal(await reader.findPut(facts, "tokens", "rcpt_1"), undefined);
});

t.test("a byte that is not what was written is damage, and noted", async (t) => {
	const frames = [[[receipt("rcpt_1")]], [[receipt("rcpt_2")]], [[receipt("rcpt_3")]]];
	const { disk, reader, facts, ends, damages, bytes } = segmentOf(frames);
	const second = ends[1] ?? 0;
	disk.edit(PATH, (found) => {
		found[second + 60] = (found[second + 60] ?? 0) ^ 1;
		return found;
	});
	const broken = damage(second, "the checksum does not match");
	await t.rejects(framesIn(reader.readFrames(facts)), broken);
	const at = bytes.indexOf('["p","receipts","rcpt_3"');
	const before = damage(at, "the checksum does not match");
	await t.rejects(reader.findPut(facts, "receipts", "rcpt_3"), before);
	await t.rejects(framesIn(reader.readMentions(facts, "rcpt_3")), { code: "UNAVAILABLE" });
	t.equal(damages(), 3);
	t.match(await reader.findPut(facts, "receipts", "rcpt_1"), { id: "rcpt_1" });
	disk.edit(PATH, (found) => found.subarray(0, second));
	const lost = damage(second, `the segment has lost bytes: there were ${bytes.length}`);
	await t.rejects(framesIn(reader.readFrames(facts)), lost);
	await disk.remove(PATH);
	const none = damage(0, `the segment has lost bytes: there were ${bytes.length}`);
	await t.rejects(reader.findPut(facts, "receipts", "rcpt_1"), none);
	t.equal(damages(), 5);
});

t.test("a read that the system refuses proves no damage", async (t) => {
	const { failing, facts, damages } = segmentOf([[]]);
	const reader = failing(async () => Promise.reject(diskError("EMFILE")));
	await t.rejects(framesIn(reader.readFrames(facts)), {
		...{ code: "UNAVAILABLE", retryable: true },
		message: `The journal could not be read: "${PATH}" (EMFILE: simulated). Try again in a moment.`,
	});
	t.equal(damages(), 0);
});

t.test("calls go on while a long segment is read", async (t) => {
	const big = receiptRow("rcpt_1", { fingerprint: "f".repeat(50_000) });
	const put: Operation = { kind: "put", table: "receipts", row: big };
	const { reader, facts } = segmentOf(times(12, () => [[put]]));
	let turns = 0;
	let isReading = true;
	const turn = () => {
		turns += 1;
		if (isReading) setImmediate(turn);
	};
	setImmediate(turn);
	const frames = await framesIn(reader.readFrames(facts));
	isReading = false;
	t.equal(frames.length, 12);
	t.ok(turns >= 4 && turns < 9, `${turns} turns: after some frames, not after each`);
});

const kept = { done: Promise.resolve(), isKept: () => true };

t.test("a row is remembered as long as it is among the latest", async (t) => {
	const { reader, facts } = segmentOf([[[receipt("rcpt_0", "tok_old")]]]);
	const rows = createColdRows(reader, () => [facts]);
	t.match(await rows.find("receipts", "rcpt_0"), { owner: "tok_old" });
	rows.remember("receipts", receiptRow("rcpt_0", { owner: "tok_new" }), kept);
	t.match(await rows.find("receipts", "rcpt_0"), { owner: "tok_new" });
	for (const index of times(2_047, (i) => i + 1))
		rows.remember("receipts", receiptRow(`rcpt_${index}`), kept);
	t.equal(rows.size(), 2_048);
	t.match(await rows.find("receipts", "rcpt_0"), { owner: "tok_new" }, "the oldest of them");
	rows.remember("receipts", receiptRow("rcpt_0", { owner: "tok_last" }), kept);
	t.equal(rows.size(), 2_048);
	rows.remember("receipts", receiptRow("rcpt_other"), kept);
	t.equal(rows.size(), 2_048);
	t.match(await rows.find("receipts", "rcpt_0"), { owner: "tok_last" }, "put again, it is young");
	t.equal(await rows.find("receipts", "rcpt_1"), undefined, "it was the oldest");
});

t.test("a row that a crash could undo is not shown before it is durable", async (t) => {
	const { reader } = segmentOf([[]]);
	const rows = createColdRows(reader, () => []);
	let [isKept, end] = [false, () => {}];
	const done = new Promise<void>((resolve) => {
		end = resolve;
	});
	rows.remember("receipts", receiptRow("rcpt_1"), { done, isKept: () => isKept });
	let shown: unknown;
	const asked = rows.find("receipts", "rcpt_1").then((row) => {
		shown = row;
	});
	await new Promise((resolve) => setImmediate(resolve));
	t.equal(shown, undefined);
	isKept = true;
	t.match(await rows.find("receipts", "rcpt_1"), { id: "rcpt_1" }, "no one waits for what is kept");
	end();
	await asked;
	t.match(shown, { id: "rcpt_1" });
});

t.test("a row is looked for in the segments that may hold it, the newest first", async (t) => {
	const looked: number[] = [];
	const reader = createJournalReader({
		fileSystem: createFakeDisk(),
		folder: FOLDER,
		onDamage: () => undefined,
	});
	const findPut = async ({ number }: SegmentFacts) => {
		looked.push(number);
		return number === 2 ? receiptRow("rcpt_1") : undefined;
	};
	const always = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
	const segments = [always, always, undefined, always].map((coldRange, index) => ({
		...{ number: index + 1, start: START, bytes: 0, coldRange },
	}));
	const rows = createColdRows({ ...reader, findPut }, () => segments);
	t.match(await rows.find("receipts", "rcpt_1"), { id: "rcpt_1" });
	t.same(looked, [4, 2]);
});
