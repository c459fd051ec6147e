import type { Clock } from "../../src/core/clock.js";
import { ServiceError } from "../../src/core/errors.js";
import { namesOperation } from "../../src/core/operations.js";
import type { TokenRow } from "../../store/store.js";
import { custAccount, type Ledger } from "../ledger.js";
import type { PaymentMethod, Purchase } from "../payment-method.js";
import { returnExpired } from "./delegation-tree.js";
import { assertWithinCallLimit, countSpending } from "./spending.js";
import { howToPay, tooLittle } from "./spt-refusals.js";
import { type Environment, findToken, isSpendable, unknownToken } from "./token.js";

export interface SptMethodDeps {
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly pepper: Uint8Array;
	readonly environment: Environment;
	/** Whether tokens can be bought and topped up here, which takes a chain; false where absent. */
	readonly isForSale?: () => boolean;
}

/** Shared Payment Tokens: a prepaid bearer balance; hold and capture are ledger entries, no chain is involved. */
export function createSptMethod(deps: SptMethodDeps): PaymentMethod {
	const { ledger, clock, pepper, environment, isForSale = () => false } = deps;
	return {
		rail: "spt",
		accepts: (credential) => credential.scheme === "spt",
		offer: (quote) => ({ continuation: howToPay(quote.amountMicros), accepts: [], headers: {} }),

		async identify(reader, credential) {
			const secret = credential.scheme === "spt" ? credential.token : "";
			const token = await findToken(reader, { secret, pepper, environment });
			if (!token || !(await isSpendable(reader, token, clock.now()))) throw unknownToken();
			return { owner: token.id, rail: "spt" };
		},

		async authorize(tx, payer, purchase) {
			const now = clock.now();
			const token = await tx.get("tokens", payer.owner);
			// Revoked or expired between identification and now.
			if (!token || !(await isSpendable(tx, token, now))) throw unknownToken();
			const { amountMicros, operationId, billingType } = purchase.quote;
			assertInScope(token, purchase);
			assertWithinCallLimit(token, amountMicros);
			const from = custAccount(token.id);
			if ((await tx.balance(from)) < amountMicros) {
				await returnExpired(tx, token, { ledger, now });
				const balanceMicros = await tx.balance(from);
				if (balanceMicros < amountMicros) {
					const purpose = "this call costs";
					throw tooLittle({ token, balanceMicros, amountMicros, isForSale: isForSale(), purpose });
				}
			}
			const spendingId = await countSpending(tx, token, { amountMicros, now });
			if (token.usedAt === undefined) await tx.put("tokens", { ...token, usedAt: now });
			return ledger.authorise(tx, {
				from,
				owner: token.id,
				rail: "spt",
				amountMicros,
				operationId,
				billingType,
				idempotencyId: purchase.idempotencyId,
				...(spendingId !== undefined && { spendingId }),
			});
		},

		async capture(tx, hold) {
			const transactionId = await ledger.capture(tx, hold, hold.amountMicros);
			const balanceAfterMicros = await tx.balance(custAccount(hold.owner));
			return { transactionId, paidMicros: hold.amountMicros, balanceAfterMicros };
		},

		release: (tx, hold, reason) => ledger.release(tx, hold, reason),
		balance: (reader, payer) => reader.balance(custAccount(payer.owner)),
	};
}

function assertInScope(token: TokenRow, { quote: { operationId }, graphIds }: Purchase): void {
	if (token.skills.length > 0 && !namesOperation(token.skills, operationId)) {
		throw new ServiceError("SCOPE_FORBIDDEN", `This token may not pay for "${operationId}".`);
	}
	if (token.graphs.length === 0) return;
	// A skill that chooses its graphs itself cannot promise to stay within a token's graphs.
	const foreign =
		graphIds.length === 0 ? "all graphs" : graphIds.find((id) => !token.graphs.includes(id));
	if (foreign)
		throw new ServiceError("SCOPE_FORBIDDEN", `This token may not pay for "${foreign}".`);
}
