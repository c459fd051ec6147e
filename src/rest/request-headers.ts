import { type HeaderReader, LIMITS } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";

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

const QUOTE_ID = /^qte_[A-Za-z0-9_.-]{1,1024}$/;

/** The quote whose price the caller holds us to, if any. Throws INVALID_ARGUMENT for what cannot be one. */
export function readQuoteId(header: HeaderReader): string | undefined {
	const [value, ...others] = header("x-quote-id");
	if (value === undefined || (others.length === 0 && QUOTE_ID.test(value))) return value;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		'The header "X-Quote-Id" must be sent once and hold the id of a quote (qte_…).',
	);
}
