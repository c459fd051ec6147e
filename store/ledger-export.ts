import type { CommittedTransaction, Store } from "./store-port.js";

/**
 * The books as lines of JSON, oldest first: each is what one transaction of the store left there, its postings and its
 * receipts, with money as decimal strings of micro-USD. One line is made at a time, when it is asked for.
 */
export async function* exportLedger(store: Pick<Store, "history">): AsyncGenerator<string> {
	for await (const committed of store.history()) yield toLine(committed);
}

function toLine({ postings, receipts }: CommittedTransaction): string {
	return JSON.stringify({ postings, receipts }, (_name, value: unknown) =>
		typeof value === "bigint" ? value.toString() : value,
	);
}
