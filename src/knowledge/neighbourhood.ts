import type { Concept, Edge, Graph } from "./graph.js";

/** One step along an edge, in the direction walked. */
interface Step {
	readonly from: string;
	readonly to: string;
	readonly edge: Edge;
	/** "in" when the edge was walked against its direction. */
	readonly direction: "out" | "in";
}

interface Neighbour {
	readonly concept: Concept;
	/** Number of edges from the start, at least 1. */
	readonly distance: number;
	/** Product of the weights along the way found first. */
	readonly weight: number;
	/** The last step that led here. */
	readonly step: Step;
}

interface NeighbourOptions {
	/** Edges from the start; 1 by default, `DEPTH_MAX` at most. */
	readonly depth?: number;
	/** Types of edges to follow; all by default. */
	readonly types?: readonly string[];
	readonly direction?: "out" | "in" | "both";
	/** Neighbours wanted; all by default. */
	readonly limit?: number;
}

interface PathOptions extends Pick<NeighbourOptions, "types" | "direction"> {
	/** Paths wanted; 1 by default. */
	readonly count?: number;
	/** Edges per path; `DEPTH_MAX` by default and at most. */
	readonly maxSteps?: number;
}

interface Path {
	readonly steps: readonly Step[];
	/** Product of the weights of its edges. */
	readonly weight: number;
}

export interface Neighbourhood {
	/** Concepts around one, nearest first, then heaviest, then by id; each once. Empty for an unknown id. */
	neighbours(conceptId: string, options?: NeighbourOptions): readonly Neighbour[];
	/** Paths without cycles, fewest steps first, then heaviest; bounded work, so very dense graphs may yield fewer. */
	paths(fromId: string, toId: string, options?: PathOptions): readonly Path[];
}

const DEPTH_MAX = 6;
/** Partial paths of one length that are followed further, heaviest first: a bound on work. */
const PARTIAL_PATHS_MAX = 2_000;

/** Adjacency of a graph in both directions, built once per graph version. */
export function createNeighbourhood(graph: Graph): Neighbourhood {
	const byId = new Map(graph.concepts.map((concept) => [concept.id, concept]));
	const stepsFrom = indexSteps(graph, byId);

	const follow = (id: string, { types, direction = "both" }: NeighbourOptions | PathOptions) =>
		(stepsFrom.get(id) ?? []).filter(
			(step) =>
				(direction === "both" || step.direction === direction) &&
				(types === undefined || types.includes(step.edge.type)),
		);

	return {
		neighbours(conceptId, options = {}) {
			const depth = Math.min(options.depth ?? 1, DEPTH_MAX);
			const found = new Map<string, Neighbour>();
			let frontier: readonly Reached[] = [{ id: conceptId, weight: 1 }];
			for (let distance = 1; distance <= depth && frontier.length > 0; distance++) {
				const reached = reachFrom(frontier, (id) => follow(id, options))
					.filter(({ step }) => step.to !== conceptId && !found.has(step.to))
					.flatMap(({ step, weight }) => {
						const concept = byId.get(step.to);
						return concept ? [{ concept, distance, weight, step }] : [];
					});
				for (const neighbour of reached) found.set(neighbour.concept.id, neighbour);
				frontier = reached.map(({ concept, weight }) => ({ id: concept.id, weight }));
			}
			return [...found.values()].slice(0, options.limit);
		},
		paths(fromId, toId, options = {}) {
			if (!byId.has(fromId) || !byId.has(toId) || fromId === toId) return [];
			return findPaths({ fromId, toId, options, follow: (id) => follow(id, options) });
		},
	};
}

interface Reached {
	readonly id: string;
	readonly weight: number;
}

type Follow = (id: string) => readonly Step[];

/** The heaviest way to each concept one edge further, heaviest first. */
function reachFrom(frontier: readonly Reached[], follow: Follow) {
	const best = new Map<string, { step: Step; weight: number }>();
	for (const { id, weight: weightSoFar } of frontier) {
		for (const step of follow(id)) {
			const weight = weightSoFar * step.edge.weight;
			if (weight > (best.get(step.to)?.weight ?? 0)) best.set(step.to, { step, weight });
		}
	}
	return [...best.values()].sort((a, b) => b.weight - a.weight || (a.step.to < b.step.to ? -1 : 1));
}

function indexSteps(
	graph: Graph,
	byId: ReadonlyMap<string, Concept>,
): ReadonlyMap<string, readonly Step[]> {
	const stepsFrom = new Map<string, Step[]>(graph.concepts.map(({ id }) => [id, []]));
	for (const { id, edges } of graph.concepts) {
		for (const edge of edges) {
			if (!byId.has(edge.target)) continue;
			stepsFrom.get(id)?.push({ from: id, to: edge.target, edge, direction: "out" });
			stepsFrom.get(edge.target)?.push({ from: edge.target, to: id, edge, direction: "in" });
		}
	}
	return stepsFrom;
}

/** Breadth first over partial paths: all of one length are known before the next, so the order is right by construction. */
function findPaths({
	fromId,
	toId,
	options,
	follow,
}: {
	fromId: string;
	toId: string;
	options: PathOptions;
	follow: Follow;
}): readonly Path[] {
	const count = options.count ?? 1;
	const maxSteps = Math.min(options.maxSteps ?? DEPTH_MAX, DEPTH_MAX);
	const found: Path[] = [];
	let partial: readonly Path[] = [{ steps: [], weight: 1 }];
	for (let length = 1; length <= maxSteps && found.length < count; length++) {
		const longer = partial
			.flatMap((path) => extend(path, fromId, follow))
			.sort((a, b) => b.weight - a.weight);
		found.push(...longer.filter(({ steps }) => steps.at(-1)?.to === toId));
		partial = longer.filter(({ steps }) => steps.at(-1)?.to !== toId).slice(0, PARTIAL_PATHS_MAX);
	}
	return found.slice(0, count);
}

/** One step per next concept, the heaviest: parallel edges make no other path. */
function extend(path: Path, fromId: string, follow: Follow): Path[] {
	const here = path.steps.at(-1)?.to ?? fromId;
	const seen = new Set([fromId, ...path.steps.map(({ to }) => to)]);
	return reachFrom([{ id: here, weight: path.weight }], follow)
		.filter(({ step }) => !seen.has(step.to))
		.map(({ step, weight }) => ({ steps: [...path.steps, step], weight }));
}
