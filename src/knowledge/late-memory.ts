import type { BundleMemory, Graph } from "./graph.js";
import { runAtOnce, runInTurns, type Steps } from "./work-in-turns.js";

/** How the memory of a graph is read, for graphs that were made without it. */
const readings = new WeakMap<object, Steps<void>>();

/**
 * A graph whose memory is read once it is asked for, by these steps: a third of a start would go into what nothing needs
 * before the graph changes.
 */
export function withLateMemory(
	graph: Omit<Graph, "memory">,
	steps: Steps<BundleMemory>,
): Graph & { readonly memory: BundleMemory } {
	let memory: BundleMemory | undefined;
	function* read(): Steps<void> {
		memory = yield* steps;
	}
	const reading = read();
	const whole = {
		...graph,
		get memory(): BundleMemory {
			// Goes on where turns have come to, if they have begun.
			if (!memory) runAtOnce(reading);
			if (!memory) throw new TypeError("The memory of a graph could not be read before.");
			return memory;
		},
	};
	readings.set(whole, reading);
	return whole;
}

/** True for a graph that has a memory, whether it has been read or not. */
export function hasMemory(graph: Graph): boolean {
	return readings.has(graph) || graph.memory !== undefined;
}

/** Whoever asks for the memory after this waits for nothing; others are served while it is read. */
export async function readMemory(graph: Pick<Graph, "memory">): Promise<void> {
	const reading = readings.get(graph);
	if (reading) await runInTurns(reading);
}
