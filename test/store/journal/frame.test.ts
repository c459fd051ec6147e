import { crc32 } from "node:zlib";
import t from "tap";
import {
	CHAIN_START,
	type ChainLink,
	createFrameEncoder,
	decodeHeader,
	hex,
	judgeTail,
	readFrame,
} from "../../../store/journal/frame.js";

const SECTOR = 512;
const PREVIOUS: ChainLink = { sequence: 0x1a, crc: 0x00abcdef };

function frameOf(text: string, previous = PREVIOUS): Buffer {
	return Buffer.from(createFrameEncoder()(text, previous).bytes);
}

/** The same frame with other bytes and the checksum that belongs to them. */
function resealed(frame: Buffer, change: (bytes: Buffer) => void): Buffer {
	const bytes = Buffer.from(frame);
	change(bytes);
	const crc = crc32(bytes.subarray(44), crc32(bytes.subarray(0, 35)));
	bytes.write(hex(crc, 8), 35, "latin1");
	return bytes;
}

const edited = (frame: Buffer, at: number, text: string) => {
	const bytes = Buffer.from(frame);
	bytes.write(text, at, "latin1");
	return bytes;
};

t.test("a frame is one line with number, length and both checksums before its body", (t) => {
	const { bytes, link } = createFrameEncoder()('"é"', PREVIOUS);
	t.equal(bytes.toString("utf8"), `tg1 00000000001b 00000005 00abcdef ${hex(link.crc, 8)} "é"\n`);
	t.equal(link.sequence, 0x1b);
	t.equal(link.crc, crc32(bytes.subarray(44), crc32(bytes.subarray(0, 35))));
	t.same(decodeHeader(bytes, 0), {
		sequence: 0x1b,
		bodyBytes: 5,
		previousCrc: PREVIOUS.crc,
		crc: link.crc,
	});
	t.equal(decodeHeader(bytes.subarray(0, 43), 0), undefined);
	t.equal(decodeHeader(bytes, 1), undefined);
	const behind = Buffer.concat([Buffer.alloc(7, "x"), bytes]);
	t.same(readFrame(behind, 7, PREVIOUS), { link, bodyStart: 51, end: behind.length });
	t.end();
});

t.test("texts of any length are encoded one after the other by one encoder", (t) => {
	const encode = createFrameEncoder();
	const KIB = 1024;
	let previous = CHAIN_START;
	for (const length of [1, 20 * KIB, 22 * KIB, 70 * KIB, 5_000 * KIB, 64 * KIB, 3]) {
		const text = `"${"€".repeat(length)}"`;
		const { bytes, link } = encode(text, previous);
		t.equal(bytes.length, 44 + Buffer.byteLength(text) + 1);
		const found = readFrame(bytes, 0, previous);
		t.same(found, { link, bodyStart: 44, end: bytes.length });
		t.ok(bytes.toString("utf8", 44) === `${text}\n`, `${length} characters`);
		previous = link;
	}
	t.end();
});

t.test("why a frame is not the next one is said in words", (t) => {
	const frame = frameOf('"text"');
	const problemOf = (bytes: Buffer, previous = PREVIOUS) => {
		const found = readFrame(bytes, 0, previous);
		return "problem" in found ? found.problem : undefined;
	};
	t.equal(problemOf(frame), undefined);
	t.equal(problemOf(Buffer.alloc(100)), "no frame header is there");
	t.equal(problemOf(edited(frame, 0, "tg2")), "no frame header is there");
	t.equal(problemOf(frame, { ...PREVIOUS, sequence: 3 }), "frame 27 is there instead of frame 4");
	t.equal(problemOf(frame, { ...PREVIOUS, crc: 3 }), "the frame does not follow the one before");
	t.equal(problemOf(frame.subarray(0, -1)), "the file ends within the frame");
	t.equal(problemOf(edited(frame, 46, "T")), "the checksum does not match");
	const unended = resealed(frame, (bytes) => bytes.write("x", bytes.length - 1));
	t.equal(problemOf(unended), "the checksum does not match", "its line does not end");
	t.end();
});

