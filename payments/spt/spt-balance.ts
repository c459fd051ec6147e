import type { Clock } from "../../src/kernel/kernel.js";
import { assertInScope, type Balance, custAccount, type Ledger } from "../payments.js";
import { returnExpired } from "./delegation-tree.js";
import { assertWithinCallLimit, countSpending } from "./spending.js";
import { howToPay, tooLittle } from "./spt-refusals.js";
import { type Environment, findToken, isSpendable, unknownToken } from "./token.js";

export interface SptBalanceDeps {
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly pepper: Uint8Array;
	readonly environment: Environment;
	/** Whether tokens can be bought and topped up here, which takes a chain; false where absent. */
	readonly isForSale?: () => boolean;
}

/** Shared Payment Tokens: a prepaid bearer balance; hold and capture are ledger entries, no chain is involved. */
export function createSptBalance(deps: SptBalanceDeps): Balance {
	const { ledger, clock, pepper, environment, isForSale = () => false } = deps;
	return {
		rail: "spt",
		accepts: (credential) => credential.scheme === "spt",
		offer: (quote) => ({ continuation: howToPay(quote.amountMicros), accepts: [], headers: {} }),

		identify: (store, credential) =>
			store.read(async (reader) => {
				const secret = credential.scheme === "spt" ? credential.token : "";
				const token = await findToken(reader, { secret, pepper, environment });
				if (!token || !(await isSpendable(reader, token, clock.now()))) throw unknownToken();
				return { owner: token.id, rail: "spt" };
			}),

		async authorize(tx, payer, purchase) {
			const now = clock.now();
			const token = await tx.get("tokens", payer.owner);
			// Revoked or expired between identification and now.
			if (!token || !(await isSpendable(tx, token, now))) throw unknownToken();
			const { amountMicros, operationId, billingType } = purchase.quote;
			assertInScope(token, purchase, "token");
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
			return ledger.authorize(tx, {
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

		async capture(tx, hold, amountMicros = hold.amountMicros) {
			const transactionId = await ledger.capture(tx, hold, amountMicros);
			const balanceAfterMicros = await tx.balance(custAccount(hold.owner));
			return { transactionId, paidMicros: amountMicros, balanceAfterMicros };
		},

		release: (tx, hold, reason) => ledger.release(tx, hold, reason),
		balance: (reader, payer) => reader.balance(custAccount(payer.owner)),
	};
}
