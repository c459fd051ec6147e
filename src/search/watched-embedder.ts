import type { Clock } from "../core/clock.js";
import type { Embedder, EmbedLane } from "./embedder.js";

/** An embedder that knows whether it works. */
export interface WatchedEmbedder extends Embedder {
	/** Why it gives no vectors right now, as a sentence; undefined while it does. */
	failure(): string | undefined;
	/** After a failure, tries a text in the background, so that a model that is back is seen without a query. */
	probe(): void;
}

/** A query that has waited this long is answered by keywords. Long enough for a model that is just being loaded. */
export const QUERY_PATIENCE_MS = 2_000;

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

	const embed = async (texts: readonly string[], lane: EmbedLane) => {
		const query = { at: clock.monotonicMs() };
		if (lane === "query") queriesSince.add(query);
		try {
			const vectors = await embedder.embed(texts, lane);
			lastFailure = undefined;
			return vectors;
		} catch (error) {
			lastFailure = error instanceof Error ? error.message : String(error);
			throw error;
		} finally {
			queriesSince.delete(query);
		}
	};
	const isLate = (): boolean => {
		const [oldest] = queriesSince;
		return oldest !== undefined && clock.monotonicMs() - oldest.at > QUERY_PATIENCE_MS;
	};

	return {
		identity: embedder.identity,
		embed,
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
