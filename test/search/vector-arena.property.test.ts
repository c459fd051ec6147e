import fc from "fast-check";
import t from "tap";
import { createVectorArena } from "../../src/search/dense/vector-regions.js";

const sizes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 30 });

t.test("pieces never overlap, and what is given back is used again", async (t) => {
	fc.assert(
		fc.property(sizes, fc.infiniteStream(fc.boolean()), (wanted, chance) => {
			const arena = createVectorArena(64);
			let pieces: { address: number; bytes: number }[] = [];
			for (const bytes of wanted) {
				pieces.push({ address: arena.allocate(bytes), bytes });
				const [gone = [], kept = []] = [true, false].map((isGone) =>
					pieces.filter(() => chance.next().value === isGone),
				);
				const freed = gone.filter((piece) => !kept.includes(piece));
				for (const { address, bytes: size } of freed) arena.free(address, size);
				pieces = pieces.filter((piece) => !freed.includes(piece));
			}
			const sorted = pieces.toSorted((a, b) => a.address - b.address);
			sorted.forEach(({ address, bytes }, index) => {
				t.ok(address > 0 && address % 64 === 0);
				const next = sorted[index + 1]?.address ?? arena.memory.buffer.byteLength;
				t.ok(address + bytes <= next);
			});
			for (const { address, bytes } of pieces) arena.free(address, bytes);
			t.equal(arena.used(), 0);
			const length = arena.memory.buffer.byteLength;
			arena.allocate(length - 64);
			t.equal(arena.memory.buffer.byteLength, length, "all of it is one piece again");
		}),
		{ numRuns: 40 },
	);
});

t.test("a full memory is refused with a sentence, and what was there stays", async (t) => {
	const arena = createVectorArena(2);
	const address = arena.allocate(100_000);
	new Uint8Array(arena.memory.buffer)[address] = 7;
	t.throws(() => arena.allocate(100_000), { code: "UNAVAILABLE", message: /full at 0 MB|full at/ });
	t.equal(new Uint8Array(arena.memory.buffer)[address], 7);
	arena.free(address, 100_000);
	t.equal(arena.allocate(100_000), address);
});
