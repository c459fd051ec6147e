/** Use cases: what transports may ask of the house. They see this file, the challenge and the price list. */
import type { PriceList } from "../../payments/price-list.js";
import type { IdentifyOptions } from "../core/account-access.js";
import type { Caller, Invoke } from "../core/call.js";
import type { Credential } from "../core/credential.js";
import type { SkillCatalog } from "../core/skill.js";
import type { FreeOperations } from "./free-operations.js";
import type { OperationRates } from "./operation-rates.js";
import type { OwnerOperations } from "./owner-operations.js";
import type { ServiceInfo } from "./service-info.js";
import type { SoldStreams } from "./sold-streams.js";
import type { Purchases } from "./spt-purchase.js";

export type { ServiceInfo } from "./service-info.js";

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
