import type { PaymentRow, Store } from "../../store/store.js";
import type { Json } from "../contract/contract.js";
import { createPerRevision, notFound, toIsoTime } from "../kernel/kernel.js";
import { toPaymentMethods } from "./payment-methods.js";
import type { PaymentServices } from "./payment-services.js";
import { createQuotes } from "./quotes.js";
import { createSignedReceipts } from "./signed-receipts.js";
import { toX402Listing } from "./x402-listing.js";

export type PaymentOperations = ReturnType<typeof createPaymentOperations>;

/** What anyone may ask about money, before paying and after it. */
export function createPaymentOperations(deps: PaymentServices) {
	const { catalog, info, keySet } = deps;
	const listings = createPerRevision<Json>(
		() => [catalog.revision, info.baseUrl()],
		() => toX402Listing(deps),
	);
	const methods = toPaymentMethods(deps);
	return {
		quotes: createQuotes(deps),
		receipts: createSignedReceipts(deps),
		paymentState: createPaymentState(deps),
		methods: () => methods,
		/** `/.well-known/x402`. */
		x402Listing: () => listings("x402"),
		/** `/.well-known/jwks.json`. */
		keySet,
	};
}

/**
 * Where one payment on a chain stands. Its id can be computed from what settling makes public, so it reveals no more than
 * the chain does; the receipt of a call is named to anyone who knows the hash of the request that was paid for. Throws
 * NOT_FOUND.
 */
function createPaymentState({ store }: { readonly store: Pick<Store, "read"> }) {
	return async (id: string, requestHash?: string): Promise<Json> => {
		const row = await store.read((reader) => reader.get("payments", id));
		if (row) return toStateWire(row, { isOwnRequest: isOwnRequest(row, requestHash) });
		throw notFound(
			`No payment is called "${id.slice(0, 60)}"; ids of payments are told in replies and kept for a day.`,
		);
	};
}

/** An order of balance is little more than its amount, which the chain shows: knowing its hash proves nothing. */
function isOwnRequest({ billingType, fingerprint }: PaymentRow, requestHash: string | undefined) {
	return billingType !== "prepaid" && fingerprint === requestHash;
}

function toStateWire(row: PaymentRow, { isOwnRequest }: { isOwnRequest: boolean }): Json {
	return {
		payment_id: row.id,
		state: row.state,
		network: row.network,
		transaction: row.transactionHash ?? null,
		receipt_id: (isOwnRequest ? row.receiptId : undefined) ?? null,
		token_id: row.tokenId ?? null,
		reason: row.reason ?? null,
		updated_at: toIsoTime(row.updatedAt),
	};
}
