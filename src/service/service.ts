/** Use cases: what transports may ask of the house. They see this file, the challenge and the price list. */
import type { PriceList } from "../../payments/price-list.js";
import type { Caller, Invoke } from "../core/call.js";
import type { Credential } from "../core/credential.js";
import type { SkillId } from "../core/operations.js";
import type { Skill } from "../core/skill.js";
import type { FreeOperations } from "./free-operations.js";
import type { OwnerOperations } from "./owner-operations.js";
import type { Purchases } from "./spt-purchase.js";

/** Skills that are built, one for each id: a missing one does not compile. */
export type SkillCatalog = { readonly [Id in SkillId]: Skill<Id> };

export interface ServiceInfo {
	/** Software version. */
	readonly version: string;
	/** Public base address without a trailing slash; known once the server listens. */
	readonly baseUrl: () => string;
	/** Address of the MCP server; null until one is built. */
	readonly mcpUrl: () => string | null;
	readonly profile: "demo" | "production";
}

export interface Service {
	readonly info: ServiceInfo;
	readonly skills: SkillCatalog;
	readonly prices: PriceList;
	readonly invoke: Invoke;
	readonly free: FreeOperations;
	readonly owner: OwnerOperations;
	readonly purchases: Purchases;
	/** Who a credential belongs to, charging nothing; throws UNAUTHENTICATED for one nobody issued. */
	readonly identify: (credential: Credential) => Promise<Caller>;
}
