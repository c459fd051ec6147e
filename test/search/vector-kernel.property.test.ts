import fc from "fast-check";
import t from "tap";
import { createDenseIndex } from "../../src/search/dense-index.js";
import { quantiseInto, toUnitLength } from "../../src/search/quantise.js";
import {
	createScalarKernel,
	createVectorKernel,
	createVectorMemory,
} from "../../src/search/vector-kernel.js";

const EXTREME = 127;

t.test("the WebAssembly kernel and its JavaScript reference agree to the last bit", async (t) => {
	const dimensions = fc.constantFrom(16, 64, 128, 256, 384);
	const numbers = fc.infiniteStream(
		fc.oneof(fc.integer({ min: -EXTREME, max: EXTREME }), fc.constantFrom(-EXTREME, EXTREME, 0)),
	);
	fc.assert(
		fc.property(dimensions, fc.nat({ max: 9 }), numbers, (width, count, stream) => {
			const [scales, out, rows] = [1_024, 1_152, 1_280];
			const memory = createVectorMemory(rows + count * width);
			const bytes = new Int8Array(memory.buffer);
			const floats = new Float32Array(memory.buffer);
			const words = new Int16Array(memory.buffer);
			const next = () => stream.next().value as number;
			for (let index = 0; index < width; index++) words[index] = next() * 16;
			for (let index = 0; index < count * width; index++) bytes[rows + index] = next();
			for (let row = 0; row < count; row++) floats[scales / 4 + row] = next() / 1_000;
			const run = (kernel: ReturnType<typeof createScalarKernel>) => {
				kernel(0, rows, scales, out, count);
				return floats.slice(out / 4, out / 4 + count);
			};
			const expected = run(createScalarKernel(width, memory));
			floats.fill(0, out / 4, out / 4 + count);
			const kernel = createVectorKernel(width, memory);
			t.ok(kernel.isSimd);
			return Buffer.from(run(kernel.scan).buffer).equals(Buffer.from(expected.buffer));
		}),
		{ numRuns: 60 },
	);
});

t.test("a width the kernel is not made for is scored in JavaScript", async (t) => {
	t.notOk(createVectorKernel(100, createVectorMemory(1_000)).isSimd);
});

t.test("a concept's cosine is that of its closest passage, within the error of int8", async () => {
	const vector = fc
		.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 32, maxLength: 32 })
		.map((values) => toUnitLength(Float32Array.from(values)));
	const graph = fc.array(fc.array(vector, { maxLength: 3 }), { minLength: 1, maxLength: 5 });
	fc.assert(
		fc.property(vector, graph, graph, (query, one, other) => {
			const index = createDenseIndex([one, other].map(toVectors), 32);
			const scores = new Float32Array(20);
			return [one, other].every((concepts, position) => {
				index.scan(query, position, scores, position * 10);
				return concepts.every((passages, concept) => {
					const expected =
						passages.length === 0 ? 0 : Math.max(...passages.map((p) => dot(query, p)));
					const scanned = scores[position * 10 + concept] ?? 0;
					const rescored = index.rescore(query, position, concept);
					return Math.abs(scanned - expected) < 0.03 && Math.abs(rescored - expected) < 0.03;
				});
			});
		}),
		{ numRuns: 100 },
	);
});

function toVectors(concepts: readonly (readonly Float32Array[])[]) {
	const flat = concepts.flat();
	const rows = new Int8Array(flat.length * 32);
	const scales = Float32Array.from(flat, (vector, row) => quantiseInto(vector, rows, row * 32));
	const starts = new Uint32Array(concepts.length + 1);
	concepts.forEach((passages, concept) => {
		starts[concept + 1] = (starts[concept] ?? 0) + passages.length;
	});
	const embedder = { id: "test", sha256: "", dimensions: 32, pooling: "mean" as const };
	return { embedder, starts, rows, scales };
}

function dot(one: Float32Array, other: Float32Array): number {
	return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}