/** A frame of several sectors, and the same without some bytes. */
const LONG = frameOf(JSON.stringify("some text ".repeat(200)));
const without = (from: number, to: number, bytes = LONG) => {
	const changed = Buffer.from(bytes);
	changed.fill(0, from, to);
	return changed;
};

t.test("an end of zeros is clean, and part of the next frame is torn", (t) => {
	const kindOf = (bytes: Buffer) => judgeTail(bytes, 0, PREVIOUS);
	t.equal(kindOf(Buffer.alloc(0)), "clean");
	t.equal(kindOf(Buffer.alloc(600)), "clean");
	t.equal(judgeTail(LONG, LONG.length, PREVIOUS), "clean");
	t.equal(judgeTail(Buffer.concat([Buffer.from("xx"), Buffer.alloc(9)]), 2, PREVIOUS), "clean");
	for (const length of [1, 16, 43, 44, 45, 511, 700, LONG.length - 1]) {
		t.equal(kindOf(LONG.subarray(0, length)), "torn", `${length} bytes`);
		t.equal(kindOf(Buffer.concat([LONG.subarray(0, length), Buffer.alloc(700)])), "torn");
	}
	t.equal(kindOf(without(0, SECTOR)), "torn", "its first sector did not arrive");
	t.equal(kindOf(without(SECTOR, 2 * SECTOR)), "torn");
	t.equal(kindOf(without(SECTOR, 3 * SECTOR).subarray(0, 4 * SECTOR)), "torn");
	t.end();
});

t.test("an end that no crash leaves is damaged", (t) => {
	const kindOf = (bytes: Buffer, previous = PREVIOUS) => judgeTail(bytes, 0, previous);
	const start = LONG.subarray(0, 100);
	t.equal(kindOf(LONG), "damaged", "a whole frame is none that was cut short");
	t.equal(kindOf(edited(LONG, 99, "x")), "damaged");
	t.equal(kindOf(Buffer.from("garbage")), "damaged");
	t.equal(kindOf(edited(start, 15, "9")), "damaged", "another number");
	t.equal(kindOf(edited(start, 17, "g")), "damaged", "no length");
	t.equal(kindOf(edited(start, 17, "A")), "damaged");
	t.equal(kindOf(edited(start, 26, "1")), "damaged", "behind another frame");
	t.equal(kindOf(edited(start, 35, " ")), "damaged", "no checksum");
	t.equal(kindOf(edited(start, 43, "x")), "damaged");
	t.equal(kindOf(edited(start, 60, "\n")), "damaged", "a line that ends early");
	t.equal(kindOf(edited(start, 99, "\n")), "damaged", "even at its last byte");
	const longer = Buffer.concat([LONG.subarray(0, -1), Buffer.from("xx")]);
	t.equal(kindOf(longer), "damaged", "longer than it says");
	t.equal(kindOf(longer.subarray(0, -1)), "damaged", "as long as it says, without its end");
	t.equal(kindOf(without(SECTOR + 1, 2 * SECTOR)), "damaged", "zeros from amid a sector");
	t.equal(kindOf(without(SECTOR, 2 * SECTOR - 1)), "damaged", "zeros to amid a sector");
	t.equal(kindOf(without(50, 60)), "damaged");
	t.equal(kindOf(without(50, 60).subarray(0, 300)), "damaged", "even where it ends early");
	t.equal(kindOf(edited(LONG.subarray(0, 44), 17, "00000000")), "damaged", "no body is that short");
	const hole = without(SECTOR, 2 * SECTOR);
	t.equal(kindOf(edited(hole, 17, "00000fff")), "damaged", "another length than it says");
	t.equal(kindOf(hole, CHAIN_START), "damaged");
	t.end();
});

t.test("sectors count from the start of the file", (t) => {
	const offset = 100;
	const inFile = Buffer.concat([Buffer.alloc(offset, "x"), LONG]);
	const kindOf = (from: number, to: number) =>
		judgeTail(without(from, to, inFile), offset, PREVIOUS);
	t.equal(kindOf(offset, SECTOR), "torn");
	t.equal(kindOf(SECTOR, 2 * SECTOR), "torn");
	t.equal(kindOf(SECTOR + offset, 2 * SECTOR), "damaged");
	t.equal(kindOf(SECTOR, 2 * SECTOR + offset), "damaged");
	t.end();
});
