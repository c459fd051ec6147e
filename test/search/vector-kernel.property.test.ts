import fc from "fast-check";
import t from "tap";
import { createScalarKernel, type VectorKernel } from "../../src/search/dense/scalar-kernel.mjs";
import { compileVectorKernel } from "../../src/search/dense/vector-kernel.js";
import { createVectorArena } from "../../src/search/dense/vector-regions.js";
import { openKernel } from "../../src/search/dense/vector-scan.mjs";

const EXTREME = 127;
const [FLOORS, QUERY, SCALES, OUT, ROWS] = [512, 1_024, 32_768, 36_864, 40_960] as const;
const FINES = 65_536;

const numbers = fc.infiniteStream(
	fc.oneof(fc.integer({ min: -EXTREME, max: EXTREME }), fc.constantFrom(-EXTREME, EXTREME, 0)),
);
const widths = fc.constantFrom(8, 64, 128, 256, 384);

t.test(
	"the WebAssembly kernel finds the rows its JavaScript reference finds, to the last bit",
	async (t) => {
		const { memory } = spacious();
		const floors = fc.constantFrom(-1e9, 0, 500, 1e9);
		fc.assert(
			fc.property(widths, fc.nat({ max: 5 }), floors, numbers, (width, groups, floor, stream) => {
				const next = () => stream.next().value as number;
				const words = new Int16Array(memory.buffer);
				const bytes = new Int8Array(memory.buffer);
				const floats = new Float32Array(memory.buffer);
				for (let index = 0; index < width; index++) words[QUERY / 2 + index] = next() * 16;
				for (let index = 0; index < 4 * groups * width; index++) bytes[ROWS + index] = next();
				for (let row = 0; row < 4 * groups; row++) floats[SCALES / 4 + row] = next() / 1_000;
				const run = (kernel: VectorKernel) => {
					bytes.fill(0, OUT, ROWS);
					const end = kernel.scan(QUERY, ROWS, SCALES, OUT, 7, groups, floor);
					return { end, found: [...bytes.subarray(OUT, end)] };
				};
				const module = compileVectorKernel(width);
				t.ok(module);
				const expected = run(createScalarKernel(width, memory));
				t.strictSame(run(openKernel(module, width, memory)), expected);
			}),
			{ numRuns: 60 },
		);
	},
);

t.test(
	"four queries at once score rows as the JavaScript reference does, to the last bit",
	async (t) => {
		const { memory } = spacious();
		const floors = fc.array(fc.constantFrom(0, 500, 5_000, Number.POSITIVE_INFINITY), {
			minLength: 4,
			maxLength: 4,
		});
		fc.assert(
			fc.property(widths, fc.nat({ max: 9 }), floors, numbers, (width, pairs, floors, stream) => {
				const next = () => stream.next().value as number;
				const words = new Int16Array(memory.buffer);
				const bytes = new Int8Array(memory.buffer);
				const floats = new Float32Array(memory.buffer);
				for (let index = 0; index < 4 * width; index++) words[QUERY / 2 + index] = next() * 16;
				for (let index = 0; index < 2 * pairs * width; index++) bytes[ROWS + index] = next();
				for (let row = 0; row < 2 * pairs; row++) floats[SCALES / 4 + row] = next() / 1_000;
				floats.set(floors, FLOORS / 4);
				const run = (kernel: VectorKernel) => {
					bytes.fill(0, OUT, ROWS);
					const end = kernel.scanFour(QUERY, ROWS, SCALES, OUT, 7, pairs, FLOORS);
					return { end, found: [...bytes.subarray(OUT, end)] };
				};
				const module = compileVectorKernel(width);
				t.ok(module);
				const expected = run(createScalarKernel(width, memory));
				t.strictSame(run(openKernel(module, width, memory)), expected);
			}),
			{ numRuns: 60 },
		);
	},
);

t.test(
	"the closest of a document's rows is the one the reference finds, within rounding",
	async () => {
		const { memory } = spacious();
		fc.assert(
			fc.property(widths, fc.nat({ max: 6 }), numbers, (width, count, stream) => {
				const next = () => stream.next().value as number;
				const bytes = new Int8Array(memory.buffer);
				const floats = new Float32Array(memory.buffer);
				for (let index = 0; index < width; index++) floats[QUERY / 4 + index] = next() / 2_000;
				for (let index = 0; index < count * width; index++) bytes[ROWS + index] = next();
				for (let row = 0; row < count; row++) floats[SCALES / 4 + row] = next() / 20_000;
				const kernel = openKernel(compileVectorKernel(width), width, memory);
				const found = kernel.closest(QUERY, ROWS, SCALES, count);
				const expected = createScalarKernel(width, memory).closest(QUERY, ROWS, SCALES, count);
				return found === expected || Math.abs(found - expected) < 1e-4;
			}),
			{ numRuns: 60 },
		);
	},
);

t.test("so it is with what rounding took from the rows", async () => {
	const { memory } = spacious();
	const fineWidths = fc.constantFrom(16, 64, 128, 256, 384);
	fc.assert(
		fc.property(fineWidths, fc.nat({ max: 6 }), numbers, (width, count, stream) => {
			const next = () => stream.next().value as number;
			const bytes = new Int8Array(memory.buffer);
			const floats = new Float32Array(memory.buffer);
			for (let index = 0; index < width; index++) floats[QUERY / 4 + index] = next() / 2_000;
			for (let index = 0; index < count * width; index++) bytes[ROWS + index] = next();
			for (let index = 0; index < (count * width) / 2; index++) bytes[FINES + index] = next();
			for (let row = 0; row < count; row++) floats[SCALES / 4 + row] = next() / 20_000;
			const kernel = openKernel(compileVectorKernel(width), width, memory);
			const found = kernel.closestFine(QUERY, ROWS, FINES, SCALES, count);
			const reference = createScalarKernel(width, memory);
			const expected = reference.closestFine(QUERY, ROWS, FINES, SCALES, count);
			return found === expected || Math.abs(found - expected) < 1e-4;
		}),
		{ numRuns: 60 },
	);
});

t.test("a width the kernel is not made for is scored in JavaScript", async (t) => {
	t.equal(compileVectorKernel(100), undefined);
});

function spacious() {
	const arena = createVectorArena();
	arena.allocate(131_072);
	return arena;
}
