import { PaymentRequired, type Quote } from "../../payments/payments.js";
import { assertAmount } from "../../payments/spt/spt.js";
import type { TokenRow } from "../../store/store.js";
import { type Credential, LIMITS } from "../contract/contract.js";
import { formatUsd, type Micros, parseUsd, ServiceError } from "../kernel/kernel.js";

/** Throws INVALID_ARGUMENT for an amount outside what is sold at once. */
export function parseAmount(text: string): Micros {
	const amountMicros = parseUsd(text);
	assertAmount(amountMicros);
	if (amountMicros >= LIMITS.sptMinMicros) return amountMicros;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"amount_usd" must be at least ${formatUsd(LIMITS.sptMinMicros)}.`,
	);
}

/** Throws UNAUTHENTICATED unless a token is shown, SCOPE_FORBIDDEN for a credential of another kind. */
export function requireSpt(credential: Credential | undefined): Credential {
	if (credential?.scheme === "spt") return credential;
	throw new ServiceError(
		credential ? "SCOPE_FORBIDDEN" : "UNAUTHENTICATED",
		'Send the Shared Payment Token to top up in the header "X-Pay-SPT", beside the payment.',
	);
}

/** Throws before anybody pays for what the token could not take. */
export function assertRoom({ parentId }: TokenRow, balanceMicros: Micros): void {
	if (parentId !== undefined) {
		throw new ServiceError(
			"SCOPE_FORBIDDEN",
			`A delegated token takes balance from its parent only; top up ${parentId} and delegate from it.`,
		);
	}
	if (balanceMicros > LIMITS.sptMaxMicros) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`A token holds at most ${formatUsd(LIMITS.sptMaxMicros)} USD; nothing was charged.`,
		);
	}
}

/** The refusal where no chain is configured: it says who issues tokens instead. */
export function notForSale(quote: Quote): PaymentRequired {
	return new PaymentRequired(
		"PAYMENT_REQUIRED",
		"Tokens are not sold here, because no chain is configured; the operator issues them.",
		{
			quote,
			offers: [],
			continuations: [
				{ type: "spt", instructions: "Ask the operator to issue a Shared Payment Token." },
			],
		},
	);
}
