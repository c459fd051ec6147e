/** Money: prices, payment methods, challenges, receipts and the ledger. Knows no skill and no transport. */

import {
	KIND_ROWS,
	OPERATION_ROWS,
	type Price,
	type PriceBook,
	type PriceList,
} from "../src/contract/contract.js";
import { parseUsd } from "../src/kernel/kernel.js";

/** Decision D7: what a deployment charges unless its operator says otherwise. */
export const DEFAULT_PRICE_BOOK = Object.fromEntries(
	[
		...OPERATION_ROWS.map(([id, , , , usd, type]) => [id, usd, type] as const),
		...KIND_ROWS,
	].flatMap(([id, usd, billingType]) =>
		usd === undefined ? [] : [[id, { amountMicros: parseUsd(usd), billingType }]],
	),
) as PriceBook;

/** A question and a claim of a batch cost what they cost alone, unless the operator says otherwise. */
export function createPriceList(changes: Partial<PriceBook> = {}): PriceList {
	const changed = { ...DEFAULT_PRICE_BOOK, ...changes };
	const claim = changed["verify.claim"];
	const book = {
		...changed,
		"search.batch": changes["search.batch"] ?? dearestSearch(changed),
		"verify.claims": changes["verify.claims"] ?? claim,
		"verify.text": changes["verify.text"] ?? claim,
	};
	return { priceOf: (operationId) => book[operationId], all: () => book };
}

/** Of the two that a question of a batch may be, over one graph and over all, so that no batch undercuts them. */
function dearestSearch(book: PriceBook): Price {
	const [one, all] = [book["graphs.search"], book["search.all"]];
	return one.amountMicros > all.amountMicros ? one : all;
}
