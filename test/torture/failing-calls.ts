import { CALLS, tryCall, VERDICTS } from "../store/every-call.js";
import { times } from "../support/times.js";

export interface FailingCalls {
	/** Runs: each call in each way a disk fails. */
	readonly runs: number;
	readonly faults: readonly string[];
}

/** Lets each of a store's first calls to the disk fail in every way, and looks for what was lost. */
export async function tryFailingCalls(): Promise<FailingCalls> {
	const faults: string[] = [];
	for (const [name, verdict] of VERDICTS) {
		const tries = await Promise.all(times(CALLS, (index) => tryCall(index + 1, verdict)));
		faults.push(...tries.flatMap(({ fault }) => (fault ? [`${name}, ${fault}`] : [])));
		if (!tries.every(({ isMade }) => isMade)) faults.push(`${name}: not every call was made`);
	}
	return { runs: CALLS * VERDICTS.length, faults };
}
