import type { Clock } from "../kernel/kernel.js";

/**
 * What operations run on, wired once by the app. A room declares here, by declaration merging, what it provides; an
 * operation asks for what it needs by `Pick<Services, …>`, so that it is tested with those parts alone.
 */
export interface Services {
	readonly clock: Clock;
	/** Public base address without a trailing slash; empty until the server listens. */
	readonly baseUrl: () => string;
}
