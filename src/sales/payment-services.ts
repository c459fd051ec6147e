import type { SettlementTerms } from "../../payments/onchain/onchain.js";
import type { Offer, Quote, QuoteSeal } from "../../payments/payments.js";
import type { Store } from "../../store/store.js";
import type { KeySet, Keys, SigningJwk } from "../accounts/accounts.js";
import type { Credential, PriceList, ServiceInfo, SkillCatalog } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";

/** What questions about money are answered from; each part takes what it needs by `Pick<PaymentServices, …>`. */
export interface PaymentServices {
	readonly store: Pick<Store, "read">;
	readonly clock: Clock;
	readonly info: Pick<ServiceInfo, "baseUrl">;
	readonly environment: "live" | "test";
	readonly skills: SkillCatalog;
	readonly prices: PriceList;
	/** Changes with the graphs on sale, which the examples name. */
	readonly catalog: { readonly revision: string };
	readonly seal: QuoteSeal;
	/** Every way to pay for it, as a 402 would list them. */
	readonly offersOf: (quote: Quote) => readonly Offer[];
	/** Ids of the rails that are configured, e.g. ["x402", "spt", "plan"]. */
	readonly rails: readonly string[];
	/** What a payment on the chain must say; undefined where no chain is configured. */
	readonly terms: SettlementTerms | undefined;
	/** Private ES256 keys as JWK, of their own: what they sign is a receipt and nothing else. The first one signs. */
	readonly signingKeys: () => Keys<SigningJwk>;
	readonly keySet: () => KeySet;
	readonly identify: (credential: Credential) => Promise<{ readonly owner: string }>;
}
