import type { Logger } from "../../src/kernel/kernel.js";
import type { PaymentRow } from "../../store/store.js";
import { isSameAddress } from "./evm-assets.js";
import type { SettlementTerms } from "./facilitator.js";
import { UNDECIDED } from "./settlement-book.js";

type Terms = Pick<SettlementTerms, "network" | "asset">;

/** True when the configured chain is the one that knows what became of the payment. */
export function isOnTerms({ network, asset }: Terms, row: PaymentRow): boolean {
	return row.network === network && isSameAddress(row.asset, asset);
}

/** Says once, at a start, which open payments nobody can ask about as things are configured; without terms that is all. */
export function reportUnreachable(
	{ terms, logger }: { terms?: Terms | undefined; logger: Logger },
	rows: readonly PaymentRow[],
): void {
	const counts = new Map<string, number>();
	for (const row of rows) {
		if (!UNDECIDED.includes(row.state) || (terms && isOnTerms(terms, row))) continue;
		const place = `${row.network} ${row.asset}`;
		counts.set(place, (counts.get(place) ?? 0) + 1);
	}
	for (const [place, payments] of counts) {
		const [network, asset] = place.split(" ");
		logger.error("payments stay open until their network and asset are configured again", {
			network,
			asset,
			payments,
		});
	}
}
