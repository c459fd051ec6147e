import { ServiceError } from "../../kernel/kernel.js";
import type { PairJudge, PairReading, TextPair } from "./pair-judge.js";

/** Readings of all pairs, or why there are none, as a sentence for callers. */
export type PairReadings =
	| { readonly readings: readonly PairReading[]; readonly problem?: undefined }
	| { readonly readings?: undefined; readonly problem: string };

const NONE = "This server has no model that reads claims beside passages.";
const FAILED = "The model that reads claims beside passages gave no answer.";

/** Has pairs read where there is a judge that can; rejects only for a caller that has left. */
export async function readPairs(
	judge: PairJudge | undefined,
	pairs: readonly TextPair[],
	signal: AbortSignal,
): Promise<PairReadings> {
	signal.throwIfAborted();
	if (!judge) return { problem: NONE };
	if (pairs.length === 0) return { readings: [] };
	try {
		const readings = await judge.read(pairs, signal);
		signal.throwIfAborted();
		return { readings };
	} catch (error) {
		signal.throwIfAborted();
		// What it failed with is in the status, for the operator.
		if (error instanceof ServiceError) return { problem: FAILED };
		throw error;
	}
}
