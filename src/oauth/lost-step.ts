import { ServiceError } from "../kernel/kernel.js";

/** What a user is told whose step has ended, went on elsewhere, or is that of somebody else. */
export function lostStep(): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		"This request for access is no longer open; go back to the application and start again.",
	);
}
