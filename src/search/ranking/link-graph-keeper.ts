import { type Clock, type Logger, stackOf } from "../../kernel/kernel.js";
import type { IndexState } from "../index/index-state.js";
import { buildLinkGraph, type LinkGraph } from "./link-graph.js";

/** Building takes at most one part in so many of the time, unless it is a matter of a few milliseconds. */
const REST_FACTOR = 10;
const SHORT_BUILD_MS = 20;
/** After a start the first answers go before the first graph. */
const FIRST_REST_MS = 250;

/** Keeps a link graph as new as can be without making a search wait; one that cannot be built is logged, the one before serves on. */
export function createLinkGraphKeeper(clock: Clock, logger?: Logger) {
	let current: LinkGraph | undefined;
	let awaited: IndexState | undefined;
	let running: Promise<void> | undefined;
	let cancelRest: (() => void) | undefined;
	let restUntilMs: number | undefined;

	const build = async (state: IndexState): Promise<void> => {
		const startedAt = clock.monotonicMs();
		try {
			current = await buildLinkGraph([...state.graphs.values()].flatMap(({ parts }) => parts));
		} catch (error) {
			logger?.error("the links between concepts could not be brought up to date", {
				error: stackOf(error),
			});
		}
		const now = clock.monotonicMs();
		const tookMs = now - startedAt;
		restUntilMs = tookMs < SHORT_BUILD_MS ? 0 : now + REST_FACTOR * tookMs;
	};
	const start = (): void => {
		cancelRest?.();
		cancelRest = undefined;
		if (running || !awaited) return;
		const state = awaited;
		awaited = undefined;
		running = build(state).finally(() => {
			running = undefined;
			startRested();
		});
	};
	const startRested = (): void => {
		if (running || cancelRest || !awaited) return;
		const restMs = (restUntilMs ?? 0) - clock.monotonicMs();
		if (restMs <= 0) start();
		else cancelRest = clock.after(restMs, start);
	};
	return {
		/** Undefined until the first is built; later perhaps one of an earlier state: what is newer has no links in it. */
		current: () => current,
		/** Builds the graph of this state in turns; of states that follow one another closely, only the last. */
		renew(state: IndexState): void {
			awaited = state;
			restUntilMs ??= clock.monotonicMs() + FIRST_REST_MS;
			startRested();
		},
		/** Resolves once the graph is that of the last state given, without a rest before. */
		async settle(): Promise<void> {
			while (running || awaited) {
				start();
				await running;
			}
		},
		/** Resolves once nothing is being built; nothing more will be. */
		async close(): Promise<void> {
			awaited = undefined;
			cancelRest?.();
			await running;
		},
	};
}
