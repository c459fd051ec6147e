import fc from "fast-check";
import t from "tap";
import {
	CHAIN_START,
	type ChainLink,
	createFrameEncoder,
	judgeTail,
	readFrame,
} from "../../store/journal/frame.js";
import { walkFrames } from "../../store/journal/segments.js";

const SECTOR_BYTES = 512;
const json = fc.jsonValue().map((value) => JSON.stringify(value));
const link: fc.Arbitrary<ChainLink> = fc.record({
	sequence: fc.nat({ max: 2 ** 40 }),
	crc: fc.nat({ max: 2 ** 32 - 1 }),
});

function frameOf(text: string, previous: ChainLink): Buffer {
	return Buffer.from(createFrameEncoder()(text, previous).bytes);
}

function flip(bytes: Buffer, bit: number): Buffer {
	const changed = Buffer.from(bytes);
	changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
	return changed;
}

t.test("what is encoded is read back, frame after frame", async () => {
	const property = fc.property(fc.array(json), link, (texts, start) => {
		const encode = createFrameEncoder();
		let previous = start;
		const frames = texts.map((text) => {
			const frame = encode(text, previous);
			previous = frame.link;
			return Buffer.from(frame.bytes);
		});
		const found: string[] = [];
		const walk = walkFrames(Buffer.concat(frames), start, (frame) => found.push(frame.json()));
		return (
			walk.problem === undefined &&
			walk.link.crc === previous.crc &&
			walk.link.sequence === start.sequence + texts.length &&
			found.every((text, index) => text === `${texts[index]}\n`)
		);
	});
	fc.assert(property);
});

t.test("a frame fits behind the one it was made for and no other", async () => {
	const property = fc.property(json, link, link, (text, previous, other) => {
		const isSame = previous.crc === other.crc && previous.sequence === other.sequence;
		return "problem" in readFrame(frameOf(text, previous), 0, other) !== isSame;
	});
	fc.assert(property);
});

t.test("one wrong bit makes a frame unreadable, and never passes for a torn one", async (t) => {
	const frame = frameOf(JSON.stringify({ text: "@ a b\u0000 €", n: 12 }).repeat(30), CHAIN_START);
	t.ok(frame.length > SECTOR_BYTES);
	const room = Buffer.concat([frame, Buffer.alloc(600)]);
	for (let bit = 0; bit < frame.length * 8; bit++) {
		for (const bytes of [frame, room]) {
			const damaged = flip(bytes, bit);
			if (!("problem" in readFrame(damaged, 0, CHAIN_START))) t.fail(`bit ${bit} is not noticed`);
			if (judgeTail(damaged, 0, CHAIN_START) !== "damaged") t.fail(`bit ${bit} passes for a tear`);
		}
	}
});

t.test("a frame that ends early, anywhere, is torn, whatever room follows", async () => {
	const property = fc.property(
		json,
		link,
		fc.nat(),
		fc.nat({ max: 2_000 }),
		(text, previous, cut, room) => {
			const frame = frameOf(text, previous);
			const bytes = Buffer.concat([frame.subarray(0, cut % frame.length), Buffer.alloc(room)]);
			const kind = judgeTail(bytes, 0, previous);
			return kind === (cut % frame.length === 0 ? "clean" : "torn");
		},
	);
	fc.assert(property);
});

t.test(
	"a frame of which whole sectors never arrived is torn, at any place in its file",
	async () => {
		const property = fc.property(
			fc.nat({ max: 3 * SECTOR_BYTES }),
			fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
			(offset, arrived) => {
				const frame = frameOf(JSON.stringify("some text ".repeat(400)), CHAIN_START);
				const bytes = Buffer.concat([Buffer.alloc(offset, "x"), frame, Buffer.alloc(700)]);
				let missing = 0;
				for (const [index, isThere] of arrived.entries()) {
					const start = (Math.floor(offset / SECTOR_BYTES) + index) * SECTOR_BYTES;
					if (isThere || start >= offset + frame.length) continue;
					bytes.fill(0, Math.max(start, offset), start + SECTOR_BYTES);
					missing += 1;
				}
				const kind = judgeTail(bytes, offset, CHAIN_START);
				return missing === 0 ? kind === "damaged" : kind === "torn" || kind === "clean";
			},
		);
		fc.assert(property);
	},
);

t.test("two frames are no torn one, even when a sector of them is gone", async (t) => {
	const encode = createFrameEncoder();
	const first = encode(JSON.stringify("a".repeat(2_000)), CHAIN_START);
	const firstBytes = Buffer.from(first.bytes);
	const second = Buffer.from(encode(JSON.stringify("b"), first.link).bytes);
	const bytes = Buffer.concat([firstBytes, second]);
	bytes.fill(0, SECTOR_BYTES, 2 * SECTOR_BYTES);
	t.equal(judgeTail(bytes, 0, CHAIN_START), "damaged");
});
