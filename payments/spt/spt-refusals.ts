import { LIMITS } from "../../src/contract/contract.js";
import { formatUsd, type Micros } from "../../src/kernel/kernel.js";
import type { TokenRow } from "../../store/store.js";
import { type Continuation, type PaymentRequired, refusePayment } from "../payments.js";

/** How to pay with a token, for callers without a credential. */
export function howToPay(priceMicros: Micros): Continuation {
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

/** How a wallet gets a token by itself; offered where payments on a chain are taken. */
export function howToBuy(priceMicros: Micros): Continuation {
	return {
		type: "spt_purchase",
		method: "POST",
		path: "/v1/spt",
		body: { amount_usd: formatUsd(leastPurchase(priceMicros)) },
		instructions:
			"Buy a Shared Payment Token with one payment on the chain: POST the amount, pay its 402, and the reply holds the token. It pays for many calls without the chain.",
	};
}

function howToTopUp({ parentId }: TokenRow, missingMicros: Micros): Continuation {
	if (parentId !== undefined) {
		return {
			type: "spt",
			parent_id: parentId,
			instructions:
				"Ask whoever delegated this token to delegate more; only its parent can be topped up.",
		};
	}
	return {
		type: "spt_purchase",
		method: "POST",
		path: "/v1/spt/top-up",
		body: { amount_usd: formatUsd(leastPurchase(missingMicros)) },
		instructions:
			"Send this token again to the top-up path with the amount, and pay its 402 on the chain.",
	};
}

function leastPurchase(amountMicros: Micros): Micros {
	return amountMicros > LIMITS.sptMinMicros ? amountMicros : LIMITS.sptMinMicros;
}

/** A balance that does not reach, with the way to raise it. */
export function tooLittle(input: {
	readonly token: TokenRow;
	readonly balanceMicros: Micros;
	readonly amountMicros: Micros;
	/** Whether payments on a chain are taken here. */
	readonly isForSale: boolean;
	/** Subject and verb before the amount: "this call costs". */
	readonly purpose: string;
}): PaymentRequired {
	const { token, balanceMicros, amountMicros, isForSale, purpose } = input;
	const facts = { balance_usd: formatUsd(balanceMicros), amount_usd: formatUsd(amountMicros) };
	const instructions = isForSale
		? "Use another token, or raise this one's balance."
		: "Ask the operator to issue a token with a higher balance, or use another one.";
	return refusePayment(
		"INSUFFICIENT_BALANCE",
		`The token has ${facts.balance_usd} USD left; ${purpose} ${facts.amount_usd} USD. Nothing was charged.`,
		[
			...(isForSale ? [howToTopUp(token, amountMicros - balanceMicros)] : []),
			{ type: "spt", ...facts, instructions },
		],
	);
}

/** A price or a sum above what the token may spend. */
export function spendingLimit(
	message: string,
	facts: Readonly<Record<string, string | number>>,
): PaymentRequired {
	const wait = "retry_after_seconds" in facts;
	return refusePayment("SPENDING_LIMIT", message, [
		{
			type: wait ? "wait" : "spt",
			...facts,
			instructions: wait
				? "Wait until the next day (UTC), or use a token with a higher limit per day."
				: "Use a token with a higher limit per call.",
		},
	]);
}
