import type { Test } from "tap";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { createSearchEngine, type SearchEngine } from "../../src/search/search-engine.js";
import type { CountingEmbedder } from "./sample-graph.js";

/** Ten rows of what an engine finds. */
export const find = (engine: SearchEngine, graphs: readonly Graph[], query: string) =>
	engine.find({ graphs, query, limit: 10, signal: new AbortController().signal });

interface Start {
	readonly folder?: string;
	readonly clock?: Clock;
}

/** An engine over a folder, closed when the test ends. */
export async function startEngine(
	t: Test,
	model: CountingEmbedder | "none",
	{ folder = t.testdir(), clock = systemClock }: Start = {},
) {
	const engine = await createSearchEngine({ folder, clock, model });
	t.teardown(() => engine.close());
	return { engine, folder };
}
