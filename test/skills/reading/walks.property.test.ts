import fc from "fast-check";
import t from "tap";
import { mapOf } from "../../../skills/graphs/reading/graph-map.js";
import { findNeighbors, growSubgraph } from "../../../skills/graphs/reading/neighborhood.js";
import { findPaths } from "../../../skills/graphs/reading/paths.js";
import {
	lengthOf,
	toEdgeTest,
	type WalkOptions,
	weightOf,
} from "../../../skills/graphs/reading/walk.js";
import type { Graph } from "../../../src/knowledge/model/graph.js";
import { graphOf, TIDES } from "../../knowledge/sample-bundle.js";
import { anyGraph, conceptOf, graphWith, linksTo } from "./random-graph.js";

const anyWalk: fc.Arbitrary<WalkOptions> = fc.record(
	{
		edge_types: fc.constantFrom(["links-to"], ["Builds On", "opposes"]),
		direction: fc.constantFrom("out" as const, "in" as const, "both" as const),
		as_of: fc.constantFrom("2019-06-01"),
	},
	{ requiredKeys: [] },
);

/** One edge between two ids, as the walk sees it. */
interface Hop {
	readonly from: string;
	readonly to: string;
	readonly weight: number;
}

function hopsOf(graph: Graph, walk: WalkOptions): readonly Hop[] {
	const { edges, sources, concepts } = mapOf(graph);
	const isWanted = toEdgeTest(walk);
	const { direction = "both" } = walk;
	return edges.flatMap((edge, at) => {
		if (!isWanted(edge)) return [];
		const from = concepts[sources[at] ?? -1]?.id ?? "";
		const there = { from, to: edge.target, weight: weightOf(edge) };
		const back = { from: edge.target, to: from, weight: weightOf(edge) };
		return [...(direction === "in" ? [] : [there]), ...(direction === "out" ? [] : [back])];
	});
}

/** Lengths of all simple paths, ascending: the slow way, by trying. */
function allPathLengths(hops: readonly Hop[], start: string, goal: string, stepsMax: number) {
	const shortest = new Map<string, number>();
	const extend = (path: readonly string[], length: number): void => {
		const here = path.at(-1) ?? start;
		if (here === goal) {
			const key = path.join(" ");
			shortest.set(key, Math.min(length, shortest.get(key) ?? Number.POSITIVE_INFINITY));
			return;
		}
		if (path.length > stepsMax) return;
		for (const { from, to, weight } of hops) {
			if (from === here && !path.includes(to)) extend([...path, to], length + 1 / weight);
		}
	};
	extend([start], 0);
	return [...shortest.values()].sort((a, b) => a - b);
}

t.test("paths are simple, exist, and are the shortest there are", async (t) => {
	fc.assert(
		fc.property(anyGraph, anyWalk, fc.integer({ min: 1, max: 5 }), (graph, walk, count) => {
			const [from, to] = [graph.concepts[0]?.id, graph.concepts.at(-1)?.id];
			if (from === undefined || to === undefined || from === to) return;
			const stepsMax = 4;
			const hops = hopsOf(graph, walk);
			const { items, isComplete } = findPaths(
				graph,
				{ from, to },
				{ ...walk, limit: count, max_steps: stepsMax },
			);
			const expected = allPathLengths(hops, from, to, stepsMax).slice(0, count);
			t.ok(isComplete);
			t.equal(items.length, expected.length);
			for (const [index, { steps, length }] of items.entries()) {
				t.ok(Math.abs(length - (expected[index] ?? 0)) <= 1e-9 * Math.max(1, length));
				const ids = [from, ...steps.map((step) => step.to.id)];
				t.equal(new Set(ids).size, ids.length);
				t.equal(ids.at(-1), to);
				t.ok(steps.length <= stepsMax);
				for (const [at, step] of steps.entries()) {
					t.equal(step.from.id, ids[at]);
					t.ok(
						hops.some(
							(hop) =>
								hop.from === step.from.id &&
								hop.to === step.to.id &&
								hop.weight === weightOf(step.edge),
						),
					);
				}
			}
			const keys = items.map(({ steps }) => steps.map((step) => step.to.id).join(" "));
			t.equal(new Set(keys).size, keys.length);
		}),
		{ numRuns: 200 },
	);
});

/** Steps to everything in reach, layer by layer over all hops. */
function distancesFrom(start: string, hops: readonly Hop[], depth: number) {
	const distances = new Map([[start, 0]]);
	for (let distance = 1; distance <= depth; distance++) {
		for (const { from, to } of hops) {
			const isNext = distances.get(from) === distance - 1 && !distances.has(to);
			if (isNext) distances.set(to, distance);
		}
	}
	return distances;
}

