import type { Graph } from "../../knowledge/knowledge.js";
import type { SyncOptions } from "../search-ports.js";

/** One call of sync. */
export interface SyncRun {
	readonly graphs: readonly Graph[];
	readonly options: SyncOptions;
	/** False once a newer sync has begun or the engine closes. */
	readonly goesOn: () => boolean;
	/** Aborted when the engine closes; a newer sync needs what an older one derives, and lets it finish. */
	readonly closing: AbortSignal;
}
