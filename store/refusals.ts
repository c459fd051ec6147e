import { type ServiceError, unavailable } from "../src/kernel/kernel.js";

/** For every caller after the store stopped: the outcome is unknown until the next start. */
export function stopped(reason: string, cause?: unknown): ServiceError {
	return unavailable(
		`The store takes no more changes (${reason}). Whether a change under way was kept is unknown: send the request again with the same idempotency key once the service is back.`,
		{ retryable: true, cause },
	);
}

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
