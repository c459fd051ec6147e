import fc from "fast-check";
import t from "tap";
import type { LinkGraph } from "../../src/search/ranking/link-graph.js";
import { spreadFrom } from "../../src/search/ranking/related-slots.js";

type Matrix = readonly (readonly number[])[];

const matrices: fc.Arbitrary<Matrix> = fc
	.integer({ min: 2, max: 9 })
	.chain((nodes) =>
		fc.array(
			fc.array(
				fc.oneof(fc.constant(0), fc.constant(0), fc.double({ min: 0.1, max: 2, noNaN: true })),
				{ minLength: nodes, maxLength: nodes },
			),
			{ minLength: nodes, maxLength: nodes },
		),
	);

function toLinkGraph(matrix: Matrix): LinkGraph {
	const starts = [0];
	const targets: number[] = [];
	const weights: number[] = [];
	for (const row of matrix) {
		row.forEach((weight, target) => {
			if (weight > 0) targets.push(target);
			if (weight > 0) weights.push(weight);
		});
		starts.push(targets.length);
	}
	return {
		starts: Uint32Array.from(starts),
		targets: Uint32Array.from(targets),
		weights: Float32Array.from(weights),
		segmentOf: new Uint32Array(matrix.length),
		find: () => undefined,
	};
}

/** Where walks from node 0 end, step by step until hardly any is under way; those that end at once are left out. */
function walk(matrix: Matrix, admits: (node: number) => boolean): readonly number[] {
	const ended = matrix.map(() => 0);
	let here: number[] = matrix.map((_, node) => (node === 0 ? 1 : 0));
	for (let step = 0; step < 40; step++) {
		here.forEach((mass, node) => {
			if (step > 0) ended[node] = (ended[node] ?? 0) + mass / 2;
		});
		const next = matrix.map(() => 0);
		here.forEach((mass, node) => {
			const row = (matrix[node] ?? []).map((weight, target) => (admits(target) ? weight : 0));
			const total = row.reduce((sum, weight) => sum + weight, 0);
			row.forEach((weight, target) => {
				if (total > 0) next[target] = (next[target] ?? 0) + (mass / 2) * (weight / total);
			});
		});
		here = next;
	}
	return ended;
}

t.test("the push finds what all walks would, up to what it does not pass on", async (t) => {
	fc.assert(
		fc.property(matrices, fc.nat(), (matrix, number) => {
			const barred = 1 + (number % (matrix.length - 1));
			const admits = (node: number) => node !== barred;
			const reached = spreadFrom(toLinkGraph(matrix), [{ node: 0, mass: 1 }], admits);
			const found = matrix.map((_, node) => reached.find((one) => one.node === node)?.mass ?? 0);
			return walk(matrix, admits).every(
				(mass, node) => Math.abs(mass - (found[node] ?? 0)) < 5e-4 * matrix.length,
			);
		}),
	);
	t.pass();
});

t.test("one spread leaves nothing behind for the next", async (t) => {
	fc.assert(
		fc.property(matrices, (matrix) => {
			const graph = toLinkGraph(matrix);
			const ask = (node: number) => spreadFrom(graph, [{ node, mass: 1 }], () => true);
			const first = JSON.stringify(ask(0));
			ask(1);
			return JSON.stringify(ask(0)) === first;
		}),
	);
	t.pass();
});

t.test("no mass comes from nowhere, and nothing that is barred is reached", async (t) => {
	fc.assert(
		fc.property(matrices, (matrix) => {
			const seeds = [{ node: 0, mass: 1 }];
			const reached = spreadFrom(toLinkGraph(matrix), seeds, (node) => node !== 1);
			const total = reached.reduce((sum, { mass }) => sum + mass, 0);
			return total <= 1 && reached.every(({ node }) => node !== 1);
		}),
	);
	t.pass();
});
