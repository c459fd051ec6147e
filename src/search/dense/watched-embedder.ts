import type { Clock } from "../../kernel/kernel.js";
import type { Embedder, EmbedLane } from "../model/embedder.js";
import { QUERY_PATIENCE_MS } from "./query-patience.js";

/** An embedder that knows whether it works. */
export interface WatchedEmbedder extends Embedder {
	/** Why it gives no vectors right now, as a sentence; undefined while it does. */
	failure(): string | undefined;
	/** After a failure, tries a text in the background, so that a model that is back is seen without a query. */
	probe(): void;
	/** Learns from the work of one query that asks the model by another way. Undefined tells nothing. */
	watch<T>(work: () => Promise<T | undefined>): Promise<T | undefined>;
}

export function watchEmbedder({
	clock,
	embedder,
}: {
	readonly clock: Clock;
	readonly embedder: Embedder;
}): WatchedEmbedder {
	const queriesSince = new Set<{ readonly at: number }>();
	let lastFailure: string | undefined;
	let isProbing = false;

	const learn = async <T>(work: () => Promise<T>): Promise<T> => {
		try {
			const result = await work();
			if (result !== undefined) lastFailure = undefined;
			return result;
		} catch (error) {
			lastFailure = error instanceof Error ? error.message : String(error);
			throw error;
		}
	};
	const watch = async <T>(work: () => Promise<T>): Promise<T> => {
		const query = { at: clock.monotonicMs() };
		queriesSince.add(query);
		try {
			return await learn(work);
		} finally {
			queriesSince.delete(query);
		}
	};
	const embed = (texts: readonly string[], lane: EmbedLane) => {
		const work = () => embedder.embed(texts, lane);
		return lane === "query" ? watch(work) : learn(work);
	};
	const isLate = (): boolean => {
		const [oldest] = queriesSince;
		return oldest !== undefined && clock.monotonicMs() - oldest.at > QUERY_PATIENCE_MS;
	};

	return {
		identity: embedder.identity,
		embed,
		watch,
		warm: () => embedder.warm(),
		close: () => embedder.close(),
		failure: () =>
			lastFailure ?? (isLate() ? "The embedding model lets queries wait too long." : undefined),
		probe() {
			if (lastFailure === undefined || isProbing) return;
			isProbing = true;
			embed(["probe"], "query")
				.catch(() => undefined)
				.finally(() => {
					isProbing = false;
				});
		},
	};
}
