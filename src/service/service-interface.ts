/** Use cases: what transports may ask of the house. They see this file, the challenge and the price list. */
import type { IdentifyOptions } from "../contract/account-access.js";
import type { Caller, Invoke } from "../contract/call.js";
import type { Credential } from "../contract/credential.js";
import type { PriceList } from "../contract/prices.js";
import type { ServiceInfo } from "../contract/service-info.js";
import type { SkillCatalog } from "../contract/skill.js";
import type { OperationRates } from "../http/operation-rates.js";
import type { SoldStreams } from "../sales/sold-streams.js";
import type { Purchases } from "../sales/spt-purchase.js";
import type { FreeOperations } from "./free-operations.js";
import type { OwnerOperations } from "./owner-operations.js";

export type { ServiceInfo } from "../contract/service-info.js";

export interface Service {
	readonly info: ServiceInfo;
	readonly skills: SkillCatalog;
	readonly prices: PriceList;
	readonly invoke: Invoke;
	/** Skills that answer piece by piece. */
	readonly streams: SoldStreams;
	readonly free: FreeOperations;
	readonly owner: OwnerOperations;
	readonly purchases: Purchases;
	/** What one address may ask for nothing, over all transports together. */
	readonly rates: OperationRates;
	/**
	 * Who a credential belongs to, charging nothing; throws UNAUTHENTICATED for one nobody issued, NOT_FOUND for a subject
	 * without an account.
	 */
	readonly identify: (credential: Credential, options?: IdentifyOptions) => Promise<Caller>;
}
