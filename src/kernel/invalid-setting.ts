import { ServiceError } from "./errors.js";

/** Why a server does not start: the message names the setting and what it may be. */
export function invalidSetting(message: string): ServiceError {
	return new ServiceError("INVALID_ARGUMENT", message);
}
