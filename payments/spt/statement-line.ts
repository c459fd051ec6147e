import { formatUsd, toIsoTime } from "../../src/kernel/kernel.js";
import type { LedgerTransaction } from "../../store/store.js";
import { custAccount, heldAccount } from "../payments.js";

/** A posting as the holder of one token sees it: the other accounts it touched are nobody's business. */
export function toStatementLine(owner: string, posting: LedgerTransaction) {
	const { id, at, kind, ref, memo, entries } = posting;
	const changeOf = (account: string) =>
		entries
			.filter((entry) => entry.account === account)
			.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
	return {
		id,
		at: toIsoTime(at),
		kind,
		balance_change_usd: formatUsd(changeOf(custAccount(owner))),
		held_change_usd: formatUsd(changeOf(heldAccount(owner))),
		ref,
		memo: memo ?? null,
	};
}
