import type { SettlementTerms } from "../../payments/onchain/onchain.js";
import type { KeySet } from "../accounts/accounts.js";
import type { Json } from "../contract/contract.js";
import { createPerRevision } from "../kernel/kernel.js";
import { type PaymentMethodsDeps, toPaymentMethods } from "./payment-methods.js";
import { createPaymentState } from "./payment-state.js";
import { createQuotes, type QuotesDeps } from "./quotes.js";
import { createSignedReceipts, type SignedReceiptsDeps } from "./signed-receipts.js";
import { toX402Listing } from "./x402-listing.js";

export interface PaymentOperationDeps extends QuotesDeps, SignedReceiptsDeps, PaymentMethodsDeps {
	readonly terms: SettlementTerms | undefined;
	/** Changes with the graphs on sale, which the examples name. */
	readonly catalog: { readonly revision: string };
	readonly keySet: KeySet;
}

export type PaymentOperations = ReturnType<typeof createPaymentOperations>;

/** What anyone may ask about money, before paying and after it. */
export function createPaymentOperations(deps: PaymentOperationDeps) {
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
		keySet: () => keySet,
	};
}
