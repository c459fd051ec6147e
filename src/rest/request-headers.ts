import type { HeaderReader } from "../core/credential.js";
import { ServiceError } from "../core/errors.js";
import { LIMITS } from "../core/limits.js";

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** The caller's retry key, if any. Throws INVALID_ARGUMENT for a repeated, empty, too long or unprintable one. */
export function readIdempotencyKey(header: HeaderReader): string | undefined {
	const [value, ...others] = header("idempotency-key");
	if (value === undefined) return undefined;
	if (
		others.length > 0 ||
		value.length > LIMITS.idempotencyKeyChars ||
		!PRINTABLE_ASCII.test(value)
	) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`The header "Idempotency-Key" must be sent once and have 1 to ${LIMITS.idempotencyKeyChars} printable ASCII characters.`,
		);
	}
	return value;
}