t.test("neighbors are those in reach, each once, nearest first", async (t) => {
	fc.assert(
		fc.property(anyGraph, anyWalk, fc.integer({ min: 1, max: 3 }), (graph, walk, depth) => {
			const start = graph.concepts[0]?.id ?? "";
			const hops = hopsOf(graph, walk);
			const distances = distancesFrom(start, hops, depth);
			const all = findNeighbors(graph, start, { ...walk, depth, limit: 50 });
			t.ok(all.isComplete);
			t.same(
				new Map([[start, 0], ...all.items.map((n) => [n.concept.id, n.distance] as const)]),
				distances,
			);
			t.same(
				all.items.map(({ distance }) => distance),
				all.items.map(({ distance }) => distance).sort(),
			);
			for (const { step, concept, weight } of all.items) {
				t.equal(step.to.id, concept.id);
				t.ok(Number.isFinite(weight));
			}
			const two = findNeighbors(graph, start, { ...walk, depth, limit: 2 });
			t.same(two.items, all.items.slice(0, 2));
			t.equal(two.isComplete, all.items.length <= 2);
		}),
		{ numRuns: 150 },
	);
});

t.test("a subgraph keeps its budget and hangs together with its seeds", async (t) => {
	const anyBudget = fc.record({
		max_nodes: fc.integer({ min: 1, max: 9 }),
		max_bytes: fc.nat(600),
	});
	fc.assert(
		fc.property(anyGraph, anyWalk, anyBudget, (graph, walk, budget) => {
			const seeds = [...new Set([graph.concepts[0]?.id ?? "", graph.concepts.at(-1)?.id ?? ""])];
			const sizes = { ofNode: () => 40, ofEdge: () => 25 };
			const found = growSubgraph(graph, seeds, { ...walk, ...budget, sizes });
			const ids = found.nodes.map(({ concept }) => concept.id);
			t.ok(ids.length <= budget.max_nodes);
			t.ok(40 * ids.length + 25 * found.edges.length <= budget.max_bytes);
			const reached = new Set(seeds.filter((seed) => ids.includes(seed)));
			for (let before = -1; before < reached.size; ) {
				before = reached.size;
				for (const { from, to } of found.edges) {
					if (reached.has(from.id) !== reached.has(to.id)) reached.add(from.id).add(to.id);
				}
			}
			t.same([...reached].sort(), [...ids].sort());
			const isWanted = toEdgeTest(walk);
			const within = mapOf(graph).edges.filter(
				(edge, at) =>
					isWanted(edge) &&
					ids.includes(edge.target) &&
					ids.includes(mapOf(graph).concepts[mapOf(graph).sources[at] ?? -1]?.id ?? ""),
			);
			t.equal(found.edges.length, within.length);
			const larger = growSubgraph(graph, seeds, {
				...walk,
				max_nodes: budget.max_nodes + 1,
				max_bytes: budget.max_bytes + 100,
				sizes,
			});
			t.same(
				larger.nodes.slice(0, ids.length).map(({ concept }) => concept.id),
				ids,
			);
		}),
		{ numRuns: 150 },
	);
});

t.test("an unknown node is not found, by any of them", async (t) => {
	const tides = graphOf(TIDES);
	const refusal = { code: "NOT_FOUND", message: /No node of the graph "tides" is called "moon"/ };
	const walk = { depth: 1, limit: 1, max_steps: 1, max_nodes: 1, max_bytes: 1 };
	t.throws(() => findNeighbors(tides, "moon", walk), refusal);
	t.throws(() => findPaths(tides, { from: "phases.low", to: "moon" }, walk), refusal);
	const sizes = { ofNode: () => 0, ofEdge: () => 0 };
	t.throws(() => growSubgraph(tides, ["phases.low", "moon"], { ...walk, sizes }), refusal);
});

t.test("a step says which edge was walked and which way", async (t) => {
	const { items } = findNeighbors(graphOf(TIDES), "cycles.spring", {
		edge_types: ["Opposes"],
		depth: 1,
		limit: 5,
	});
	t.match(items, [
		{
			concept: { id: "cycles.neap" },
			weight: 0.5,
			step: { direction: "in", edge: { type: "opposes", weight: 0.5 } },
		},
	]);
});

t.test("a hub costs a bounded walk, and the answer says that it is not all", async (t) => {
	const spokes = Array.from({ length: 60_000 }, (_, index) => `s${index}`);
	const hub = graphWith([
		conceptOf("hub", linksTo(...spokes)),
		...spokes.map((id) => conceptOf(id)),
	]);
	const found = findNeighbors(hub, "hub", { depth: 3, limit: 10 });
	t.equal(found.items.length, 10);
	t.notOk(found.isComplete);
	const clique = Array.from({ length: 700 }, (_, index) => `n${index}`);
	const dense = graphWith(clique.map((id) => conceptOf(id, linksTo(...clique))));
	const paths = findPaths(dense, { from: "n0", to: "n1" }, { limit: 10, max_steps: 6 });
	t.ok(paths.items.length >= 1);
	t.equal(paths.items[0]?.length, 1);
});

t.test("heavier edges are shorter, within reason", async (t) => {
	const edge = (weight: number) => lengthOf({ type: "x", target: "y", weight });
	t.equal(edge(1), 1);
	t.equal(edge(4), 0.25);
	t.equal(edge(1e300), 0.001);
	t.equal(edge(1e-300), 1_000);
});
