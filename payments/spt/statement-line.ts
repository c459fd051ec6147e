import { toIsoTime } from "../../src/kernel/clock.js";
import { formatUsd } from "../../src/kernel/money.js";
import type { LedgerTransaction } from "../../store/ledger.js";
import { custAccount, heldAccount } from "../ledger.js";

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
