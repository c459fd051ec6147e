import type { Clock } from "../../src/core/clock.js";
import { ServiceError } from "../../src/core/errors.js";
import { formatUsd, type Micros } from "../../src/core/money.js";
import type { TokenRow } from "../../store/store.js";
import { type Continuation, type PaymentErrorCode, PaymentRequired } from "../challenge.js";
import { custAccount, type Ledger } from "../ledger.js";
import type { PaymentMethod, Purchase } from "../payment-method.js";
import { type Environment, findToken, isUsable } from "./token.js";

export interface SptMethodDeps {
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly pepper: Uint8Array;
	readonly environment: Environment;
}

/** Shared Payment Tokens: a prepaid bearer balance; hold and capture are ledger entries, no chain is involved. */
export function createSptMethod({
	ledger,
	clock,
	pepper,
	environment,
}: SptMethodDeps): PaymentMethod {
	return {
		rail: "spt",
		accepts: (credential) => credential.scheme === "spt",
		offer: (quote) => ({ continuation: howToPay(quote.amountMicros), accepts: [], headers: {} }),

		async identify(reader, credential) {
			const secret = credential.scheme === "spt" ? credential.token : "";
			const token = await findToken(reader, { secret, pepper, environment });
			if (!token || !isUsable(token, clock.now())) throw unknownToken();
			return { owner: token.id, rail: "spt" };
		},

		async authorize(tx, payer, purchase) {
			const token = await tx.get("tokens", payer.owner);
			// Revoked or expired between identification and now.
			if (!token || !isUsable(token, clock.now())) throw unknownToken();
			const { quote, idempotencyId } = purchase;
			assertInScope(token, purchase);
			assertWithinLimit(token, purchase);
			const balance = await tx.balance(custAccount(token.id));
			if (balance < quote.amountMicros) throw tooLittle(balance, purchase);
			return ledger.authorise(tx, {
				from: custAccount(token.id),
				owner: token.id,
				rail: "spt",
				amountMicros: quote.amountMicros,
				operationId: quote.operationId,
				billingType: quote.billingType,
				idempotencyId,
			});
		},

		async capture(tx, hold) {
			const transactionId = await ledger.capture(tx, hold, hold.amountMicros);
			const balanceAfterMicros = await tx.balance(hold.from);
			return { transactionId, paidMicros: hold.amountMicros, balanceAfterMicros };
		},

		release: (tx, hold, reason) => ledger.release(tx, hold, reason),
		balance: (reader, payer) => reader.balance(custAccount(payer.owner)),
	};
}

function howToPay(priceMicros: Micros): Continuation {
	return {
		type: "spt",
		header: "X-Pay-SPT",
		alternative_header: "Authorization: Bearer <SPT>",
		amount_usd: formatUsd(priceMicros),
		validate: "/v1/spt/validate",
		instructions:
			"Send the same request again with a Shared Payment Token of this service in the X-Pay-SPT header; the price is taken from its balance once there is an answer.",
	};
}

function unknownToken(): ServiceError {
	return new ServiceError(
		"UNAUTHENTICATED",
		"The Shared Payment Token is not known here, has expired or was revoked.",
	);
}

function assertInScope(token: TokenRow, { skillId, graphIds }: Purchase): void {
	if (token.skills.length > 0 && !token.skills.includes(skillId)) {
		throw new ServiceError("SCOPE_FORBIDDEN", `This token may not pay for the skill "${skillId}".`);
	}
	if (token.graphs.length === 0) return;
	// A skill that chooses its graphs itself cannot promise to stay within a token's graphs.
	const foreign =
		graphIds.length === 0 ? "all graphs" : graphIds.find((id) => !token.graphs.includes(id));
	if (foreign)
		throw new ServiceError("SCOPE_FORBIDDEN", `This token may not pay for "${foreign}".`);
}

function assertWithinLimit(token: TokenRow, { quote }: Purchase): void {
	const limit = token.maxPerCallMicros;
	if (limit === undefined || quote.amountMicros <= limit) return;
	throw refusal(
		"SPENDING_LIMIT",
		`This token pays at most ${formatUsd(limit)} USD per call; this one costs ${formatUsd(quote.amountMicros)} USD.`,
		{
			type: "spt",
			instructions: "Use a token with a higher limit per call.",
			max_per_call_usd: formatUsd(limit),
		},
	);
}

function tooLittle(balance: Micros, { quote }: Purchase): PaymentRequired {
	return refusal(
		"INSUFFICIENT_BALANCE",
		`The token has ${formatUsd(balance)} USD left; this call costs ${formatUsd(quote.amountMicros)} USD. Nothing was charged.`,
		{
			type: "spt",
			balance_usd: formatUsd(balance),
			amount_usd: formatUsd(quote.amountMicros),
			instructions: "Ask the operator to issue a token with a higher balance, or use another one.",
		},
	);
}

// A caller who shows a token never gets the challenge of another rail.
function refusal(
	code: PaymentErrorCode,
	message: string,
	continuation: Continuation,
): PaymentRequired {
	return new PaymentRequired(code, message, {
		quote: undefined,
		offers: [],
		continuations: [continuation],
	});
}
