/** Use cases: what transports may ask of the server. They see this file, the challenge and the price list. */
import type {
	Caller,
	Credential,
	IdentifyOptions,
	Invoke,
	PriceList,
	ServiceInfo,
	Services,
	SkillCatalog,
} from "../contract/contract.js";
import type { OperationRates } from "../http/http.js";
import type { Purchases, SoldStreams } from "../sales/sales.js";
import type { FreeOperations } from "./free-operations.js";
import type { OwnerOperations } from "./owner-operations.js";

export interface Service {
	readonly info: ServiceInfo;
	readonly skills: SkillCatalog;
	readonly prices: PriceList;
	readonly invoke: Invoke;
	/** Skills that answer piece by piece. */
	readonly streams: SoldStreams;
	/** What operations run on. */
	readonly services: Services;
	readonly free: FreeOperations;
	readonly owner: OwnerOperations;
	readonly purchases: Purchases;
	/** What one address may ask for nothing, over all transports together. */
	readonly rates: OperationRates;
	/**
	 * Who a credential belongs to, charging nothing; throws UNAUTHENTICATED for one no one issued, NOT_FOUND for a subject
	 * without an account.
	 */
	readonly identify: (credential: Credential, options?: IdentifyOptions) => Promise<Caller>;
}
